import { formatSignedText } from '@public-api/contract/http/signature'
import { HEADERS } from '@public-api/contract/terms/headers'
import { bytesOfBody, type App, type Reply } from '../../http/api-request.ts'

/**
 * The response of the API to a GET of a path or a path with a query, without headers, as the pages send it to their own
 * API; undefined unless it is a 200.
 */
export function replyOf(api: App, target: string): Reply | undefined {
  const reply = api({
    method: 'GET',
    target,
    path: target.replace(/\?.*/, ''),
    header: () => undefined,
    peerAddress: () => '',
    readBody: () => Promise.resolve(new Uint8Array()),
  })
  // All but the OpenAPI document are served without waiting.
  return reply instanceof Promise || reply.status !== 200 ? undefined : reply
}

/** A signed response of this service to a plain GET, and its request; undefined unless it is a signed 200. */
export function readSampleResponse(api: App, target: string) {
  const reply = replyOf(api, target)
  if (reply?.body === undefined || !reply.headers.includes(HEADERS.signature)) return undefined
  const { status, headers } = reply
  const body = bytesOfBody(reply.body).toString()
  const valueOf = (name: string): string => headers[headers.indexOf(name) + 1] ?? ''
  const method = 'GET'
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
    /** The six lines that the signature covers. */
    signedLines: signedText.split('\n'),
  }
}

export type SampleResponse = NonNullable<ReturnType<typeof readSampleResponse>>
