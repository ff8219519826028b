import { DAY_MS, formatInstant } from '../contract/instant.ts'
import { LOCALES } from '../contract/locales.ts'

/** Where it stands (RFC 9116 section 3). */
export const SECURITY_TXT_PATH = '/.well-known/security.txt'

/** RFC 9116 2.5.5 recommends less than a year; half of one shows sooner that a copy was forgotten. */
const VALID_DAYS = 180

/** What a security.txt is made from. */
export interface SecurityTxtOptions {
  /** Own origin: scheme and authority, without a slash at the end. */
  readonly origin: string
  /** URI at which the operator hears of security problems: https:, mailto: or tel:. */
  readonly contact: string
  /** Path of the page that says how to report. */
  readonly policyPath: string
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** The UTC day of a time, counted from 1970: the text stays the same within one. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS)
}

/**
 * The text of security.txt (RFC 9116). An address of the web in `Canonical` or `Policy` must begin with https://, so a
 * deployment without it has neither.
 */
export function createSecurityTxt({
  origin,
  contact,
  policyPath,
  nowMs,
}: SecurityTxtOptions): string {
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
