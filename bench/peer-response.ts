import { createPublicKey } from 'node:crypto'
import { HEADERS } from '@public-api/contract/terms/headers'
import { rawRequest, sendRaw, type RawResponse } from '../test/support/raw-http.ts'
import { assertSigned, toResponse } from '../test/support/received-response.ts'

/** One complete response and its target. */
export interface FetchedResponse extends RawResponse {
  readonly target: string
}

/** The response of the service that a peer repeats, in the file that the peer reads. */
export interface PeerResponse {
  readonly target: string
  /** Headers that no request changes, including Content-Length. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bodyBase64: string
  /** PKCS#8 PEM of the key that signs. */
  readonly signingKeyPem: string
}

/** Fetches a target once. */
export async function fetchOnce(port: number, target: string): Promise<FetchedResponse> {
  const request = rawRequest('GET', target, [`Host: 127.0.0.1:${port}`])
  return { target, ...(await sendRaw(port, request)) }
}

const SIGNING_HEADERS = [HEADERS.contentDigest, HEADERS.signedAt, HEADERS.signature]
const CONNECTION_HEADERS = ['Date', 'Connection', 'Keep-Alive']

/** The response that a peer must send. */
export function peerResponseOf(
  { target, headers, headerNames, body }: FetchedResponse,
  signingKeyPem: string,
): PeerResponse {
  const ownHeaders = new Set([...CONNECTION_HEADERS, ...SIGNING_HEADERS, HEADERS.requestId])
  const repeated = headerNames.filter((name) => !ownHeaders.has(name))
  return {
    target,
    headers: repeated.map((name) => [name, headers.get(name.toLowerCase()) ?? '']),
    bodyBase64: Buffer.from(body, 'latin1').toString('base64'),
    signingKeyPem,
  }
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
  const ignoredNames = new Set(ignored.map((each) => each.toLowerCase()))
  const describe = ({ status, headers, body }: FetchedResponse) => {
    const names = [...headers.keys()].filter((each) => !ignoredNames.has(each)).toSorted()
    return `status ${status}, ${body.length} bytes, headers ${names.join(' ')}`
  }
  if (describe(service) !== describe(peer)) {
    throw new Error(`${name}: expected ${describe(service)}; found ${describe(peer)}`)
  }
  if (isSigned) assertSigned(toResponse('GET', peer.target, peer), createPublicKey(signingKeyPem))
}
