import type { IncomingMessage } from 'node:http'
import { ApiError } from '@public-api/contract/errors/api-error'

/** An unread body up to this length is discarded after the response; a longer one closes the connection. */
const MAX_DISCARDED_BYTES = 65_536

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** Whether the rest of a body may be too long to discard, so that the connection must close after the response. */
export function isTooLongToDiscard({ complete, headers }: IncomingMessage): boolean {
  // A chunked body declares no length.
  return !complete && !(Number(headers['content-length']) <= MAX_DISCARDED_BYTES)
}

/** Joins chunks. They are wiped, because Node reads later requests into the same memory. */
function gather(chunks: readonly Buffer[], bytes: number): Buffer {
  const body = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  for (const chunk of chunks) {
    at += chunk.copy(body, at)
    chunk.fill(0)
  }
  return body
}

/**
 * The whole body. Throws ApiError PAYLOAD_TOO_LARGE if it has more than `limitBytes`, declared or sent, and stops
 * reading there (RFC 9110 15.5.14). Call it once.
 */
export async function receiveBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0)
  if (Number(request.headers['content-length']) > limitBytes) {
    throw new ApiError('PAYLOAD_TOO_LARGE')
  }
  const chunks: Buffer[] = []
  let bytes = 0
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      // The rest is being discarded.
      if (bytes > limitBytes) return
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes <= limitBytes) return
      request.pause()
      for (const each of chunks) each.fill(0)
      reject(new ApiError('PAYLOAD_TOO_LARGE'))
    })
    request.once('end', resolve)
    // Without an end, the connection is closed or was rejected, so the response is not sent.
    request.once('close', () => reject(new ApiError('INVALID_JSON')))
  })
  return gather(chunks, bytes)
}
