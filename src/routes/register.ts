import { parseRegistration } from '../contract/registration.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { Handler } from '../http/exchange.ts'
import { parseJsonBody } from '../http/json-body.ts'
import { localeOfRequest } from '../http/request-locale.ts'
import { payloadOf } from '../service/payload.ts'
import type { Waitlist } from '../service/waitlist.ts'

/** What registering needs. */
export interface RegisterParts {
  readonly waitlist: Waitlist
  readonly clientAddress: ClientAddress
  /** The service's own origin, whose pages have a locale. */
  readonly ownOrigin: string
}

/** The body's value. Its bytes are wiped: what a person sent should not lie in memory longer than it is needed. */
function readOnce(body: Uint8Array): unknown {
  try {
    return parseJsonBody(body)
  } finally {
    body.fill(0)
  }
}

/** The registration's handler: the limits first, since they count requests of any kind, then what the body says. */
export function createRegister({ waitlist, clientAddress, ownOrigin }: RegisterParts): Handler {
  return async ({ request, body }) => {
    if (body === undefined) throw new Error('The body was not received')
    await waitlist.admit(clientAddress(request))
    const input = parseRegistration(readOnce(body))
    const locale = input.locale ?? localeOfRequest(request, ownOrigin)
    return payloadOf(await waitlist.register({ ...input, locale }))
  }
}
