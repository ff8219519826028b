/** Hosts of loopback: `localhost`, names below it, 127.0.0.0/8 and ::1, with a port or without. */
const LOOPBACK_HOST = /^(?:(?:[\w-]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** Values of `Sec-Fetch-Site` for a request by this origin, and for one by the user (W3C Fetch Metadata 2.2). */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])

/** A status and its reason, for people. */
interface Refusal {
  readonly status: 403 | 421
  readonly reason: string
}

/**
 * Why a port that serves only this machine refuses a request; undefined if it does not. Any website can send requests to
 * loopback through its visitor's browser: from its own origin, or under a name that resolves to loopback (DNS rebinding).
 */
export function refuseForeign(
  header: (name: Lowercase<string>) => string | undefined,
): Refusal | undefined {
  const host = header('host')
  if (host !== undefined && !LOOPBACK_HOST.test(host)) {
    const reason = 'Expected one Host of loopback, such as localhost or 127.0.0.1'
    return { status: 421, reason }
  }
  const origin = header('origin')
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`.toLowerCase()) {
    return { status: 403, reason: `Expected no Origin but http://${host}` }
  }
  const site = header('sec-fetch-site')
  if (site !== undefined && !OWN_SITES.has(site)) {
    return { status: 403, reason: 'Expected a request of this site; a browser sent one of another' }
  }
  return undefined
}
