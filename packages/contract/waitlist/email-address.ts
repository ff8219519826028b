import { LIMITS } from '../terms/limits.ts'
import { stripEnds } from '../text/strip-ends.ts'

/** White space that an HTML email input strips from both ends. */
const SURROUNDING_SPACE = '\t\n\f\r '
/** The local part of a valid email address in HTML: ASCII, unquoted, dots anywhere. */
const LOCAL_PART = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+$/i
/**
 * A domain as typed: ASCII characters of host names, and everything beyond ASCII. The URL parser thus gets no
 * character that it would treat as a delimiter, percent-decode or drop.
 */
// oxlint-disable-next-line no-control-regex -- covers all of ASCII and everything beyond
const TYPED_DOMAIN = /^(?:[a-z0-9.-]|[^\x00-\x7f])+$/i
/**
 * One label of the converted domain (HTML, RFC 1034 3.5). Punycode whose only hyphen comes first is invalid, since
 * the part before the hyphen must not be empty (RFC 3492 6.2). Some engines accept it as another spelling of a label.
 */
const LABEL = /^(?!xn---[a-z0-9]*$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** A last label that makes a URL's host an IPv4 address (URL standard, "ends in a number"). */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/
/** A label that is not ASCII, and its IDNA form. */
const GUARD = '.é'
const CONVERTED_GUARD = '.xn--9ca'

/**
 * The ASCII form of a domain by UTS 46 with the options of the URL standard, the only IDNA that browsers and Node share.
 * It maps upper case, full-width letters, ignored characters (such as a soft hyphen) and combining accents to one
 * spelling. It keeps ß and ss distinct, and also ς and σ. Misplaced joiners, mixed directions and unassigned characters
 * are invalid.
 *
 * `GUARD` is appended for the conversion and removed afterwards, for two reasons. A number as the last label would be
 * parsed as an IPv4 address. A pure ASCII host takes a shortcut in which engines do not validate punycode.
 */
function toAsciiDomain(domain: string): string | undefined {
  if (!TYPED_DOMAIN.test(domain)) return undefined
  const host = URL.parse(`http://${domain}${GUARD}`)?.hostname
  return host?.endsWith(CONVERTED_GUARD) ? host.slice(0, -CONVERTED_GUARD.length) : undefined
}

/**
 * Parses an email address as a person typed it; undefined if it is invalid. Accepts what an HTML `input type=email`
 * accepts once the domain is converted, with a dot in the domain, a last label that is not a number, and at most
 * `LIMITS.maxEmailLength` characters in converted form (contract decisions section 4). `address` has no surrounding space,
 * the local part as it was typed and the domain in its IDNA ASCII form. Registrations with the same `normalized` value
 * are one entry of the list.
 */
export function parseEmailAddress(text: string) {
  const typed = stripEnds(text, SURROUNDING_SPACE)
  const at = typed.indexOf('@')
  const localPart = typed.slice(0, Math.max(at, 0))
  if (!LOCAL_PART.test(localPart)) return undefined
  const domain = toAsciiDomain(typed.slice(at + 1))
  const labels = domain?.split('.') ?? []
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return undefined
  if (NUMBER.test(labels.at(-1) ?? '')) return undefined
  const address = `${localPart}@${domain}`
  if (address.length > LIMITS.maxEmailLength) return undefined
  return { address, normalized: address.toLowerCase() }
}
