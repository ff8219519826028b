import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/api-error.ts'

/** An unread body up to this length is discarded after the response; a longer one closes the connection. */
const MAX_DISCARDED_BYTES = 65_536

/** The body of one request: read by the step that needs it, or discarded after the response. */
export interface RequestBody {
  /**
   * The whole body. Throws ApiError PAYLOAD_TOO_LARGE if it has more than `limitBytes`, declared or sent, and stops
   * reading there (RFC 9110 15.5.14). Call it once.
   */
  read(limitBytes: number): Promise<Buffer>
  /** Whether the connection must close after the response, because the rest of the body may be too long to discard. */
  isTooLongToDiscard(): boolean
  /** Discards the rest, so that the connection can be reused. */
  discard(): void
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

export const NO_BODY: RequestBody = {
  read: () => Promise.resolve(Buffer.alloc(0)),
  isTooLongToDiscard: () => false,
  discard() {},
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

export function openRequestBody(request: IncomingMessage): RequestBody {
  return {
    read: (limitBytes) =>
      new Promise((resolve, reject) => {
        if (Number(request.headers['content-length']) > limitBytes) {
          reject(new ApiError('PAYLOAD_TOO_LARGE'))
          return
        }
        const chunks: Buffer[] = []
        let bytes = 0
        function stop(): void {
          request.off('data', take)
          request.off('end', finish)
          request.off('close', breakOff)
          request.off('error', breakOff)
        }
        function take(chunk: Buffer): void {
          bytes += chunk.length
          chunks.push(chunk)
          if (bytes <= limitBytes) return
          stop()
          request.pause()
          for (const each of chunks) each.fill(0)
          reject(new ApiError('PAYLOAD_TOO_LARGE'))
        }
        function finish(): void {
          stop()
          resolve(gather(chunks, bytes))
        }
        /** The connection is closed or was rejected, so the response is not sent. */
        function breakOff(): void {
          stop()
          reject(new ApiError('INVALID_JSON'))
        }
        request.on('data', take)
        request.once('end', finish)
        request.once('close', breakOff)
        request.once('error', breakOff)
      }),
    isTooLongToDiscard() {
      if (request.complete) return false
      // A chunked body declares no length.
      return !(Number(request.headers['content-length']) <= MAX_DISCARDED_BYTES)
    },
    discard() {
      // A read that stopped at its limit has paused the request.
      request.resume()
    },
  }
}
