import { READ_PATHS } from '../../../src/contract/read-paths.ts'
import { freshTarget } from './fresh-target.ts'
import type { HttpResponse, Expectations, VerifiedResponse } from './verify-response.ts'
import { verifyResponse } from './verify-response.ts'
import { verifyKeyDocument } from './signing-keys.ts'
import { VerificationError, type VerificationFault } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'

/** Holds the keys of one service, loads them when they are needed, and once more when they may have changed. */
export interface TrustedKeys {
  /** The keys that were loaded last; loads them the first time. */
  current(): Promise<readonly VerificationKey[]>
  /** `verifyResponse` with these keys. Where no known key fits, the key document is loaded again, once. */
  verify(response: HttpResponse): Promise<VerifiedResponse>
}

/** Where keys come from, and what they are held against. */
export interface TrustedKeysParts {
  /** Fetches the signing-key document from this target. */
  readonly fetchDocument: (target: string) => Promise<HttpResponse>
  /** Left out: the keys of the first document are trusted, and later ones that they sign for. */
  readonly pinnedKeyIds: readonly string[] | undefined
  readonly expectations: () => Omit<Expectations, 'keys' | 'pinnedKeyIds'>
}

/** Whether a newer key document may settle a fault: a cache may hold one of before a change of keys. */
export function mayBeNewKey(fault: VerificationFault): boolean {
  return /^(SIGNATURE|REVALIDATION|UNKNOWN_KEY|KEY_PERIOD)$/.test(fault)
}

/** Lets pass what a newer key document may settle, and throws everything else. */
function requireMaybeNewKey(error: unknown): void {
  if (!(error instanceof VerificationError && mayBeNewKey(error.code))) throw error
}

/** Makes the holder of a service's keys. */
export function createTrustedKeys({
  fetchDocument,
  pinnedKeyIds,
  expectations,
}: TrustedKeysParts): TrustedKeys {
  let trusted = pinnedKeyIds
  let held: Promise<readonly VerificationKey[]> | undefined

  async function load(target: string): Promise<readonly VerificationKey[]> {
    const document = await fetchDocument(target)
    const { keys } = await verifyKeyDocument({
      ...document,
      ...expectations(),
      pinnedKeyIds: trusted,
    })
    // Without pins, what a trusted key signed extends the trust: so a key that was announced can take over.
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

  /** Calls at the same time share one load; one that failed is not kept. */
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
        // Another call may have loaded it again meanwhile.
        const renewed = await (held === known ? hold(loadFresh()) : current())
        return check(response, renewed)
      }
    },
  }
}
