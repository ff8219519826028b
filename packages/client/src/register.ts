import { READ_PATHS } from '#contract/registry/read-paths'
import { ApiResponseError } from './api-response-error.ts'
import type { Client } from './client.ts'
import { postJson, type WriteOptions } from './post-json.ts'
import type { Registration, RegistrationResult } from './resources.ts'
import type { Verified } from './verified.ts'

/** The address was added to the list. */
export interface NewRegistration extends Verified<RegistrationResult> {
  /** The address waits on the list; `data` has its ticket. */
  readonly outcome: 'WAITING'
}

/** The address was on the list already. Nothing changed. */
export interface DuplicateRegistration extends Pick<
  ApiResponseError,
  'requestId' | 'rateLimit' | 'response'
> {
  /** The address was on the list already. */
  readonly outcome: 'DUPLICATE'
}

/**
 * Registers an email address for the waitlist and verifies the response. `outcome` is `WAITING`, with the ticket in `data`,
 * or `DUPLICATE` if the address is on the list already. The request carries no API key and is sent once. After a
 * ConnectionError or a VerificationError the address may be registered: another call with a new challenge token then gives
 * `DUPLICATE`.
 *
 * Throws an ApiResponseError if the service refused the registration, a VerificationError if the response must not be
 * trusted, a ConnectionError if no complete response was received, or the signal's reason.
 *
 * @example
 * ```ts
 * import { createClient } from '@public-api/client'
 * import { register } from '@public-api/client/write'
 *
 * const client = createClient({ baseUrl: 'https://api.example.org', pinnedKeyIds: ['kPrK_qmx…'] })
 * const result = await register(client, {
 *   email: 'reader@example.org',
 *   consent: true,
 *   challengeToken: 'from the solved challenge',
 * })
 * console.log(result.outcome === 'WAITING' ? result.data.ticket : 'already on the list')
 * ```
 */
export async function register(
  client: Client,
  registration: Registration,
  options: WriteOptions = {},
): Promise<NewRegistration | DuplicateRegistration> {
  try {
    const path = `${READ_PATHS.earlyAccess}/register`
    const result = await postJson(client, path, registration, options)
    return { ...(result as Verified<RegistrationResult>), outcome: 'WAITING' }
  } catch (error) {
    if (!(error instanceof ApiResponseError) || error.code !== 'DUPLICATE') throw error
    const { requestId, rateLimit, response } = error
    return { outcome: 'DUPLICATE', requestId, rateLimit, response }
  }
}
