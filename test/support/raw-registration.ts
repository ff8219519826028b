import { rawRequest, sendRaw, type RawResponse } from './raw-http.ts'
import { toResponse, type ReceivedResponse } from './received-response.ts'
import { REGISTER, type RegisteringApp } from './registering-app.ts'

/** A registration as its bytes go over the socket. */
export interface RawRegistration {
  readonly method?: string
  readonly target?: string
  /** Header lines besides Host, the client's address and the framing; default: `application/json`. */
  readonly headers?: readonly string[]
  /** Text goes in UTF-8. */
  readonly body?: string | Uint8Array
  /** Undefined: with Content-Length. Otherwise the body is sent in chunks of at most this size. */
  readonly chunkBytes?: number
  /** The client's address; default: a new one for each call. */
  readonly address?: string
}

export const JSON_TYPE: readonly string[] = ['Content-Type: application/json']

let callers = 0

/** An address that no other request of this process came from. */
export function nextAddress(): string {
  callers += 1
  return `172.${16 + ((callers >> 16) & 15)}.${(callers >> 8) & 255}.${callers & 255}`
}

function chunked(bytes: Buffer, chunkBytes: number): string {
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes)
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`)
  }
  return `${chunks.join('')}0\r\n\r\n`
}

/** The bytes of a registration, as `sendRaw` takes them. */
export function rawRegistration({
  method = 'POST',
  target = REGISTER,
  headers = JSON_TYPE,
  body = '',
  chunkBytes,
  address = nextAddress(),
}: RawRegistration): string {
  const bytes = Buffer.from(body)
  const framing =
    chunkBytes === undefined ? `Content-Length: ${bytes.length}` : 'Transfer-Encoding: chunked'
  const head = rawRequest(method, target, [
    'Host: localhost',
    `X-Forwarded-For: ${address}`,
    ...headers,
    framing,
  ])
  return head + (chunkBytes === undefined ? bytes.toString('latin1') : chunked(bytes, chunkBytes))
}

/** Sends a registration over its own socket; returns the response with its header names as received. */
export async function registerRaw(
  app: RegisteringApp,
  registration: RawRegistration,
): Promise<ReceivedResponse & Pick<RawResponse, 'headerNames'>> {
  const { method = 'POST', target = REGISTER } = registration
  const raw = await sendRaw(app.port, rawRegistration(registration))
  return { ...toResponse(method, target, raw), headerNames: raw.headerNames }
}
