import { READ_PATHS } from '#contract/registry/read-paths'
import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import type { Client } from './client.ts'
import { freshTarget } from './fresh-target.ts'
import type { WriteOptions } from './post-json.ts'
import type { KeyMetadata, RevokedKey } from './resources.ts'
import type { Verified } from './verified.ts'

/** Options of a request about one API key. */
export interface ApiKeyOptions extends WriteOptions {
  /** The key, sent as a bearer token. The client's own `apiKey` is not used. */
  readonly apiKey: string
}

/**
 * Reads the metadata and the remaining quota of an API key. Sent once, and it counts against the key's quota.
 *
 * Throws an ApiResponseError with the code `KEY_INVALID` or `KEY_EXPIRED` if the key is refused, a VerificationError if the
 * response must not be trusted, a ConnectionError if no complete response was received, a TypeError if `apiKey` cannot be
 * sent, or the signal's reason.
 *
 * @example
 * ```ts
 * import { keySelf } from '@public-api/client/write'
 *
 * const { data } = await keySelf(client, { apiKey })
 * console.log(data.quota.remaining)
 * ```
 */
export async function keySelf(
  client: Client,
  options: ApiKeyOptions,
): Promise<Verified<KeyMetadata>> {
  return (await requestSelf(client, options, 'GET')) as Verified<KeyMetadata>
}

/**
 * Revokes an API key permanently, from the next request on. Sent once: after a ConnectionError the key may be revoked, and
 * `keySelf` then fails with `KEY_INVALID`. Throws what `keySelf` throws.
 *
 * @example
 * ```ts
 * import { revokeKeySelf } from '@public-api/client/write'
 *
 * const { data } = await revokeKeySelf(client, { apiKey })
 * console.log(data.keyId, 'revoked at', data.revokedAt)
 * ```
 */
export async function revokeKeySelf(
  client: Client,
  options: ApiKeyOptions,
): Promise<Verified<RevokedKey>> {
  return (await requestSelf(client, options, 'DELETE')) as Verified<RevokedKey>
}

async function requestSelf(
  client: Client,
  { apiKey, signal }: ApiKeyOptions,
  method: string,
): Promise<Verified<unknown>> {
  // The key is never quoted; fetch would quote it.
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError('apiKey: expected visible ASCII')
  await client.keys()
  signal?.throwIfAborted()
  const headers = { [CLIENT_HEADERS.authorization]: `Bearer ${apiKey}` }
  return client.request(freshTarget(READ_PATHS.keySelf), headers, signal, method)
}
