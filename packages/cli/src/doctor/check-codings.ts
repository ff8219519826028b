import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import type { Received } from '../verifying/requests.ts'
import { etagFault } from './check-signatures.ts'
import type { Check } from './check.ts'
import type { Report } from './findings.ts'
import { listOf } from './header-lists.ts'
import type { Observation, Survey } from './probe-deployment.ts'

const ASKED = [ENDPOINTS.status.path, ENDPOINTS.openapi.path]
const CODINGS = ['gzip', 'br']
const SIGNATURE_HEADERS = [HEADERS.contentDigest, HEADERS.signedAt, HEADERS.signature]

async function inspect(
  response: Received,
  where: string,
  plain: Observation,
  survey: Survey,
  report: Report,
): Promise<void> {
  if (!response.isDecoded) {
    report('coding-broken', where, `Content-Encoding: ${response.coding ?? ''}`)
    return
  }
  if (response.coding !== undefined) {
    const vary = listOf(response.field(HEADERS.vary))
    if (!vary.includes('accept-encoding') && !vary.includes('*')) {
      report('coding-vary', where, `Vary: ${response.field(HEADERS.vary) ?? ''}`)
    }
  }
  // A fault that also occurs without compression is not caused by it.
  if (survey.keys.length === 0 || plain.verification.fault !== undefined) return
  const verification = await survey.verify(response)
  const dropped = SIGNATURE_HEADERS.filter((name) => response.field(name) === undefined)
  if (dropped.length > 0) report('coding-headers', where, `no ${dropped.join(', no ')}`)
  else if (verification.fault === 'DIGEST' || verification.fault === 'SIGNATURE') {
    report('coding-body', where, verification.fault)
  } else {
    const expected = verification.verified?.etag
    const found = response.field(HEADERS.etag)
    const isRightPlain = plain.response.field(HEADERS.etag) === plain.verification.verified?.etag
    if (expected !== undefined && isRightPlain && etagFault(found, expected) !== undefined) {
      report('coding-etag', where, `${found ?? 'no ETag'}, expected ${expected}`)
    }
  }
}

/** Checks that compression on the way preserves body, proof and ETag. */
export const checkCodings: Check = async (survey, report) => {
  const { observed, of, probe } = survey
  for (const { where, response } of observed) {
    if (response.coding !== undefined) {
      report(
        'coding-unrequested',
        where,
        `Content-Encoding: ${response.coding}, requested identity`,
      )
    }
  }
  for (const target of ASKED) {
    const plain = of(target)
    if (plain === undefined || !plain.isAsPromised || plain.response.coding !== undefined) continue
    for (const coding of CODINGS) {
      const where = `GET ${target} (${coding})`
      const response = await probe.ask({
        method: 'GET',
        target,
        headers: { 'Accept-Encoding': coding },
      })
      if (response.status !== plain.response.status) {
        report('unexpected-status', where, `${response.status}, expected ${plain.response.status}`)
      } else if (response.coding !== undefined && response.coding !== coding) {
        report('coding-unrequested', where, `Content-Encoding: ${response.coding}`)
      } else await inspect(response, where, plain, survey, report)
    }
  }
  return undefined
}
