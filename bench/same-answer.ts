import { createPublicKey, verify } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { HEADERS } from '../src/contract/headers.ts'
import { formatContentDigest, formatSignedText } from '../src/contract/signature.ts'
import { sha256Base64 } from '../src/crypto/sha256.ts'
import type { PeerAnswer } from './peer.ts'

/** One answer, read to its end. */
export interface Answer {
  readonly target: string
  readonly status: number
  /** Names as they came and values in turn. */
  readonly rawHeaders: readonly string[]
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

/** Asks once, on a keep-alive connection as the load does. */
export async function askOnce(port: number, target: string): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: target, agent: false }, resolve).once('error', reject)
  })
  response.setEncoding('utf8')
  let body = ''
  for await (const text of response) body += String(text)
  const { statusCode = 0, rawHeaders, headers } = response
  return { target, status: statusCode, rawHeaders, headers, body }
}

/** Headers that change with every answer, and those that are the connection's business. */
const OWN_TO_AN_ANSWER: ReadonlySet<string> = new Set([
  HEADERS.requestId,
  HEADERS.contentDigest,
  HEADERS.signedAt,
  HEADERS.signature,
])
const OF_THE_CONNECTION: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive'])

/** What peers must answer, taken from an answer of the service. */
export function peerAnswerOf(answer: Answer, signingKeyPem: string): PeerAnswer {
  const { target, rawHeaders, body } = answer
  const headers: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (OWN_TO_AN_ANSWER.has(name) || OF_THE_CONNECTION.has(name.toLowerCase())) continue
    headers.push(name, value)
  }
  const { schema } = JSON.parse(body) as { schema: string }
  // The text as it is on the wire, not written again: members keep their order.
  const dataJson = body.slice(body.indexOf('"data":') + '"data":'.length, -1)
  return { target, schemaId: schema, headers, dataJson, signingKeyPem }
}

function namesOf({ headers }: Answer, isSigned: boolean): string {
  const signing = new Set<string>(
    [HEADERS.contentDigest, HEADERS.signedAt, HEADERS.signature].map((name) => name.toLowerCase()),
  )
  return Object.keys(headers)
    .filter((name) => !OF_THE_CONNECTION.has(name) && (isSigned || !signing.has(name)))
    .toSorted()
    .join(' ')
}

function isSignatureRight(answer: Answer, signingKeyPem: string): boolean {
  const { target, status, headers, body } = answer
  const header = (name: string) => String(headers[name.toLowerCase()])
  const signedAt = header(HEADERS.signedAt)
  const contentDigest = formatContentDigest(sha256Base64(body))
  const text = formatSignedText({ method: 'GET', target, status, signedAt, contentDigest })
  const signature = Buffer.from(header(HEADERS.signature), 'base64')
  return (
    header(HEADERS.contentDigest) === contentDigest &&
    verify(null, Buffer.from(text, 'latin1'), createPublicKey(signingKeyPem), signature)
  )
}

/** Throws, with the difference in words, unless a peer sends what the service sends. */
export function requireSameAnswer(
  name: string,
  service: Answer,
  peer: Answer,
  isSigned: boolean,
  signingKeyPem: string,
): void {
  const compare = <Value extends string | number | boolean>(
    what: string,
    expected: Value,
    found: Value,
  ) => {
    if (expected !== found) {
      throw new Error(`${name} answers otherwise: ${what} ${found}, the service has ${expected}`)
    }
  }
  compare('status', service.status, peer.status)
  compare('body bytes', Buffer.byteLength(service.body), Buffer.byteLength(peer.body))
  compare('headers', namesOf(service, isSigned), namesOf(peer, true))
  if (isSigned) compare('a right signature:', true, isSignatureRight(peer, signingKeyPem))
}
