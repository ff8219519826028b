import { HEADERS } from '../contract/headers.ts'
import { formatSignedText } from '../contract/signature.ts'
import type { ApiRequest, App } from '../http/api-request.ts'

/** A signed response of this service and the request that it responds to. */
export interface SampleResponse {
  readonly method: string
  readonly target: string
  readonly status: number
  readonly signedAt: string
  readonly contentDigest: string
  readonly signature: string
  readonly requestId: string
  readonly etag: string
  readonly body: string
  /** The six lines that the signature covers. */
  readonly signedLines: readonly string[]
}

/** A request without headers, as the pages send it to their own API. */
function plainRequest(target: string): ApiRequest {
  return {
    method: 'GET',
    target,
    path: target,
    header: () => undefined,
    peerAddress: () => '',
    readBody: () => Promise.resolve(new Uint8Array()),
  }
}

/** The body of a response of the API to a plain GET; undefined unless it is a 200. */
export function readBody(api: App, target: string): string | undefined {
  const reply = api(plainRequest(target))
  if (reply instanceof Promise || reply.status !== 200 || reply.body === undefined) return undefined
  return Buffer.from(reply.body).toString()
}

/** A response of the API to a plain GET; undefined unless it is a signed 200. */
export function readSampleResponse(api: App, target: string): SampleResponse | undefined {
  const request = plainRequest(target)
  const reply = api(request)
  // Snapshots are served without waiting.
  if (reply instanceof Promise || reply.status !== 200 || typeof reply.body !== 'string') {
    return undefined
  }
  const valueOf = (name: string): string => reply.headers[reply.headers.indexOf(name) + 1] ?? ''
  if (!reply.headers.includes(HEADERS.signature)) return undefined
  const { method } = request
  const { status, body } = reply
  const signedAt = valueOf(HEADERS.signedAt)
  const contentDigest = valueOf(HEADERS.contentDigest)
  const signedText = formatSignedText({ method, target, status, signedAt, contentDigest })
  return {
    method,
    target,
    status,
    signedAt,
    contentDigest,
    signature: valueOf(HEADERS.signature),
    requestId: valueOf(HEADERS.requestId),
    etag: valueOf(HEADERS.etag),
    body,
    signedLines: signedText.split('\n'),
  }
}
