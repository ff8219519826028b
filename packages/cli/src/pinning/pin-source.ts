import { isIP } from 'node:net'
import { CommandFailure, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { messageOf } from '@public-api/contract/errors/error-message'
import { readBoundedBody } from '@public-api/contract/http/read-bounded-body'
import {
  isKeyRecordText,
  KEY_RECORD_LABEL,
  type KeyRecord,
  KeyRecordError,
  parseKeyRecordJson,
  parseKeyRecordText,
} from './key-record.ts'
import { DnsError, queryTxt } from './query-txt.ts'

/** Where an operator publishes key IDs besides the service: a TXT record, or a JSON file of another site. */
export type PinSource =
  | { readonly kind: 'dns'; readonly host: string }
  | { readonly kind: 'web'; readonly url: string }

const MAX_FILE_BYTES = 16_384
const TIMEOUT_MS = 10_000

const HOST = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/i

/** Parses `dns:HOST` or `https://…`. Plain HTTP is accepted on loopback only. Throws a UsageError. */
export function parsePinSource(text: string): PinSource {
  const [, host = ''] = /^dns:(.*)$/.exec(text) ?? []
  if (HOST.test(host) && isIP(host) === 0) return { kind: 'dns', host: host.toLowerCase() }
  const url = text.startsWith('dns:') ? null : URL.parse(text)
  const isLocal = url !== null && /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) {
    return { kind: 'web', url: url.href }
  }
  throw new UsageError(
    '--pin-from expects dns:HOST, such as dns:api.example.org, or the https:// URL of a JSON file; http:// only for localhost',
  )
}

/** The source as `--pin-from` takes it. */
function formatPinSource(source: PinSource): string {
  return source.kind === 'dns' ? `dns:${source.host}` : source.url
}

type RecordFault = 'NO_KEY_RECORD' | 'KEY_RECORD_UNREACHABLE'

/** Neither says anything about the service: exit code 3. */
function failure(code: RecordFault, where: string, reason: string): CommandFailure {
  return new CommandFailure(code, `${where}: ${reason}`, { exitCode: EXIT_CODES.unreachable })
}

function unusable(where: string, reason: string): CommandFailure {
  return failure('NO_KEY_RECORD', where, reason)
}

async function readDnsRecord(host: string) {
  const name = `${KEY_RECORD_LABEL}.${host}`
  const { records, isAuthenticated, resolver } = await queryTxt(name).catch((error: unknown) => {
    if (error instanceof DnsError)
      throw failure('KEY_RECORD_UNREACHABLE', name, `the DNS lookup failed (${error.message})`)
    throw error
  })
  const [text, ...others] = records.filter(isKeyRecordText)
  if (text === undefined) {
    throw unusable(name, 'expected a TXT record that begins with v=svc1, found none')
  }
  // Which of several is meant cannot be known; a rotation needs one record with kid and next.
  if (others.length > 0) {
    throw unusable(name, `expected one TXT record with v=svc1, found ${others.length + 1}`)
  }
  return foundOf(
    parseKeyRecordText(text),
    isAuthenticated
      ? undefined
      : `the DNS answer for ${name} was not authenticated by DNSSEC on its way from ${resolver}; the network could have changed it`,
  )
}

async function readWebRecord(url: string, host: string) {
  let body: Uint8Array | undefined
  try {
    // Another site may be reached by a redirect that an attacker of the path chose, so none is followed.
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status !== 200)
      throw unusable(url, `expected status 200, found ${response.status}`)
    body = await readBoundedBody(response, MAX_FILE_BYTES)
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const { cause } = error as Error
    throw failure('KEY_RECORD_UNREACHABLE', url, messageOf(cause ?? error))
  }
  if (body === undefined) throw unusable(url, `expected at most ${MAX_FILE_BYTES} bytes`)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw unusable(url, 'expected a JSON object')
  }
  return foundOf(parseKeyRecordJson(value, host))
}

/** A record with the key IDs that may sign, the current one first, and a warning about the way that the record took. */
function foundOf(record: KeyRecord, warning?: string) {
  return {
    record,
    keyIds: [record.kid, ...(record.next === undefined ? [] : [record.next])],
    warning,
  }
}

/**
 * Reads the key record of a source for the service at `host`. Rejects with a CommandFailure and exit code 3, because it
 * establishes nothing about the service: NO_KEY_RECORD for a record that is missing, ambiguous or malformed,
 * KEY_RECORD_UNREACHABLE if the source does not respond.
 */
export async function readKeyRecord(source: PinSource, host: string) {
  try {
    return source.kind === 'dns'
      ? await readDnsRecord(source.host)
      : await readWebRecord(source.url, host)
  } catch (error) {
    if (error instanceof KeyRecordError) {
      throw unusable(formatPinSource(source), `the key record is malformed; ${error.message}`)
    }
    throw error
  }
}

/** Whether the service at `origin` has a key record in DNS; undefined for an address, and if DNS does not respond. */
export async function findKeyRecord(origin: string): Promise<boolean | undefined> {
  const { hostname = '' } = URL.parse(origin) ?? {}
  if (!HOST.test(hostname) || isIP(hostname) !== 0) return undefined
  try {
    await readKeyRecord({ kind: 'dns', host: hostname }, hostname)
    return true
  } catch (error) {
    const isMissing = error instanceof CommandFailure && error.code === 'NO_KEY_RECORD'
    return isMissing ? false : undefined
  }
}
