import { createPublicKey, verify } from 'node:crypto'
import { verifySignature } from 'http-message-sig'
import { httpbis } from 'http-message-signatures'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { TEST_SIGNING_KEY } from './running-app.ts'

export const COMPONENTS = '("@method";req "@target-uri";req "@status" "content-digest")'
/** A value of Accept-Signature that the service honors. */
export const ASKED = `svc=${COMPONENTS};created;expires;tag="svc-response"`
const PUBLIC_KEY = createPublicKey(TEST_SIGNING_KEY)
export const { keyId: KEY_ID } = derivePublicSigningKey(TEST_SIGNING_KEY)

const check = (data: Uint8Array, signature: Uint8Array): boolean =>
  verify(null, data, PUBLIC_KEY, signature)

/** A response, and the request as the client sent it. */
export interface Exchanged {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly headers: Record<string, string>
  readonly nowMs: number
}

/** What http-message-signatures says; false for every error. It reads the clock of the system. */
async function firstVerdict(exchanged: Exchanged): Promise<boolean> {
  const { method, url, status, headers, nowMs } = exchanged
  const isVerified = await httpbis
    .verifyMessage(
      {
        keyLookup: (parameters) =>
          Promise.resolve(
            parameters.keyid === KEY_ID
              ? { id: KEY_ID, algs: ['ed25519'], verify: (d, s) => Promise.resolve(check(d, s)) }
              : null,
          ),
        requiredFields: ['@method', '@target-uri', '@status', 'content-digest'],
        notAfter: new Date(nowMs),
        maxAge: 900,
      },
      { status, headers },
      { method, url, headers: {} },
    )
    .catch(() => false)
  return isVerified === true
}

/** What http-message-sig says; false for every error. */
export async function stockVerdict(exchanged: Exchanged): Promise<boolean> {
  const { method, url, status, headers, nowMs } = exchanged
  const fields = Object.entries(headers).map(([name, value]) => ({ name, value }))
  return verifySignature(
    {
      kind: 'response',
      status,
      fields,
      request: { kind: 'request', method, targetUri: url, fields: [] },
    },
    {
      policy: {
        algorithms: ['ed25519'],
        requiredComponents: ['@status', 'content-digest'],
        requiredParameters: ['created', 'expires', 'keyid', 'tag'],
        maxAge: 900,
        now: Math.floor(nowMs / 1000),
      },
      resolveVerifier: () => ({ algorithm: 'ed25519', verify: check }),
    },
  ).then(
    () => true,
    () => false,
  )
}

/** What each of two libraries says. */
export async function verdicts(exchanged: Exchanged): Promise<readonly boolean[]> {
  return [await firstVerdict(exchanged), await stockVerdict(exchanged)]
}
