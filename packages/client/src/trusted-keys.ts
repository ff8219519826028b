import { READ_PATHS } from '#contract/registry/read-paths'
import { freshTarget } from './fresh-target.ts'
import type { HttpResponse, Expectations, VerifiedResponse } from './verify-response.ts'
import { verifyResponse } from './verify-response.ts'
import { verifyKeyDocument } from './signing-keys.ts'
import { VerificationError, type VerificationFault } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'

/** The keys of one service, loaded when first needed and again when they may have changed. */
export interface TrustedKeys {
  /** The keys that were loaded last; loads them the first time. */
  current(): Promise<readonly VerificationKey[]>
  /** `verifyResponse` with these keys. If no known key matches, the key document is loaded once more. */
  verify(response: HttpResponse): Promise<VerifiedResponse>
}

/** Source of the keys, and the settings of their verification. */
export interface TrustedKeysOptions {
  /** Fetches the signing-key document from this target. */
  readonly fetchDocument: (target: string) => Promise<HttpResponse>
  /** If undefined, trusts the keys of the first document, and later keys in documents that they sign. */
  readonly pinnedKeyIds: readonly string[] | undefined
  readonly expectations: () => Omit<Expectations, 'keys' | 'pinnedKeyIds'>
}

/** Whether a newer key document may resolve a fault, because a cache may have an old document. */
export function mayBeNewKey(fault: VerificationFault): boolean {
  return /^(SIGNATURE|REVALIDATION|UNKNOWN_KEY|KEY_PERIOD)$/.test(fault)
}

/** Rethrows every error that a newer key document cannot resolve. */
function requireMaybeNewKey(error: unknown): void {
  if (!(error instanceof VerificationError && mayBeNewKey(error.code))) throw error
}

export function createTrustedKeys({
  fetchDocument,
  pinnedKeyIds,
  expectations,
}: TrustedKeysOptions): TrustedKeys {
  let trusted = pinnedKeyIds
  let held: Promise<readonly VerificationKey[]> | undefined

  async function load(target: string): Promise<readonly VerificationKey[]> {
    const document = await fetchDocument(target)
    const { keys } = await verifyKeyDocument({
      ...document,
      ...expectations(),
      pinnedKeyIds: trusted,
    })
    // Without pins, a document signed by a trusted key extends the trust, so an announced key can take over.
    if (pinnedKeyIds === undefined) {
      trusted = [...new Set([...(trusted ?? []), ...keys.map(({ keyId }) => keyId)])]
    }
    return keys
  }

  function loadFresh(): Promise<readonly VerificationKey[]> {
    return load(freshTarget(READ_PATHS.signingKey))
  }

  function check(
    response: HttpResponse,
    keys: readonly VerificationKey[],
  ): Promise<VerifiedResponse> {
    return verifyResponse({ ...response, ...expectations(), pinnedKeyIds: trusted, keys })
  }

  /** Concurrent calls share one load; a failed one is not cached. */
  function hold(loading: Promise<readonly VerificationKey[]>): typeof loading {
    const before = held
    held = loading
    loading.catch(() => {
      if (held === loading) held = before
    })
    return loading
  }

  function current(): Promise<readonly VerificationKey[]> {
    if (held !== undefined) return held
    return hold(
      load(READ_PATHS.signingKey).catch((error: unknown) => {
        requireMaybeNewKey(error)
        return loadFresh()
      }),
    )
  }

  return {
    current,
    async verify(response) {
      const known = current()
      const keys = await known
      try {
        return await check(response, keys)
      } catch (error) {
        requireMaybeNewKey(error)
        // Another call may have reloaded the document in the meantime.
        const renewed = await (held === known ? hold(loadFresh()) : current())
        return check(response, renewed)
      }
    },
  }
}
