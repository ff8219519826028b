import { ERRORS } from '@public-api/contract/errors/errors'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import { hasOtherDigest } from '../verifying/inconclusive-status.ts'
import type { Received } from '../verifying/requests.ts'
import type { Check } from './check.ts'
import type { FindingId } from './finding-catalog.ts'
import type { Report } from './findings.ts'
import type { Observation } from './probe-deployment.ts'

/** Error code of the key document of a deployment that does not sign. */
const SIGNING_OFF = 'SIGNING_UNAVAILABLE'

/** How an ETag differs from that of the data. */
export function etagFault(
  found: string | undefined,
  expected: string,
): 'etag-missing' | 'etag-strong' | 'etag-changed' | undefined {
  if (found === undefined) return 'etag-missing'
  if (found === expected) return undefined
  return `W/${found}` === expected ? 'etag-strong' : 'etag-changed'
}

/** The first missing signature header. */
function droppedOf({ field }: Received): 'digest-dropped' | 'signature-dropped' {
  const hasSignature =
    field(HEADERS.signedAt) !== undefined && field(HEADERS.signature) !== undefined
  return hasSignature ? 'digest-dropped' : 'signature-dropped'
}

function reportOne(
  { where, row, response, verification, code }: Observation,
  areAllWrong: boolean,
  report: Report,
): void {
  const reportHere = (id: FindingId, found: string) => report(id, where, found)
  const signedAt = response.field(HEADERS.signedAt) ?? 'no time'
  switch (verification.fault) {
    case undefined:
      break
    case 'UNSIGNED':
      return reportHere(droppedOf(response), 'not there')
    case 'DIGEST':
      if (hasOtherDigest(response.field(HEADERS.contentDigest))) {
        return reportHere('digest-changed', response.field(HEADERS.contentDigest) ?? '')
      }
      return reportHere('body-changed', `${response.body.length} bytes with another SHA-256`)
    case 'SIGNATURE':
      if (hasOtherDigest(response.field(HEADERS.contentDigest))) {
        return reportHere('digest-changed', response.field(HEADERS.contentDigest) ?? '')
      }
      if (!areAllWrong)
        reportHere('signature-wrong', 'the signature is not valid for any published key')
      return undefined
    case 'KEY_PERIOD':
      return reportHere('key-period', `signed at ${signedAt}`)
    case 'FUTURE':
      return reportHere('signed-in-future', `signed at ${signedAt}`)
    case 'STALE':
    case 'REVALIDATION':
      return reportHere('response-too-old', `signed at ${signedAt}`)
    case 'ETAG':
      return reportHere('etag-changed', 'an ETag of other data')
    case 'KEY_MALFORMED':
    case 'UNKNOWN_KEY':
    case 'MALFORMED':
      return reportHere('signature-wrong', `signed at ${signedAt}`)
  }
  if (verification.verified?.warnings.some((each) => each.startsWith('REQUEST_ID')) === true) {
    return reportHere('request-id-wrong', response.field(HEADERS.requestId) ?? '')
  }
  if (code !== undefined || row?.success === undefined) return undefined
  const expected = verification.verified?.etag
  const found = response.field(HEADERS.etag)
  const fault = expected === undefined ? undefined : etagFault(found, expected)
  if (fault !== undefined) reportHere(fault, `${found ?? 'no ETag'}, expected ${expected}`)
  return undefined
}

/** Checks that each response is signed, errors included, and consistent. */
export const checkSignatures: Check = async (survey, report) => {
  const { observed, isSigningOff, keys } = survey
  if (isSigningOff) {
    const { status } = ERRORS[SIGNING_OFF]
    report('signing-off', `GET ${ENDPOINTS.signingKey.path}`, `${status} ${SIGNING_OFF}`)
    return undefined
  }
  if (keys.length === 0) return 'no key is known'
  const promised = observed.filter(({ isAsPromised, isChanged }) => isAsPromised || isChanged)
  const signed = promised.filter(({ verification }) => verification.fault !== 'UNSIGNED')
  // The key document may be consistent in itself, because a machine with the wrong key signs it with that key.
  const others = signed.filter(({ row }) => row?.path !== ENDPOINTS.signingKey.path)
  const areAllWrong =
    others.length > 0 &&
    others.every(
      ({ verification, response }) =>
        verification.fault === 'SIGNATURE' &&
        !hasOtherDigest(response.field(HEADERS.contentDigest)),
    )
  if (areAllWrong) {
    report(
      'key-mismatch',
      'every response',
      `none is signed by ${keys.map(({ keyId }) => keyId).join(', ')}`,
    )
  }
  for (const each of promised) reportOne(each, areAllWrong, report)
  return undefined
}
