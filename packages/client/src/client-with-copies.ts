import type { ClientOptions } from './client-options.ts'
import { createClient as createOriginClient, type Client } from './client.ts'
import { openCopies } from './copies/copies.ts'

/**
 * Creates a client. It sends nothing before the first call. Throws a TypeError for wrong options.
 *
 * @example
 * ```ts
 * import { createClient } from '@public-api/client'
 *
 * const client = createClient({
 *   baseUrl: 'https://api.example.org',
 *   pinnedKeyIds: ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'],
 * })
 * const { data } = await client.status()
 * console.log(data.state)
 * ```
 */
export function createClient(options: ClientOptions): Client {
  return createOriginClient(options, openCopies)
}
