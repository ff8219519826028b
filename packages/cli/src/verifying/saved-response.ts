import { CommandFailure } from '@public-api/cli-kit/command'
import { readHeaders } from '@public-api/client-internal/header-fields'
import { readFileUpTo } from '@public-api/client-internal/node/read-file-up-to'
import { parseSigningKeys } from '@public-api/client-internal/signing-keys'
import type { VerificationKey } from '@public-api/client-internal/verification-key'
import { messageOf } from '@public-api/contract/errors/error-message'
import { propertyOf } from '@public-api/contract/json/property-of'
import { codingOf, decodeBody, MAX_RESPONSE_BYTES, TooLargeError } from './requests.ts'

/** A response from files, in the format of `curl -D HEADERS -o BODY`. */
export interface SavedResponse {
  /** Of the last status line; undefined if it is missing. */
  readonly status: number | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** The largest JSON that a command writes: evidence of three large responses in base64, and keys. */
const MAX_JSON_BYTES = 100_000_000

/** Of all header blocks in the file; most programs refuse a server's own above 16 kB. */
const MAX_HEAD_BYTES = 1_000_000

/** Also a pipe: shells pass the output of another program as one. */
async function readBytes(file: string, maxBytes: number): Promise<Buffer> {
  try {
    return await readFileUpTo(file, maxBytes)
  } catch (error) {
    if (error instanceof RangeError) throw new CommandFailure('TOO_LARGE', error.message)
    const reason = propertyOf(error, 'code') === 'EISDIR' ? 'it is a folder' : messageOf(error)
    throw new CommandFailure('UNREADABLE', `${file}: could not be read (${reason})`)
  }
}

const STATUS_LINE = /^HTTP\/\d(?:\.\d)? (\d{3})(?: |$)/

/**
 * Reads the head of a response. A file of curl has one block for each response (a proxy's, an interim one, a
 * redirect); the last one counts.
 */
export function parseHead(text: string): Pick<SavedResponse, 'status' | 'headers'> {
  const blocks = text.split(/\r?\n\r?\n/).filter((block) => block.trim() !== '')
  const lines = (blocks.at(-1) ?? '').split(/\r?\n/).filter((line) => line !== '')
  const status = STATUS_LINE.exec(lines[0] ?? '')?.[1]
  const fields = status === undefined ? lines : lines.slice(1)
  const headers = fields.map((line): readonly [string, string] => {
    const colon = line.indexOf(':')
    if (colon < 1) {
      throw new CommandFailure(
        'HEADERS',
        'the headers: expected lines such as "ETag: …", as curl -D writes them',
      )
    }
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return { status: status === undefined ? undefined : Number(status), headers }
}

async function decodeSaved(
  bytes: Buffer,
  coding: string,
  file: string,
): Promise<Uint8Array | undefined> {
  try {
    return await decodeBody(bytes, coding)
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    throw new CommandFailure('TOO_LARGE', `${file}: ${error.message}`)
  }
}

/** Reads a saved response. A body in its content coding is decoded; one that curl decoded already is not. */
export async function readSavedResponse(
  headersFile: string,
  bodyFile: string | undefined,
): Promise<SavedResponse> {
  const head = parseHead((await readBytes(headersFile, MAX_HEAD_BYTES)).toString('latin1'))
  const bytes =
    bodyFile === undefined ? Buffer.alloc(0) : await readBytes(bodyFile, MAX_RESPONSE_BYTES)
  const coding = codingOf(readHeaders(head.headers))
  const decoded =
    coding === undefined ? undefined : await decodeSaved(bytes, coding, bodyFile ?? '')
  return { ...head, body: decoded ?? bytes }
}

/** Parses a file as JSON, without quoting it in errors. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = (await readBytes(file, MAX_JSON_BYTES)).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailure('JSON', `${file}: expected JSON`)
  }
}

/** The keys of a saved signing-key document: the response's body, or only its `data`. */
export async function readKeysFile(file: string): Promise<readonly VerificationKey[]> {
  const content = await readJsonFile(file)
  return parseSigningKeys(propertyOf(content, 'data') ?? content)
}
