import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../contract/api-error.ts'

/** A body that nobody wants is read up to here behind its answer; a longer one ends the connection. */
const MAX_DRAINED_BYTES = 65_536

/** The body of one request: read by the step that wants it, or passed over when the answer is written. */
export interface RequestBody {
  /**
   * The whole body, in bytes. Throws ApiError PAYLOAD_TOO_LARGE for one of more than `limitBytes`, stated or sent, and
   * stops reading there (RFC 9110 15.5.14). To be called once.
   */
  read(limitBytes: number): Promise<Buffer>
  /** Reads and forgets what was not read, up to a bound, so that the connection can go on. */
  passOver(): void
}

/**
 * One buffer of its own with all the chunks, which are wiped: they lie in memory that Node reads the next requests into,
 * and a body says what only its handler should know.
 */
function gather(chunks: readonly Buffer[], bytes: number): Buffer {
  const body = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  for (const chunk of chunks) {
    at += chunk.copy(body, at)
    chunk.fill(0)
  }
  return body
}

/** A request that has no body. */
export const NO_BODY: RequestBody = {
  read: () => Promise.resolve(Buffer.alloc(0)),
  passOver() {},
}

/** Whether a request says that a body follows. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** Passes over what is left, and hangs up behind the answer once that is more than the bound. */
function drain(request: IncomingMessage, response: ServerResponse, hangUp: () => void): void {
  let left = MAX_DRAINED_BYTES
  function count(chunk: Buffer): void {
    left -= chunk.length
    if (left >= 0) return
    request.off('data', count)
    request.pause()
    const end = () => {
      hangUp()
      request.resume()
    }
    if (response.writableFinished) end()
    else response.once('finish', end)
  }
  request.on('data', count)
  // A reader that stopped at its limit paused it, and a listener alone does not set that going again.
  request.resume()
}

/** The body of a request that has one. `hangUp` ends the connection behind what was written. */
export function openRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  hangUp: () => void,
): RequestBody {
  let isRead = false
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
          isRead = true
          resolve(gather(chunks, bytes))
        }
        /** The connection is gone, or refused for what came on it: nobody gets the answer that this makes. */
        function breakOff(): void {
          stop()
          reject(new ApiError('INVALID_JSON'))
        }
        request.on('data', take)
        request.once('end', finish)
        request.once('close', breakOff)
        request.once('error', breakOff)
      }),
    passOver() {
      if (!isRead) drain(request, response, hangUp)
    },
  }
}
