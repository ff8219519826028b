import { gunzipSync } from 'node:zlib'
import { readHeaders, type HeaderFields } from '@public-api/client-internal/header-fields'
import { claimsSignature } from '@public-api/client-internal/http-response'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { list, record, text, whole } from '@public-api/contract/schemas/fields'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import { HEADERS } from '@public-api/contract/terms/headers'
import type { SchemaType } from '@public-api/contract/terms/schema-type'
import { sentTargetOf } from './address.ts'
import {
  inputFailure,
  MAX_INPUT_BYTES,
  parseFields,
  parseResponse,
  readInput,
  type SavedResponse,
} from './saved-response.ts'

/** A response of a recording, with what the recorder states of its request. */
export interface RecordedResponse {
  readonly method: string
  /** URL of the request, with the target as sent. */
  readonly url: string
  readonly target: string
  readonly ifNoneMatch: string | undefined
  /** Unix time of the recorder's clock, which nothing proves; NaN if it states none. */
  readonly recordedAtMs: number
  /** Decodes it. Throws a CommandFailure (exit code 2) for one that the recorder did not keep whole. */
  read(): SavedResponse
}

/**
 * The responses of a WARC (ISO 28500, also with gzip) or a HAR, in the order of the file; undefined for another file.
 * Digests of a WARC's blocks are not read, because they can be changed with the block. Throws a CommandFailure (exit code
 * 2) for a file that is cut off.
 */
function readRecording(file: string, bytes: Buffer): readonly RecordedResponse[] | undefined {
  const plain = bytes.toString('hex', 0, 2) === '1f8b' ? gunzip(file, bytes) : bytes
  if (plain.toString('latin1', 0, 5) === 'WARC/') return readWarc(file, plain)
  const har = plain[0] === 0x7b ? parseJson(plain.toString()) : undefined
  return propertyOf(har, 'log') === undefined ? undefined : readHar(file, har)
}

/** Reads the output of `curl -i`, or the responses of a recording. Throws a CommandFailure (exit code 2) for another file. */
export async function readResponses(
  file: string,
): Promise<SavedResponse | { readonly recorded: readonly RecordedResponse[] }> {
  const bytes = await readInput(file, MAX_INPUT_BYTES)
  const recorded = readRecording(file, bytes)
  return recorded === undefined ? parseResponse(file, bytes) : { recorded }
}

function gunzip(file: string, bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_INPUT_BYTES })
  } catch {
    const expected = `expected a whole gzip file of at most ${MAX_INPUT_BYTES} bytes`
    throw inputFailure('RECORDING', `${file}: ${expected}`)
  }
}

interface WarcRecord {
  readonly field: HeaderFields
  readonly block: Buffer
}

function* warcRecords(file: string, bytes: Buffer): Generator<WarcRecord, undefined> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at)
    const [version = '', ...lines] = bytes
      .toString('latin1', at, end)
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
    const field = readHeaders(parseFields(file, lines))
    const start = end + 4
    const next = start + Number(/^\d+$/.exec(field('Content-Length') ?? '')?.[0])
    if (end === -1 || !version.startsWith('WARC/') || !(next <= bytes.length)) {
      throw inputFailure('RECORDING', `${file}: expected whole records of a WARC`)
    }
    yield { field, block: bytes.subarray(start, next) }
    for (at = next; bytes[at] === 0x0d || bytes[at] === 0x0a;) at += 1
  }
}

const idsOf = (field: HeaderFields, name: string): readonly string[] =>
  field(name)?.match(/<[^>]*>/g) ?? []

