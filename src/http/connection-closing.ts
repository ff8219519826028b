import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A connection that this side ended is read on for so long, so that nothing still coming resets the last answer away. */
const LINGER_MS = 2000

/** Ends a connection with the given bytes, and gives the client time to read them (RFC 9112 9.6). */
export function endConnection(socket: Socket, bytes: string): void {
  // Ended already, behind an answer that said so.
  if (!socket.writable) return
  socket.end(bytes, 'latin1')
  // Read on, so that the client's own end is noticed and what it still sends does not reset the answer away.
  socket.resume()
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
}

/** Makes a server end each connection in stages: either side may have said all it will while the other still reads. */
export function closeInStages(server: Server): void {
  // A client that has closed its side still reads: it gets the answers that are being made, and then the connection ends.
  // Without this an answer that has to wait for the disk would be thrown away. Node has it since its first years and does
  // not document it; a test holds that it works.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Behind its last answer Node closes a connection at once. A body that still comes, or requests that were sent behind
  // it, would reset the answers away that the client has not read yet.
  server.on('connection', (socket: Socket) => {
    socket.destroySoon = () => endConnection(socket, '')
  })
}
