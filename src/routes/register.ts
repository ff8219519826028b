import type { Locale } from '../contract/locales.ts'
import { parseRegistration } from '../contract/registration.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { Handler } from '../http/exchange.ts'
import { parseJsonBody } from '../http/json-body.ts'
import { localeOfRequest } from '../http/request-locale.ts'
import { createPayload } from '../service/payload.ts'
import type { Waitlist } from '../service/waitlist.ts'

export interface RegisterDependencies {
  readonly waitlist: Waitlist
  readonly clientAddress: ClientAddress
  /** The service's own origin, whose pages have a locale. */
  readonly ownOrigin: string
  /** The consent statement of the form in a locale. */
  readonly consentText: (locale: Locale) => string
}

/** Parses the body and wipes its bytes, so that personal data stays in memory no longer than needed. */
function parseOnce(body: Uint8Array): unknown {
  try {
    return parseJsonBody(body)
  } finally {
    body.fill(0)
  }
}

/** The registration handler. Limits come first, because they also count invalid requests. */
export function createRegister({
  waitlist,
  clientAddress,
  ownOrigin,
  consentText,
}: RegisterDependencies): Handler {
  return async ({ request, body }) => {
    await waitlist.admit(clientAddress(request))
    const input = parseRegistration(parseOnce(body))
    const locale = input.locale ?? localeOfRequest(request, ownOrigin)
    return createPayload(
      await waitlist.register({ ...input, locale, consentText: consentText(locale) }),
    )
  }
}
