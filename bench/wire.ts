import type { Load } from './load.ts'

// The part of HTTP/1.1 that the load generator needs.

const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/** As curl sends them: a request with Host alone would be unrealistically cheap to parse. */
const CLIENT_HEADERS = { 'User-Agent': 'curl/8.14.1', Accept: '*/*' }

/** The head of a request, including the empty line. */
export function requestHead(
  port: number,
  method: string,
  target: string,
  headers: Load['headers'],
): string {
  const fields = { Host: `127.0.0.1:${port}`, ...CLIENT_HEADERS, ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Length of the first response in the buffer, or undefined while it is incomplete. Throws for another status. */
export function responseBytes(
  received: Buffer,
  { method, expectedStatus }: Pick<Load, 'method' | 'expectedStatus'>,
): number | undefined {
  const end = received.indexOf(HEAD_END)
  if (end === -1) return undefined
  const head = received.toString('latin1', 0, end + 2)
  const status = head.slice(9, 12)
  if (status !== String(expectedStatus)) {
    throw new Error(`expected the status ${expectedStatus}, found ${status}`)
  }
  const hasBody = method !== 'HEAD' && expectedStatus !== 304
  const bytes = end + 4 + (hasBody ? Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0) : 0)
  return received.length < bytes ? undefined : bytes
}
