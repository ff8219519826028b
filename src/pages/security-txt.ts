import { DAY_MS, formatInstant } from '../contract/instant.ts'
import { LOCALES } from '../contract/locales.ts'

/** Path of the file (RFC 9116 section 3). */
export const SECURITY_TXT_PATH = '/.well-known/security.txt'

/** RFC 9116 2.5.5 recommends less than a year. A shorter time reveals a forgotten copy sooner. */
const VALID_DAYS = 180

/** Number of the UTC day since 1970. The text changes once a day. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS)
}

/**
 * The text of security.txt (RFC 9116). URLs in `Canonical` and `Policy` must begin with https://, so a deployment
 * without https has neither. `contact` is a URI (https:, mailto: or tel:), `policyPath` the path of the page on reporting.
 */
export function createSecurityTxt(
  origin: string,
  contact: string,
  policyPath: string,
  nowMs: number,
): string {
  const expires = formatInstant((dayOf(nowMs) + VALID_DAYS) * DAY_MS)
  const languages = LOCALES.map((locale) => locale.split('-')[0])
  const addresses = origin.startsWith('https://')
    ? [`Canonical: ${origin}${SECURITY_TXT_PATH}`, `Policy: ${origin}${policyPath}`]
    : []
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.replace('.000Z', 'Z')}`,
    `Preferred-Languages: ${languages.join(', ')}`,
    ...addresses,
    '',
  ].join('\n')
}
