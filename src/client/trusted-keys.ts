import type { Answer, Expectations, VerifiedResponse } from './verify-response.ts'
import { verifyResponse } from './verify-response.ts'
import { verifyKeyDocument } from './signing-keys.ts'
import { VerificationError } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'

/** Holds the keys of one service, loads them when they are needed, and once more when they may have changed. */
export interface TrustedKeys {
  /** The keys that were loaded last; loads them the first time. */
  current(): Promise<readonly VerificationKey[]>
  /** `verifyResponse` with these keys. Where no known key fits, the key document is loaded again, once. */
  verify(answer: Answer): Promise<VerifiedResponse>
}

/** Where keys come from, and what they are held against. */
export interface TrustedKeysParts {
  /** Fetches the signing-key document; `fresh` asks for one that no cache made. */
  readonly fetchDocument: (fresh: boolean) => Promise<Answer>
  /** Left out: the keys of the first document are trusted, and later ones that they sign for. */
  readonly pinnedKeyIds: readonly string[] | undefined
  readonly expectations: () => Omit<Expectations, 'keys' | 'pinnedKeyIds'>
}

const MAY_BE_A_NEW_KEY = /^(SIGNATURE|REVALIDATION|UNKNOWN_KEY|PINNED_KEY_ABSENT|KEY_PERIOD)$/

/** Lets pass what a newer key document may settle, and throws everything else. */
function requireMaybeNewKey(error: unknown): void {
  if (!(error instanceof VerificationError && MAY_BE_A_NEW_KEY.test(error.code))) throw error
}

/** Makes the holder of a service's keys. */
export function createTrustedKeys({
  fetchDocument,
  pinnedKeyIds,
  expectations,
}: TrustedKeysParts): TrustedKeys {
  let trusted = pinnedKeyIds
  let held: Promise<readonly VerificationKey[]> | undefined

  async function load(fresh: boolean): Promise<readonly VerificationKey[]> {
    const document = await fetchDocument(fresh)
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

  function check(answer: Answer, keys: readonly VerificationKey[]): Promise<VerifiedResponse> {
    return verifyResponse({ ...answer, ...expectations(), pinnedKeyIds: trusted, keys })
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
    // A cache may hold a document of before a change of keys.
    return hold(
      load(false).catch((error: unknown) => {
        requireMaybeNewKey(error)
        return load(true)
      }),
    )
  }

  return {
    current,
    async verify(answer) {
      const known = current()
      const keys = await known
      try {
        return await check(answer, keys)
      } catch (error) {
        requireMaybeNewKey(error)
        // Another call may have loaded it again meanwhile.
        const renewed = await (held === known ? hold(load(true)) : current())
        return check(answer, renewed)
      }
    },
  }
}