function readWarc(file: string, bytes: Buffer): readonly RecordedResponse[] {
  const records = [...warcRecords(file, bytes)]
  const ofType = (type: string) => records.filter(({ field }) => field('WARC-Type') === type)
  // One of the two records names the other.
  const requests = new Map(
    ofType('request').flatMap(({ field, block }) =>
      ['WARC-Record-ID', 'WARC-Concurrent-To']
        .flatMap((name) => idsOf(field, name))
        .map((id) => [id, block.toString('latin1')] as const),
    ),
  )
  const responses = records.filter(
    ({ field, block }) =>
      /^(?:response|revisit)$/.test(field('WARC-Type') ?? '') &&
      block.toString('latin1', 0, 5).startsWith('HTTP/'),
  )
  return responses.map(({ field, block }) => {
    const ids = [...idsOf(field, 'WARC-Record-ID'), ...idsOf(field, 'WARC-Concurrent-To')]
    const request = requests.get(ids.find((id) => requests.has(id)) ?? '') ?? ''
    const [line = '', ...lines] = (request.split('\r\n\r\n')[0] ?? '').split('\r\n')
    const uri = (field('WARC-Target-URI') ?? '').replaceAll(/^<|>$/g, '')
    const [, method = 'GET', sent = uri] = /^([A-Z]+) (\S+) HTTP\//.exec(line) ?? []
    const target = sentTargetOf(sent)
    return {
      method,
      url: uri.slice(0, uri.length - sentTargetOf(uri).length) + target,
      target,
      ifNoneMatch: readHeaders(parseFields(file, lines))(HEADERS.ifNoneMatch),
      recordedAtMs: Date.parse(field('WARC-Date') ?? ''),
      read() {
        const isRevisit = field('WARC-Type') === 'revisit'
        if (isRevisit && !/^HTTP\/\S+ 304/.test(block.toString('latin1', 0, 20))) {
          const found = 'a revisit, which has no body; verify the earlier record that has it'
          throw inputFailure('RECORDING', `${file}: ${uri}: found ${found}`)
        }
        return parseResponse(file, block)
      },
    }
  })
}

const FIELDS = list('', record('', { name: text('', ''), value: text('', '') }))
const ENTRY = record('', {
  'startedDateTime?': text('', ''),
  request: record('', { method: text('', ''), url: text('', ''), headers: FIELDS }),
  response: record('', {
    status: whole('', 0),
    headers: FIELDS,
    content: record('', { 'text?': text('', ''), 'encoding?': text('', '') }),
  }),
})
const HAR = record('', { log: record('', { entries: list('', ENTRY) }) })

/** Chromium joins the lines of one field with line feeds, and names what HTTP/2 sends for the status line like a field. */
const fieldsOf = (fields: SchemaType<typeof FIELDS>): SavedResponse['headers'] =>
  fields
    .filter(({ name }) => !name.startsWith(':'))
    .flatMap(({ name, value }) => value.split('\n').map((line) => [name, line] as const))

function readHar(file: string, har: unknown): readonly RecordedResponse[] {
  const mistake = schemaMistake(HAR, har)
  if (mistake !== undefined) throw inputFailure('RECORDING', `${file}: ${mistake}`)
  const { entries } = (har as SchemaType<typeof HAR>).log
  return entries.map(({ request, response, startedDateTime = '' }) => ({
    method: request.method,
    url: request.url,
    target: sentTargetOf(request.url),
    ifNoneMatch: readHeaders(fieldsOf(request.headers))(HEADERS.ifNoneMatch),
    recordedAtMs: Date.parse(startedDateTime),
    read() {
      const { status, content } = response
      const headers = fieldsOf(response.headers)
      const refuse = (found: string) =>
        inputFailure('RECORDING', `${file}: ${request.url}: ${found}`)
      const isOf304 = readHeaders(headers)(HEADERS.revalidated) !== undefined
      if (status !== 304 && isOf304 && !claimsSignature(headers)) {
        const expected = 'record with the cache turned off'
        throw refuse(`found the fields of a 304 with status ${status}; ${expected}`)
      }
      if (content.text === undefined && status !== 304) {
        throw refuse('the recorder kept no body')
      }
      const coding = content.encoding === 'base64' ? 'base64' : 'utf8'
      return { status, headers, body: Buffer.from(content.text ?? '', coding) }
    },
  }))
}
