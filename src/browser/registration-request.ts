import { readHeaders } from '@public-api/client-internal/header-fields'
import { isUnsignedOutage } from '@public-api/client-internal/http-response'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { CLIENT_HEADERS } from '@public-api/contract/terms/client-headers'
import { request } from './api-request.ts'
import type { TypedRegistration } from './registration-fields.ts'

/**
 * Sends a registration. Never rejects. `code` is the error code of the service, the HTTP status if another server responded,
 * or `NO_RESPONSE` if it is unknown whether the request arrived.
 */
export async function sendRegistration(
  target: string,
  typed: TypedRegistration,
  challengeToken: string,
) {
  try {
    // Undefined members are left out.
    const sent = JSON.stringify({ ...typed, challengeToken })
    const response = await request(target, { 'Content-Type': 'application/json' }, sent)
    const { status, headers, body } = response
    const content = parseJson(body)
    const ticket = propertyOf(propertyOf(content, 'data'), 'ticket')
    if (status === 200 && typeof ticket === 'string') {
      return { ticket, response }
    }
    const stated = propertyOf(propertyOf(content, 'error'), 'code')
    // A gateway may have passed the request on.
    const other = status < 400 || isUnsignedOutage(response) ? 'NO_RESPONSE' : String(status)
    const code = typeof stated === 'string' ? stated : other
    const seconds = Number(readHeaders(headers)(CLIENT_HEADERS.retryAfter))
    return { code, retryAfterSeconds: seconds > 0 ? seconds : undefined }
  } catch {
    return { code: 'NO_RESPONSE' }
  }
}

/** Whether the service reports that registration is closed. False without a response. */
export async function isRegistrationClosed(): Promise<boolean> {
  try {
    const { body } = await request(READ_PATHS.earlyAccess)
    const state = propertyOf(propertyOf(parseJson(body), 'data'), 'state')
    return state !== undefined && state !== 'open'
  } catch {
    return false
  }
}
