import { ENDPOINTS } from '../../../../src/contract/endpoints.ts'
import { errorOf } from '../../../../src/contract/errors.ts'
import { HEADERS } from '../../../../src/contract/headers.ts'
import type { Received } from '../verifying/requests.ts'
import type { Check } from './check.ts'
import type { FindingId } from './finding-catalog.ts'
import type { Report } from './findings.ts'
import type { Judged, Observed, Survey } from './survey.ts'

/** What the key document of a deployment that does not sign contains. */
const SIGNING_OFF = 'SIGNING_UNAVAILABLE'

/** How an ETag differs from the one that the data has. */
export function etagFault(
  found: string | undefined,
  expected: string,
): 'etag-missing' | 'etag-strong' | 'etag-changed' | undefined {
  if (found === undefined) return 'etag-missing'
  if (found === expected) return undefined
  return `W/${found}` === expected ? 'etag-strong' : 'etag-changed'
}

/** The ETag that the data of a response has, if the response is valid except for the ETag that came with it. */
export async function etagOfData(
  response: Received,
  judged: Judged,
  judge: Survey['judge'],
): Promise<string | undefined> {
  if (judged.fault !== 'ETAG') return judged.verified?.etag
  const headers = response.headers.filter(
    ([name]) => name.toLowerCase() !== HEADERS.etag.toLowerCase(),
  )
  return (await judge({ ...response, headers })).verified?.etag
}

/** Which header of the signature is not there. */
function droppedOf({ field }: Received): 'digest-dropped' | 'signature-dropped' {
  const hasSignature =
    field(HEADERS.signedAt) !== undefined && field(HEADERS.signature) !== undefined
  return hasSignature ? 'digest-dropped' : 'signature-dropped'
}

async function reportOne(
  { where, row, response, judged, code }: Observed,
  { judge }: Survey,
  areAllWrong: boolean,
  report: Report,
): Promise<void> {
  const tell = (id: FindingId, found: string) => report(id, where, found)
  const signedAt = response.field(HEADERS.signedAt) ?? 'no time'
  switch (judged.fault) {
    case undefined:
      break
    case 'UNSIGNED':
      return tell(droppedOf(response), 'not there')
    case 'DIGEST':
      return tell('body-changed', `${response.body.length} bytes with another SHA-256`)
    case 'SIGNATURE':
      if (!areAllWrong) tell('signature-wrong', 'the signature fits no published key')
      return undefined
    case 'KEY_PERIOD':
      return tell('key-period', `signed at ${signedAt}`)
    case 'FUTURE':
      return tell('signed-in-future', `signed at ${signedAt}`)
    case 'STALE':
    case 'REVALIDATION':
      return tell('answer-too-old', `signed at ${signedAt}`)
    case 'REQUEST_ID':
      return tell('request-id-wrong', response.field(HEADERS.requestId) ?? '')
    case 'ETAG':
      break
    case 'KEY_MALFORMED':
    case 'UNKNOWN_KEY':
    case 'MALFORMED':
      return tell('signature-wrong', `signed at ${signedAt}`)
  }
  if (code !== undefined || row?.success === undefined) return undefined
  const expected = await etagOfData(response, judged, judge)
  const found = response.field(HEADERS.etag)
  const fault = expected === undefined ? undefined : etagFault(found, expected)
  if (fault !== undefined) tell(fault, `${found ?? 'no ETag'}, expected ${expected}`)
  return undefined
}

/** Whether each response is signed, errors included, and its parts fit each other. */
export const checkSignatures: Check = async (survey, report) => {
  const { observed, isSigningOff, keys } = survey
  if (isSigningOff) {
    const { status } = errorOf(SIGNING_OFF)
    report('signing-off', `GET ${ENDPOINTS.signingKey.path}`, `${status} ${SIGNING_OFF}`)
    return undefined
  }
  if (keys.length === 0) return 'there is no key to check with'
  const promised = observed.filter(({ isAsPromised, isChanged }) => isAsPromised || isChanged)
  const signed = promised.filter(({ judged }) => judged.fault !== 'UNSIGNED')
  // The key document may verify by itself: a machine with the wrong key signs it with that key.
  const others = signed.filter(({ row }) => row?.path !== ENDPOINTS.signingKey.path)
  const areAllWrong =
    others.length > 0 && others.every(({ judged }) => judged.fault === 'SIGNATURE')
  if (areAllWrong) {
    report(
      'key-mismatch',
      'every response',
      `none is signed by ${keys.map(({ keyId }) => keyId).join(', ')}`,
    )
  }
  for (const each of promised) await reportOne(each, survey, areAllWrong, report)
  return undefined
}
