import { freshTarget } from '@public-api/client-internal/fresh-target'
import { formatSignedText } from '@public-api/contract/http/signature'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import type { Received } from '../verifying/requests.ts'
import type { Check } from './check.ts'
import type { Report } from './findings.ts'
import type { Observation, Survey } from './probe-deployment.ts'

const ASKED = [ENDPOINTS.status.path, ENDPOINTS.openapi.path]
const NEVER_ON_304 = [HEADERS.contentDigest, HEADERS.signedAt, HEADERS.signature, HEADERS.requestId]
const ALWAYS_ON_304 = [HEADERS.etag, HEADERS.cacheControl, HEADERS.vary]
const OTHER_ETAG = 'W/"of-something-else"'

/**
 * Whether the signature on a 304 belongs to a 200, because a cache created the 304 from its own copy. Varnish and nginx
 * do so even on a miss, because they remove If-None-Match from the request to the origin.
 */
async function hasProofOfCopy(
  { method, target, field }: Received,
  keys: Survey['keys'],
): Promise<boolean> {
  const contentDigest = field(HEADERS.contentDigest) ?? ''
  const signedAt = field(HEADERS.signedAt) ?? ''
  const text = formatSignedText({ method, target, status: 200, signedAt, contentDigest })
  const signature = field(HEADERS.signature) ?? ''
  for (const key of keys) if (await key.isSignatureOf(text, signature)) return true
  return false
}

/** Checks a 304. It must have a proof if no cache can have created it. */
async function inspect(
  response: Received,
  where: string,
  isFromOrigin: boolean,
  etag: string,
  plain: Observation,
  { keys, verify }: Survey,
  report: Report,
): Promise<void> {
  const signed = NEVER_ON_304.filter((name) => response.field(name) !== undefined)
  const isFromCopy = signed.length > 0 && (await hasProofOfCopy(response, keys))
  if (isFromCopy) report('not-modified-from-cache', where, signed.join(', '))
  else if (signed.length > 0) report('not-modified-signed', where, signed.join(', '))
  // Another check reports a header that is missing everywhere.
  const missing = ALWAYS_ON_304.filter(
    (name) => response.field(name) === undefined && plain.response.field(name) !== undefined,
  )
  if (missing.length > 0) report('not-modified-headers', where, `no ${missing.join(', no ')}`)
  if (keys.length === 0) return
  const proof = response.field(HEADERS.revalidated)
  if (proof === undefined) {
    if (isFromOrigin && !isFromCopy)
      report('not-modified-unproved', where, `no ${HEADERS.revalidated}`)
    return
  }
  // Another check also reports a wrong or missing signature or ETag.
  if (plain.verification.fault !== undefined || plain.response.field(HEADERS.etag) !== etag) return
  const { fault } = await verify(response)
  const found = response.field(HEADERS.etag)
  if (found !== undefined && found !== etag) {
    report('not-modified-proof-wrong', where, `${found}, asked for ${etag}`)
  } else if (found !== undefined && fault !== undefined) {
    // The proof of a cached response may be too old.
    const isOld = !isFromOrigin && fault === 'STALE'
    if (!isOld) report('not-modified-proof-wrong', where, fault)
  }
}

/** Checks that a stored response can be renewed, and that the renewal is proved. */
export const checkRevalidation: Check = async (survey, report) => {
  const { of, probe, verify } = survey
  let isChecked = false
  for (const target of ASKED) {
    const plain = of(target)
    if (plain === undefined || !plain.isAsPromised) continue
    const etag = plain.verification.verified?.etag ?? plain.response.field(HEADERS.etag)
    if (etag === undefined) continue
    isChecked = true
    for (const [asked, note] of [
      [freshTarget(target), 'from the origin'],
      [target, 'as caches have it'],
    ] as const) {
      const where = `GET ${target} (If-None-Match, ${note})`
      const response = await probe.ask({
        method: 'GET',
        target: asked,
        headers: { [HEADERS.ifNoneMatch]: etag },
      })
      if (response.status === 304) {
        await inspect(response, where, asked !== target, etag, plain, survey, report)
      } else if (
        response.status === 200 &&
        (await verify(response)).fault === plain.verification.fault
      ) {
        report('revalidation-whole', where, 'status 200 with the whole response')
      } else report('revalidation-ignored', where, `status ${response.status}`)
    }
    const where = `GET ${target} (If-None-Match of other data)`
    const headers = { [HEADERS.ifNoneMatch]: OTHER_ETAG }
    const other = await probe.ask({ method: 'GET', target, headers })
    if (other.status !== 200) report('revalidation-wrong', where, `status ${other.status}`)
  }
  return isChecked ? undefined : 'no response has an ETag'
}
