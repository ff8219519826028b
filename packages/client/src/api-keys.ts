import { READ_PATHS } from '#contract/registry/read-paths'
import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import type { Client } from './client.ts'
import { freshTarget } from './fresh-target.ts'
import { postJson, type WriteOptions } from './post-json.ts'
import type { IssuedKey, KeyMetadata, KeyRequest, RevokedKey } from './resources.ts'
import type { Verified } from './verified.ts'

/** Options of a request about one API key. */
export interface ApiKeyOptions extends WriteOptions {
  /** The key, sent as a bearer token. The client's own `apiKey` is not used. */
  readonly apiKey: string
}

const KEYS_PATH = READ_PATHS.keySelf.replace('/self', '')

/**
 * Creates an API key and verifies the response. `data.key` is in no other response: store it, and not `response`. The request
 * carries no API key and is sent once. A key whose response was lost cannot be used; it expires.
 *
 * Throws an ApiResponseError if the service refused (`KEYS_UNAVAILABLE` while issuance is paused), a VerificationError if
 * the response must not be trusted, a ConnectionError if no complete response was received, or the signal's reason.
 *
 * @example
 * ```ts
 * import { createClient } from '@public-api/client'
 * import { createKey } from '@public-api/client/write'
 *
 * const client = createClient({ baseUrl: 'https://api.example.org', pinnedKeyIds: ['kPrK_qmx…'] })
 * const { data } = await createKey(client, { challengeToken, label: 'ci-mirror', ttlDays: 30 })
 * console.log(data.keyId, 'expires', data.expiresAt)
 * ```
 */
export async function createKey(
  client: Client,
  request: KeyRequest,
  options: WriteOptions = {},
): Promise<Verified<IssuedKey>> {
  return (await postJson(client, KEYS_PATH, request, options)) as Verified<IssuedKey>
}

/**
 * Reads the metadata and the remaining quota of an API key. Sent once, and it counts against the key's quota. Throws what
 * `createKey` throws; an ApiResponseError has the code `KEY_INVALID` or `KEY_EXPIRED` if the key is refused, and a TypeError
 * means that `apiKey` cannot be sent.
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
