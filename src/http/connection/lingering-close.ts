import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { allowHalfOpen, discardInput, replaceDestroySoon } from './node-http-compat.ts'

/** How long input is read after this side has ended, so that late input does not reset the last response. */
const LINGER_MS = 2000

/** Ends a connection with the given bytes, and gives the client time to read them (RFC 9112 9.6). */
export function endConnection(socket: Socket, bytes: string): void {
  if (!socket.writable) return
  socket.end(bytes, 'latin1')
  discardInput(socket)
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
}

/** Makes a server close connections in stages: after this side has ended, the other may still send. */
export function enableLingeringClose(server: Server): void {
  allowHalfOpen(server)
  server.on('connection', (socket: Socket) => {
    replaceDestroySoon(socket, () => endConnection(socket, ''))
  })
}
