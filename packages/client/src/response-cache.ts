import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import type { HttpResponse } from './http-response.ts'
import { rateLimitOf } from './rate-limit.ts'
import { VerificationError } from './verification-error.ts'
import type { Verified } from './verified.ts'
import type { VerifiedResponse } from './verify-response.ts'

/** Maximum number of responses stored for revalidation: every endpoint once, and some versions. */
const MAX_STORED = 64
/** Maximum size of their bodies. An honest service has less than 1 MB. */
const MAX_STORED_BYTES = 4_000_000

/** What the cache of a client needs of it. */
interface Source {
  /** Sends a GET with the client's credentials. Rejects with a ConnectionError. */
  send(
    target: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse>
  /** The verified data of a response. Rejects with the service's signed refusal. */
  resultOf(response: HttpResponse): Promise<Verified<unknown>>
  /** Verifies a response with the client's keys. Rejects with a VerificationError. */
  verify(response: HttpResponse): Promise<VerifiedResponse>
  /** Whether what was proved at a time needs no new proof. */
  isFresh(provedAtMs: number): boolean
}

/** Creates the verified responses that a client keeps, and renews by a 304. */
export function createResponseCache({ send, resultOf, verify, isFresh }: Source) {
  const stored = new Map<string, Verified<unknown>>()

  /** The stored response, if the 304 proves it or if it is still fresh; else undefined. */
  async function renewed(
    before: Verified<unknown>,
    notModified: HttpResponse,
  ): Promise<Verified<unknown> | undefined> {
    try {
      const { keyId, provedAtMs, warnings } = await verify(notModified)
      const rateLimit = rateLimitOf(notModified.headers)
      return { ...before, keyId, provedAtMs, warnings, rateLimit }
    } catch (error) {
      // A cache may send a 304 itself, without a proof.
      if (!(error instanceof VerificationError)) throw error
    }
    return isFresh(before.provedAtMs) ? before : undefined
  }

  return {
    /** The result, and the response that proves it: another one, a 304, or none if the stored result is still fresh. */
    async read(
      target: string,
      signal: AbortSignal | undefined,
    ): Promise<readonly [Verified<unknown>, proof?: HttpResponse]> {
      const before = stored.get(target)
      const ifChanged = before && { [CLIENT_HEADERS.ifNoneMatch]: before.etag }
      let response = await send(target, { ...ifChanged }, signal)
      if (before !== undefined && response.status === 304) {
        const result = await renewed(before, response)
        if (result !== undefined) return result === before ? [result] : [result, response]
        response = await send(target, {}, signal)
      }
      return [await resultOf(response), response]
    },

    /** Stores a result as the newest one, and drops the oldest ones beyond the bounds. */
    store(target: string, result: Verified<unknown>): void {
      stored.delete(target)
      stored.set(target, result)
      let bytes = 0
      for (const [index, [name, { response }]] of [...stored].toReversed().entries()) {
        bytes += response.body.length
        if (index >= MAX_STORED || bytes > MAX_STORED_BYTES) stored.delete(name)
      }
    },
  }
}
