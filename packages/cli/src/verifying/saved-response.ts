import { CommandFailure, EXIT_CODES } from '@public-api/cli-kit/command'
import { readHeaders } from '@public-api/client-internal/header-fields'
import { readFileUpTo } from '@public-api/client-internal/node/read-file-up-to'
import { parseSigningKeys } from '@public-api/client-internal/signing-keys'
import { VerificationError } from '@public-api/client-internal/verification-error'
import type { VerificationKey } from '@public-api/client-internal/verification-key'
import { messageOf } from '@public-api/contract/errors/error-message'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { contentCodingOf, decodeBody, MAX_RESPONSE_BYTES, TooLargeError } from './requests.ts'

/** A response from files, in the format of `curl -D HEADERS -o BODY`. */
export interface SavedResponse {
  /** Of the last status line; undefined if it is missing. */
  readonly status: number | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** The largest JSON that a command writes: evidence of three large responses in base64, and keys. Recordings too. */
export const MAX_INPUT_BYTES = 100_000_000

/** Of all header blocks in the file; most programs refuse a server's own above 16 kB. */
const MAX_HEAD_BYTES = 1_000_000

/** A mistake in a file of the caller, which says nothing about the service. */
export function inputFailure(code: string, message: string): CommandFailure {
  return new CommandFailure(code, message, { exitCode: EXIT_CODES.usage })
}

/** The bytes of a file of the caller, also of a pipe: shells pass the output of another program as one. */
export async function readInput(file: string, maxBytes: number): Promise<Buffer> {
  try {
    return await readFileUpTo(file, maxBytes)
  } catch (error) {
    if (error instanceof RangeError) throw inputFailure('TOO_LARGE', error.message)
    const reason = propertyOf(error, 'code') === 'EISDIR' ? 'it is a folder' : messageOf(error)
    throw inputFailure('UNREADABLE', `${file}: could not be read (${reason})`)
  }
}

/** What editors and shells put before a text, by its first bytes in hexadecimal. */
const MARKS = [
  ['fffe', 'UTF-16 text'],
  ['feff', 'UTF-16 text'],
  ['efbbbf', 'a byte order mark'],
] as const

/** Refuses bytes that a shell or an editor rewrote, because the service sends UTF-8 without a mark. */
function requirePlain(file: string, bytes: Buffer, expected: string): void {
  const start = bytes.toString('hex', 0, 3)
  const [, found] = MARKS.find(([mark]) => start.startsWith(mark)) ?? []
  if (found !== undefined) {
    throw inputFailure('ENCODING', `${file}: expected ${expected}, found ${found}`)
  }
}

/** The text of a file of the caller. */
export async function readTextInput(file: string, maxBytes: number): Promise<string> {
  const bytes = await readInput(file, maxBytes)
  requirePlain(file, bytes, 'UTF-8 text')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw inputFailure('ENCODING', `${file}: expected UTF-8 text`)
  }
}

const STATUS_LINE = /^HTTP\/\d(?:\.\d)? (\d{3})(?: |\r?$)/
const ONE = 'expected one response, found another one behind it'
const CURL_I = 'this looks like the output of curl -i: split it, or use --response FILE'

