import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import type { Check } from './check.ts'

const ASKED = [ENDPOINTS.status.path, ENDPOINTS.openapi.path, ENDPOINTS.keySelf.path]
const NOT_ON_HEAD = [HEADERS.contentDigest, HEADERS.signedAt, HEADERS.signature, HEADERS.requestId]

/** Checks that HEAD gets the response of GET, without the body. */
export const checkHead: Check = async ({ of, probe }, report) => {
  for (const target of ASKED) {
    const get = of(target)
    if (get === undefined || !get.isAsPromised) continue
    const where = `HEAD ${target}`
    const head = await probe.ask({ method: 'HEAD', target })
    if (head.status !== get.response.status) {
      report('head-status', where, `${head.status}, GET has ${get.response.status}`)
      continue
    }
    const proof = NOT_ON_HEAD.filter((name) => head.field(name) !== undefined)
    if (proof.length > 0) report('head-proof', where, proof.join(', '))
    const [etag, ofGet] = [head.field(HEADERS.etag), get.response.field(HEADERS.etag)]
    // An ETag that is also wrong on GET is reported there.
    const isRightOnGet = ofGet !== undefined && ofGet === (get.verification.verified?.etag ?? ofGet)
    if (isRightOnGet && etag !== ofGet) {
      report('head-etag', where, `${etag ?? 'no ETag'}, GET has ${ofGet}`)
    }
  }
  return undefined
}
