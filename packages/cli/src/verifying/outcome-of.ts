import type { HttpResponse } from '@public-api/client-internal/http-response'
import { describeRetiredPin, retiredPinIn } from '@public-api/client-internal/retired-pin'
import { VerificationError } from '@public-api/client-internal/verification-error'
import type { VerificationKey } from '@public-api/client-internal/verification-key'
import type { Verification } from '@public-api/client-internal/verify-response'
import type { Address } from './address.ts'

/** A response with the result of its check. */
export type VerifyOutcome = Awaited<ReturnType<typeof outcomeOf>>

/** The result of a check that may fail. `known` are the keys of a file, if one was given. */
export async function outcomeOf(
  response: HttpResponse,
  {
    address,
    pinnedKeyIds,
  }: { readonly address: Address; readonly pinnedKeyIds?: readonly string[] | undefined },
  nowMs: number,
  checking: Promise<Verification>,
  known: readonly VerificationKey[] = [],
) {
  /** URL of the request; only its target for a saved response without one. */
  const url = `${address.origin}${address.target}`
  const about = { response, url, isPinned: pinnedKeyIds !== undefined, nowMs }
  try {
    return { ...about, ...(await checking), failure: undefined, retiredPin: undefined }
  } catch (failure) {
    if (!(failure instanceof VerificationError)) throw failure
    const retiredPin =
      retiredPinIn(known, failure, nowMs, 'the key file') ??
      (await describeRetiredPin(failure, nowMs))
    return { ...about, steps: failure.steps ?? [], verified: undefined, failure, retiredPin }
  }
}