/** Header lines as pairs. Throws a CommandFailure (exit code 2) for another line. */
export function parseFields(file: string, lines: readonly string[]): SavedResponse['headers'] {
  return lines.map((line) => {
    const colon = line.indexOf(':')
    if (colon < 1) {
      const expected = 'expected header lines such as "ETag: …", as curl -D writes them'
      throw inputFailure('HEADERS', `${file}: ${expected}`)
    }
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
}

/**
 * Splits the output of `curl -i`, or a file of `curl -D`, which has no body. There is one head for each response (a
 * proxy's, an interim one, a redirect); the last one counts.
 */
function splitResponse(
  file: string,
  bytes: Buffer,
): Pick<SavedResponse, 'status' | 'headers'> & { readonly body: Buffer } {
  requirePlain(file, bytes, 'a response as curl writes it')
  // One character for each byte.
  let rest = bytes.toString('latin1')
  let lines: readonly string[] = []
  do {
    // That of a redirect or a proxy in front is not signed.
    if (/^x-svc-(?:signature|revalidated):/im.test(lines.join('\n')))
      throw inputFailure('BODY', `${file}: ${ONE}`)
    const end = /\r?\n\r?\n/.exec(rest)
    lines = rest.slice(0, end?.index).split(/\r?\n/)
    rest = end === null ? '' : rest.slice(end.index + end[0].length)
  } while (STATUS_LINE.test(rest.slice(0, 100).split('\n')[0] ?? ''))
  const status = STATUS_LINE.exec(lines[0] ?? '')?.[1]
  const fields = (status === undefined ? lines : lines.slice(1)).filter((line) => line !== '')
  return {
    status: status === undefined ? undefined : Number(status),
    headers: parseFields(file, fields),
    body: Buffer.from(rest, 'latin1'),
  }
}

/**
 * A body without its chunks (RFC 9112 7.1), as `curl --raw` and archives keep them; undefined for bytes that are not whole
 * chunks. No JSON text begins with the size of one.
 */
function withoutChunks(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const [line, size = ''] =
      /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n/i.exec(bytes.toString('latin1', at, at + 1000)) ??
      []
    if (line === undefined) return undefined
    const start = at + line.length
    const end = start + Number.parseInt(size, 16)
    if (end === start) {
      return /^(?:[^\r\n]+\r\n)*\r\n$/.test(bytes.toString('latin1', start))
        ? Buffer.concat(parts)
        : undefined
    }
    if (bytes.toString('latin1', end, end + 2) !== '\r\n') return undefined
    parts.push(bytes.subarray(start, end))
    at = end + 2
  }
}

/** Refuses a file that goes on with another response, also behind coded bytes: each signature covers one body alone. */
function requireOne(file: string, bytes: Buffer): void {
  const next = /HTTP\/\d(?:\.\d)? \d{3}[^\r\n]*\r?\n(?:[\w-]+:[^\r\n]*\r?\n)+\r?\n/
  if (!next.test(bytes.toString('latin1')) || parseJson(bytes.toString()) !== undefined) return
  throw inputFailure('BODY', `${file}: ${ONE}`)
}

/** A body in its transfer or content coding is decoded; one that the recorder decoded already is not. */
function decodeSaved(file: string, saved: Buffer, headers: SavedResponse['headers']): Uint8Array {
  const bytes = withoutChunks(saved) ?? saved
  requireOne(file, bytes)
  const coding = contentCodingOf(readHeaders(headers))
  if (coding === undefined) return bytes
  try {
    return decodeBody(bytes, coding) ?? bytes
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    throw inputFailure('TOO_LARGE', `${file}: ${error.message}`)
  }
}

/** Parses the output of `curl -i`. Throws a CommandFailure (exit code 2) for other bytes. */
export function parseResponse(file: string, bytes: Buffer): SavedResponse {
  const { status, headers, body } = splitResponse(file, bytes)
  if (status === undefined) {
    const expected = 'expected the output of curl -i, which begins with a status line'
    throw inputFailure('STATUS', `${file}: ${expected}`)
  }
  return { status, headers, body: decodeSaved(file, body, headers) }
}

/** Reads a response from a file of `curl -D` and one of `curl -o`. Throws a CommandFailure (exit code 2) for other files. */
export async function readSavedResponse(
  headersFile: string,
  bodyFile: string | undefined,
): Promise<SavedResponse> {
  const head = splitResponse(headersFile, await readInput(headersFile, MAX_HEAD_BYTES))
  if (head.body.length > 0) throw inputFailure('HEADERS', `${headersFile}: ${CURL_I}`)
  const { status, headers } = head
  if (bodyFile === undefined) return { status, headers, body: new Uint8Array() }
  const bytes = await readInput(bodyFile, MAX_RESPONSE_BYTES)
  requirePlain(bodyFile, bytes, 'the bytes that the service sent')
  if (STATUS_LINE.test(bytes.toString('latin1', 0, 100).split('\n')[0] ?? '')) {
    throw inputFailure('BODY', `${bodyFile}: ${CURL_I}`)
  }
  return { status, headers, body: decodeSaved(bodyFile, bytes, headers) }
}

/** Parses a file as JSON, without quoting it in errors. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readTextInput(file, MAX_INPUT_BYTES)
  try {
    return JSON.parse(text)
  } catch {
    throw inputFailure('JSON', `${file}: expected JSON`)
  }
}

/** The keys of a saved signing-key document: the response's body, or only its `data`. */
export async function readKeysFile(file: string): Promise<readonly VerificationKey[]> {
  const content = await readJsonFile(file)
  try {
    return await parseSigningKeys(propertyOf(content, 'data') ?? content)
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    const expected = `expected a signing-key document, as GET ${READ_PATHS.signingKey} returns it`
    throw inputFailure('KEYS', `${file}: ${expected} (${error.message})`)
  }
}
