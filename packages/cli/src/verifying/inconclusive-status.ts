import type { HttpResponse } from '@public-api/client-internal/http-response'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'

/** Whether a Content-Digest is not in the form of the service, which is signed: sha-256 alone. */
export function hasOtherDigest(contentDigest = ''): boolean {
  return !/^sha-256=:[\w+/]+=*:$/.test(contentDigest)
}

/** Whether an unsigned response says that the service has no signing key. Anyone in between can say so. */
export function isSigningOff({ status, body }: HttpResponse): boolean {
  // The status first: a body of another one can be large, and its JSON takes a hundred times as much memory.
  if (status !== 503) return false
  return propertyOf(propertyOf(parseJson(body), 'error'), 'code') === 'SIGNING_UNAVAILABLE'
}
