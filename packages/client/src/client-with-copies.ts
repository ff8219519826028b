import type { ClientOptions } from './client-options.ts'
import { createClient as createOriginClient, type Client } from './client.ts'
import type { Copies } from './copies/copies.ts'
import type { CopySettings } from './copies/copy-settings.ts'

/** Opens copies by a module that only their users load. */
function openLoaded(settings: CopySettings): Copies {
  // Loaded now: later, it could come from an origin that is away.
  const opening = import('./copies/copies.ts').then(({ openCopies }) => openCopies(settings))
  // Each call below handles its failure.
  opening.catch(() => undefined)
  return {
    read: async (...asked) => (await opening).read(...asked),
    readArchived: async (...asked) => (await opening).readArchived(...asked),
    save: async (...proved) => {
      try {
        return await (await opening).save(...proved)
      } catch (error) {
        return [`STORE: not saved: ${String(error)}`]
      }
    },
  }
}

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
  return createOriginClient(options, openLoaded)
}
