import { ApiError } from './api-error.ts'
import { API_KEY_LABEL_PATTERN } from './api-key.ts'
import { LIMITS } from './limits.ts'
import { REQUEST_SCHEMAS } from './schemas.ts'
import { parseObjectMembers } from './parse-object-members.ts'

/** A request for an API key with valid fields (spec 4.2). The challenge is verified later. */
export interface KeyRequest {
  /** Never empty. */
  readonly challengeToken: string
  /** Null if omitted. */
  readonly label: string | null
  readonly ttlDays: number
}

const LISTED: ReadonlySet<string> = new Set(Object.keys(REQUEST_SCHEMAS.KeyRequest.properties))
const LABEL = new RegExp(API_KEY_LABEL_PATTERN)

function isTtlDays(value: unknown): value is number {
  return (
    Number.isInteger(value) &&
    Number(value) >= LIMITS.minTtlDays &&
    Number(value) <= LIMITS.maxTtlDays
  )
}

/**
 * Parses the body of a request for a key, a parsed JSON value. Throws ApiError INVALID_INPUT for every invalid field,
 * as the contract has no other code. The error has no cause and contains no part of the value.
 */
export function parseKeyRequest(value: unknown): KeyRequest {
  const members = parseObjectMembers(value)
  const refused = new ApiError('INVALID_INPUT')
  if ([...members.keys()].some((name) => !LISTED.has(name))) throw refused
  const challengeToken = members.get('challengeToken')
  const label = members.get('label')
  const ttlDays = members.has('ttlDays') ? members.get('ttlDays') : LIMITS.defaultTtlDays
  if (typeof challengeToken !== 'string' || challengeToken === '') throw refused
  if (members.has('label') && (typeof label !== 'string' || !LABEL.test(label))) throw refused
  if (!isTtlDays(ttlDays)) throw refused
  return { challengeToken, label: typeof label === 'string' ? label : null, ttlDays }
}
