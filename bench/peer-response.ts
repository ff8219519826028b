import { createPublicKey, verify } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { HEADERS } from '../src/contract/headers.ts'
import { formatContentDigest, formatSignedText } from '../src/contract/signature.ts'
import { sha256Base64 } from '../src/crypto/sha256.ts'

/** One complete response. */
export interface FetchedResponse {
  readonly target: string
  readonly status: number
  /** Names and values as received. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
}

/** The response of the service that a peer repeats, in the file that the peer reads. */
export interface PeerResponse {
  readonly target: string
  /** Headers that no request changes, including Content-Length; names and values, alternating. */
  readonly headers: readonly string[]
  readonly bodyBase64: string
  /** PKCS#8 PEM of the key that signs. */
  readonly signingKeyPem: string
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

const SIGNING_HEADERS = [HEADERS.contentDigest, HEADERS.signedAt, HEADERS.signature]
const CONNECTION_HEADERS = ['Date', 'Connection', 'Keep-Alive']

function fieldsWithout({ fields }: FetchedResponse, names: readonly string[]) {
  const excluded = new Set(names.map((name) => name.toLowerCase()))
  return fields.filter(([name]) => !excluded.has(name.toLowerCase()))
}

/** The response that a peer must send. */
export function peerResponseOf(response: FetchedResponse, signingKeyPem: string): PeerResponse {
  const ownHeaders = [...CONNECTION_HEADERS, ...SIGNING_HEADERS, HEADERS.requestId]
  const headers = fieldsWithout(response, ownHeaders).flat()
  const bodyBase64 = response.body.toString('base64')
  return { target: response.target, headers, bodyBase64, signingKeyPem }
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
  const ignored = [...CONNECTION_HEADERS, ...(isSigned ? [] : SIGNING_HEADERS)]
  const describe = (response: FetchedResponse) => {
    const names = fieldsWithout(response, ignored).map(([field]) => field.toLowerCase())
    const headers = names.toSorted().join(' ')
    return `status ${response.status}, ${response.body.length} bytes, headers ${headers}`
  }
  if (describe(service) !== describe(peer)) {
    throw new Error(`${name}: expected ${describe(service)}; found ${describe(peer)}`)
  }
  if (isSigned && !isSignatureValid(peer, signingKeyPem)) {
    throw new Error(`${name}: expected a valid signature`)
  }
}
