import { createPublicKey, verify } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { HEADERS } from '../src/contract/headers.ts'
import { formatContentDigest, formatSignedText } from '../src/contract/signature.ts'
import { sha256Base64 } from '../src/crypto/sha256.ts'
import type { PeerResponse } from './peer.ts'

/** One complete response. */
export interface FetchedResponse {
  readonly target: string
  readonly status: number
  /** Names and values as received. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
}

/** Fetches a target once. */
export async function fetchOnce(
  port: number,
  target: string,
  requestHeaders: Readonly<Record<string, string>> = {},
): Promise<FetchedResponse> {
  const options = { host: '127.0.0.1', port, path: target, headers: requestHeaders, agent: false }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(options as object, resolve).once('error', reject)
  })
  const { statusCode = 0, rawHeaders, headers } = response
  const fields = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  )
  return { target, status: statusCode, fields, headers, body: await buffer(response) }
}

const SIGNING_HEADERS: ReadonlySet<string> = new Set([
  HEADERS.contentDigest,
  HEADERS.signedAt,
  HEADERS.signature,
])
const CONNECTION_HEADERS: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive'])

/** The headers that a peer can repeat: names and values, alternating. */
export function repeatableHeadersOf({ fields }: FetchedResponse): readonly string[] {
  return fields
    .filter(([name]) => !CONNECTION_HEADERS.has(name.toLowerCase()))
    .filter(([name]) => !SIGNING_HEADERS.has(name) && name !== HEADERS.requestId)
    .flat()
}

/** The response that peers must send, taken from the service. */
export function peerResponseOf(response: FetchedResponse, signingKeyPem: string): PeerResponse {
  const text = response.body.toString()
  const { schema } = JSON.parse(text) as { schema: string }
  // The text as received, so that members keep their order.
  const dataJson = text.slice(text.indexOf('"data":') + '"data":'.length, -1)
  const { target } = response
  return {
    target,
    schemaId: schema,
    headers: repeatableHeadersOf(response),
    dataJson,
    signingKeyPem,
  }
}

function namesOf({ fields }: FetchedResponse, isSigned: boolean): string {
  return fields
    .filter(([name]) => !CONNECTION_HEADERS.has(name.toLowerCase()))
    .filter(([name]) => isSigned || !SIGNING_HEADERS.has(name))
    .map(([name]) => name.toLowerCase())
    .toSorted()
    .join(' ')
}

function isSignatureValid(response: FetchedResponse, signingKeyPem: string): boolean {
  const { target, status, headers, body } = response
  const header = (name: string) => String(headers[name.toLowerCase()])
  const signedAt = header(HEADERS.signedAt)
  const contentDigest = formatContentDigest(sha256Base64(body.toString()))
  const text = formatSignedText({ method: 'GET', target, status, signedAt, contentDigest })
  const signature = Buffer.from(header(HEADERS.signature), 'base64')
  const isVerified = verify(null, Buffer.from(text), createPublicKey(signingKeyPem), signature)
  return header(HEADERS.contentDigest) === contentDigest && isVerified
}

/** Throws unless a peer's response equals the service's, and names the difference. */
export function requireEqualResponse(
  name: string,
  service: FetchedResponse,
  peer: FetchedResponse,
  isSigned: boolean,
  signingKeyPem: string,
): void {
  const describe = (response: FetchedResponse) =>
    `status ${response.status}, ${response.body.length} bytes, headers ${namesOf(response, isSigned)}`
  if (describe(service) !== describe(peer)) {
    throw new Error(`${name}: expected ${describe(service)}; found ${describe(peer)}`)
  }
  if (isSigned && !isSignatureValid(peer, signingKeyPem)) {
    throw new Error(`${name}: expected a valid signature`)
  }
}
