import { formatRevalidated, formatRevalidationText } from '@public-api/contract/http/signature'
import type { ResponseSigner } from '../crypto/response-signer.ts'

/** Limits the memory that random queries can take. */
const MAX_PROOFS = 1024

/** The values of X-SVC-Revalidated. One signature per second serves all revalidations of a target (decisions 3.4). */
export function createRevalidationProofs(
  signer: ResponseSigner,
): (method: string, target: string, etag: string, nowMs: number, signedAt: string) => string {
  const proofs = new Map<string, string>()
  let second = -1
  return (method, target, etag, nowMs, signedAt) => {
    const current = Math.floor(nowMs / 1000)
    if (current !== second || proofs.size >= MAX_PROOFS) {
      proofs.clear()
      second = current
    }
    const asked = `${method} ${target} ${etag}`
    const known = proofs.get(asked)
    if (known !== undefined) return known
    const text = formatRevalidationText({ method, target, signedAt, etag })
    const proof = formatRevalidated(signedAt, signer.sign(text))
    proofs.set(asked, proof)
    return proof
  }
}
