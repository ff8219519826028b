import { READ_PATHS } from '#contract/registry/read-paths'
import { freshTarget } from './fresh-target.ts'
import type { HttpResponse } from './http-response.ts'
import { isOutage } from './outage.ts'
import { verifyKeyDocument } from './signing-keys.ts'
import { VerificationError } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'
import { type Expectations, type VerifiedResponse, verifyResponse } from './verify-response.ts'

/** An announced key is known after this time, if it does not sign before. */
const RELOAD_AFTER_MS = 24 * 3_600_000

/** Failures that a newer key document may resolve, because a cache may have an old document. */
const MAY_BE_NEW_KEY = /^(SIGNATURE|REVALIDATION|UNKNOWN_KEY|KEY_PERIOD)$/

/**
 * Verifies something with the known keys and, if a newer key document may resolve its failure, once more with a
 * document that no cache has. `byFreshDocument` gets the target of that document and the first failure.
 */
export async function withNewerKeys<T>(
  byKnownKeys: () => Promise<T>,
  byFreshDocument: (target: string, failure: VerificationError) => Promise<T>,
): Promise<T> {
  try {
    return await byKnownKeys()
  } catch (error) {
    if (!(error instanceof VerificationError && MAY_BE_NEW_KEY.test(error.code))) throw error
    try {
      return await byFreshDocument(freshTarget(READ_PATHS.signingKey), error)
    } catch (later) {
      // A response was received and does not verify. That is not an outage.
      throw isOutage(later) ? error : later
    }
  }
}

/**
 * The keys of one service, loaded when first needed and again when they may have changed. Without pins, the keys of the first
 * document are trusted, and later keys in documents that they sign, of which one is loaded each day. `fetchDocument` gets the target of the document.
 */
export function createTrustedKeys(
  pinnedKeyIds: readonly string[] | undefined,
  expectations: () => Omit<Expectations, 'keys' | 'pinnedKeyIds'>,
  fetchDocument: (target: string) => Promise<HttpResponse>,
) {
  let trusted = pinnedKeyIds
  let newest: HttpResponse | undefined
  let loaded: Promise<readonly VerificationKey[]> | undefined
  let loadedAtMs: number

  async function load(target: string): Promise<readonly VerificationKey[]> {
    const document = await fetchDocument(target)
    const { keys } = await verifyKeyDocument({
      ...document,
      ...expectations(),
      pinnedKeyIds: trusted,
    })
    // Without pins, a document signed by a trusted key extends the trust, so an announced key can take over.
    trusted = pinnedKeyIds ?? [...new Set([...(trusted ?? []), ...keys.map(({ keyId }) => keyId)])]
    newest = document
    return keys
  }

  function check(
    response: HttpResponse,
    keys: readonly VerificationKey[],
  ): Promise<VerifiedResponse> {
    return verifyResponse({ ...response, ...expectations(), pinnedKeyIds: trusted, keys })
  }

  /** Concurrent calls share one load; a failed one is not cached. */
  function share(loading: Promise<readonly VerificationKey[]>): typeof loading {
    const before = loaded
    loaded = loading
    loading.catch(() => {
      if (loaded === loading) loaded = before
    })
    return loading
  }

  function current(): Promise<readonly VerificationKey[]> {
    const known = loaded
    const { nowMs } = expectations()
    // Pinned keys need no announcement.
    if (known && (pinnedKeyIds || nowMs - loadedAtMs < RELOAD_AFTER_MS)) return known
    loadedAtMs = nowMs
    const loading = withNewerKeys(() => load(READ_PATHS.signingKey), load)
    // Without a newer document, the known keys stay in use.
    return share(loading.catch(known && (() => known)))
  }

  return {
    current,
    /** IDs of the keys to trust; undefined while none is pinned or loaded. */
    trusted: () => trusted,
    /** The key document that was verified last. */
    document: () => newest,
    /** If no known key matches, the key document is loaded once more. */
    async verify(response: HttpResponse): Promise<VerifiedResponse> {
      const known = current()
      const keys = await known
      return withNewerKeys(
        () => check(response, keys),
        // Another call may have reloaded the document in the meantime.
        async (target) =>
          check(response, await (loaded === known ? share(load(target)) : current())),
      )
    },
  }
}
