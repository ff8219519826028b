import { readFile } from 'node:fs/promises'

import { readHeaders } from '../../client/header-fields.ts'
import { parseSigningKeys } from '../../client/signing-keys.ts'
import type { VerificationKey } from '../../client/verification-key.ts'
import { messageOf } from '../../contract/error-message.ts'
import { propertyOf } from '../../service/property-of.ts'
import { CommandFailure } from '../command-failure.ts'
import { codingOf, decodeBody } from './requests.ts'

/** An answer from files, as `curl -D HEADERS -o BODY` wrote them. */
export interface SavedAnswer {
  /** Of the last status line; undefined where there is none. */
  readonly status: number | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw new CommandFailure('UNREADABLE', `${file}: could not be read (${messageOf(error)})`)
  }
}

const STATUS_LINE = /^HTTP\/\d(?:\.\d)? (\d{3})(?: |$)/

/**
 * Reads the head of an answer. A file of curl holds one block for each answer on the way (a proxy's, an interim one,
 * a redirect); the last one counts.
 */
export function parseHead(text: string): Pick<SavedAnswer, 'status' | 'headers'> {
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

/** Reads a saved answer. A body that was saved in its content coding is decoded; one that curl decoded is left. */
export async function readSavedAnswer(
  headersFile: string,
  bodyFile: string | undefined,
): Promise<SavedAnswer> {
  const head = parseHead((await readBytes(headersFile)).toString('latin1'))
  const bytes = bodyFile === undefined ? Buffer.alloc(0) : await readBytes(bodyFile)
  const coding = codingOf(readHeaders(head.headers))
  const decoded = coding === undefined ? undefined : await decodeBody(bytes, coding)
  return { ...head, body: decoded ?? bytes }
}

/** Parses a file as JSON, without ever quoting it. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = (await readBytes(file)).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailure('JSON', `${file}: expected JSON`)
  }
}

/** The keys of a saved signing-key document: the answer's body, or its `data` alone. */
export async function readKeysFile(file: string): Promise<readonly VerificationKey[]> {
  const content = await readJsonFile(file)
  return parseSigningKeys(propertyOf(content, 'data') ?? content)
}
