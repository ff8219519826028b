import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/*
 * What the listener uses of node:http and node:net that Node does not document. Sources are named by file and function as of
 * Node 26; Node 24 has the same code. test/http/connection/node-http-compat.test.ts fails on a Node version that changes
 * one of them.
 */

interface TcpHandle {
  /** Bytes given to libuv. */
  readonly bytesWritten: number
  /** Of these, the bytes that the kernel has not taken yet. */
  readonly writeQueueSize: number
}

/**
 * Keeps a connection that the client has half-closed open for owed responses. By default Node ends it at once, which
 * loses responses that are still being made (lib/_http_server.js, socketOnEnd).
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Number of bytes that the kernel has taken; it grows while the peer reads. `socket.bytesWritten` counts the bytes of a
 * write at its start. Undefined after the close.
 */
export function takenBytes(socket: Socket): number | undefined {
  const { _handle: handle } = socket as unknown as { readonly _handle?: TcpHandle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : undefined
}
