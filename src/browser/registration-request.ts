import type { HttpResponse } from '../../packages/client/src/verify-response.ts'
import { CLIENT_HEADERS } from '../contract/client-headers.ts'
import { parseJson } from '../contract/parse-json.ts'
import { propertyOf } from '../contract/property-of.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import type { TypedRegistration } from './registration-fields.ts'

/** The outcome of sending a registration. */
export type Outcome =
  | { readonly ticket: string; readonly response: HttpResponse }
  | {
      /**
       * The error code of the service, the HTTP status if another server responded, or `NO_RESPONSE` if it is unknown
       * whether the request arrived.
       */
      readonly code: string
      readonly retryAfterSeconds?: number
    }

/** Longer than the timeouts of the service and of a challenge provider together. */
const RESPONSE_TIMEOUT_MS = 30_000

/** Sends a registration. Never rejects. */
export async function sendRegistration(
  target: string,
  typed: TypedRegistration,
  challengeToken: string,
): Promise<Outcome> {
  const method = 'POST'
  try {
    const response = await fetch(target, {
      method,
      // Undefined members are left out.
      body: JSON.stringify({ ...typed, challengeToken }),
      headers: { 'Content-Type': 'application/json' },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    })
    const { status, headers } = response
    const body = new Uint8Array(await response.arrayBuffer())
    const content = parseJson(body)
    const ticket = propertyOf(propertyOf(content, 'data'), 'ticket')
    if (status === 200 && typeof ticket === 'string') {
      return { ticket, response: { method, target, status, headers, body } }
    }
    const stated = propertyOf(propertyOf(content, 'error'), 'code')
    const code = typeof stated === 'string' ? stated : String(status)
    const seconds = Number(headers.get(CLIENT_HEADERS.retryAfter))
    return { code, ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}) }
  } catch {
    return { code: 'NO_RESPONSE' }
  }
}

/** Whether the service reports that registration is closed. False without a response. */
export async function isRegistrationClosed(): Promise<boolean> {
  try {
    const response = await fetch(READ_PATHS.earlyAccess, { credentials: 'omit' })
    const state = propertyOf(propertyOf(await response.json(), 'data'), 'state')
    return state !== undefined && state !== 'open'
  } catch {
    return false
  }
}
