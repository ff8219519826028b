import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long input is read after this side has ended, so that late input does not reset the last response. */
const LINGER_MS = 2000

/**
 * Ends this side of a connection after the given bytes, and gives the client time to read them (RFC 9112 9.6). `onSent`
 * is called when the kernel has taken everything.
 */
export function endConnection(socket: Socket, bytes = '', onSent?: () => void): void {
  if (!socket.writable) return
  socket.once('finish', () => {
    onSent?.()
    const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(lingering))
  })
  socket.end(bytes, 'latin1')
}

/**
 * Sends the last response of a connection. It is never ended: Node would then close the connection immediately, and unread
 * input would reset it before the client has read the response.
 */
export function sendLast(
  response: ServerResponse,
  parts: readonly (string | Uint8Array)[],
  onSent?: () => void,
): void {
  const { socket } = response
  response.flushHeaders()
  for (const part of parts) response.write(part)
  if (socket !== null) endConnection(socket, '', onSent)
}
