import { formatEtag } from '#contract/http/signature'
import { canonicalJsonOfParsed, type JsonValue } from '#contract/json/canonical-json'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { sha256Base64url } from '#crypto'
import { base64urlOf } from './base64.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Arrays and objects inside one another. Clients for other languages cannot read more. */
const MAX_DEPTH = 128

/** What a value contains. */
interface Contents {
  /** Members of all objects. */
  members: number
  /** Whether a number is beyond the doubles (1e999): it has no canonical form. */
  isInfinite: boolean
}

/** Adds what an array or object contains. Throws a RangeError if it is nested too deeply. */
function addContents(value: object, to: Contents, room = MAX_DEPTH): void {
  if (room === 0) throw new RangeError()
  const add = (member: unknown) => {
    if (typeof member === 'number') to.isInfinite ||= !Number.isFinite(member)
    else if (typeof member === 'object' && member !== null) addContents(member, to, room - 1)
  }
  if (Array.isArray(value)) {
    for (const element of value) add(element)
    return
  }
  // Takes half the time of Object.values.
  for (const name of Object.keys(value)) {
    to.members += 1
    add((value as { readonly [name: string]: unknown })[name])
  }
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c]

/** The number of names in a JSON text, repeated ones included: each has a colon outside the texts. */
function countNames(json: Uint8Array): number {
  let names = 0
  for (let at = 0; at < json.length; at += 1) {
    if (json[at] === COLON) names += 1
    if (json[at] !== QUOTE) continue
    for (at += 1; json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1
  }
  return names
}

/** The value of a JSON text with what it contains; undefined if it is not I-JSON. */
function read(body: Uint8Array) {
  try {
    const text = decoder.decode(body)
    const content: unknown = JSON.parse(text)
    const contents: Contents = { members: 0, isInfinite: false }
    addContents([content], contents, MAX_DEPTH + 1)
    // The parser drops members of the same name.
    return countNames(body) === contents.members ? { text, content, ...contents } : undefined
  } catch {
    // The parser's message quotes the body.
    return undefined
  }
}

/** The body as JSON; undefined if it is not I-JSON (RFC 7493): UTF-8, and each name once in an object. */
export function parseBody(body: Uint8Array): unknown {
  return read(body)?.content
}

/** An envelope up to its data, as the service writes it. It has nothing behind the data. */
const ENVELOPE =
  /^\{"ok":true,"schema":"[\w.-]+","requestId":"[\w-]+","issuedAt":"[\w:.-]+","data":/
const ENVELOPE_MEMBERS = 5

/** The bytes of `data` as they were sent; undefined if the envelope does not have the form of the service. */
function sentData(body: Uint8Array, text: string, content: object): Uint8Array | undefined {
  const [start] = ENVELOPE.exec(text) ?? []
  const isEnvelope = text.endsWith('}') && Object.keys(content).length === ENVELOPE_MEMBERS
  // The start is ASCII, so that its length is the same in bytes.
  return start === undefined || !isEnvelope ? undefined : body.subarray(start.length, -1)
}

/** A body as JSON with its data. */
export interface ReadBody {
  readonly content: unknown
  /** `data` of an enveloped success, or the whole document if it has no envelope; undefined otherwise. */
  readonly data: unknown
  /** The entity tag of `data`; undefined without data. */
  readonly etag: string | undefined
}

/**
 * A body with its data and their entity tag. Undefined if it is not JSON, or if its data has no canonical form (RFC 8785).
 * The tag is that of the bytes of `data` as they were sent if the header says so, because the service sends them in canonical
 * form; else that of their canonical form. `digest` is the one of the whole body in base64, `stated` the tag of the header.
 */
export async function readBody(
  body: Uint8Array,
  { target, digest, stated }: { target: string; digest: string; stated: string | undefined },
): Promise<ReadBody | undefined> {
  const parsed = read(body)
  if (parsed === undefined) return undefined
  const { text, content, isInfinite } = parsed
  const isDocument =
    target.split('?', 1)[0] === READ_PATHS.openapi && propertyOf(content, 'ok') === undefined
  const data = isDocument ? content : propertyOf(content, 'data')
  if (data === undefined) return { content, data, etag: undefined }
  // An escape may be half of a surrogate pair, which has no canonical form.
  if (stated !== undefined && !isInfinite && !text.includes('\\u')) {
    const sent = isDocument ? undefined : sentData(body, text, content as object)
    const hash = isDocument ? base64urlOf(digest) : sent && (await sha256Base64url(sent))
    if (hash !== undefined && formatEtag(hash) === stated) return { content, data, etag: stated }
  }
  try {
    const etag = formatEtag(await sha256Base64url(canonicalJsonOfParsed(data as JsonValue)))
    return { content, data, etag }
  } catch {
    return undefined
  }
}
