/** Version of the record, in DNS and in the JSON file. */
const RECORD_VERSION = 'svc1'

/** The label of the TXT record below the host name of a service. */
export const KEY_RECORD_LABEL = '_public-api-key'

/** What an operator publishes about the service's keys through a channel that the service does not control. */
export interface KeyRecord {
  /** Key ID of the current signing key (RFC 7638 thumbprint). */
  readonly kid: string
  /** Key ID of the announced next key. */
  readonly next?: string
  /** The verifier key of the transparency log. */
  readonly log?: string
}

/** A record that does not have the expected form. The message names the member. */
export class KeyRecordError extends Error {
  override readonly name = 'KeyRecordError'
}

const KEY_ID = /^[A-Za-z0-9_-]{43}$/
/** A vkey (C2SP signed-note): name, key ID in hex, and base64, without white space. */
const VERIFIER_KEY = /^[^\s+;]{1,200}\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{1,200}$/

/** Checks the members of a record. Members that this version does not know are ignored. Throws a KeyRecordError. */
function parseMembers(members: { readonly [name: string]: unknown }): KeyRecord {
  const { v, kid, next, log } = members
  if (v !== RECORD_VERSION) throw new KeyRecordError(`expected v=${RECORD_VERSION}`)
  if (typeof kid !== 'string' || !KEY_ID.test(kid)) {
    throw new KeyRecordError('expected kid to be a key ID, 43 characters of base64url')
  }
  if (next !== undefined && (typeof next !== 'string' || !KEY_ID.test(next))) {
    throw new KeyRecordError('expected next to be a key ID, 43 characters of base64url')
  }
  if (log !== undefined && (typeof log !== 'string' || !VERIFIER_KEY.test(log))) {
    throw new KeyRecordError('expected log to be the verifier key of a log (name+id+key)')
  }
  return { kid, ...(next === undefined ? {} : { next }), ...(log === undefined ? {} : { log }) }
}

/** Whether a TXT record is meant as a key record. A name may have others, for example of a domain's owner. */
export function isKeyRecordText(text: string): boolean {
  return /^\s*v\s*=\s*svc/.test(text)
}

/** Parses `v=svc1; kid=…; next=…; log=…`. Throws a KeyRecordError, also for a member that is given twice. */
export function parseKeyRecordText(text: string): KeyRecord {
  const members = new Map<string, string>()
  for (const part of text.split(';').map((each) => each.trim())) {
    if (part === '') continue
    const end = part.indexOf('=')
    if (end <= 0) throw new KeyRecordError('expected name=value between semicolons')
    const name = part.slice(0, end).trim()
    if (members.has(name)) throw new KeyRecordError(`expected ${name} once`)
    members.set(name, part.slice(end + 1).trim())
  }
  return parseMembers(Object.fromEntries(members))
}

/** Parses the JSON file for a service at `host`. Throws a KeyRecordError, also for a record of another host. */
export function parseKeyRecordJson(value: unknown, host: string): KeyRecord {
  if (typeof value !== 'object' || value === null) {
    throw new KeyRecordError('expected a JSON object')
  }
  const members: { readonly [name: string]: unknown } = { ...value }
  if (members['host'] !== host) throw new KeyRecordError(`expected host to be ${host}`)
  return parseMembers(members)
}

/** The content of the TXT record. */
export function formatKeyRecordText({ kid, next, log }: KeyRecord): string {
  const members = Object.entries({ v: RECORD_VERSION, kid, next, log })
  return members
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join('; ')
}

/** The JSON file for a service at `host`. */
export function formatKeyRecordJson({ kid, next, log }: KeyRecord, host: string): string {
  return `${JSON.stringify({ v: RECORD_VERSION, host, kid, next, log }, null, 2)}\n`
}
