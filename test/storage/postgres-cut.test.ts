import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createPostgresSession } from '../../src/storage/postgres/postgres-session.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import { serveTcp } from '../support/loopback-server.ts'

function message(type: string, ...fields: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(fields.map((field) => Buffer.from(field)))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const READY = message('Z', 'I')
const FATAL = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0')

/** The response to a statement and the end of the connection, as `pg_terminate_backend` sends them. */
const RESPONSE_AND_END = Buffer.concat([message('C', 'SELECT 0\0'), READY, FATAL])

/** A server that accepts anyone, and answers the first statement with the bytes above in two chunks. */
async function startServer(t: TestContext, border: number): Promise<string> {
  const port = await serveTcp(t, (socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), READY]))
      socket.once('data', () => {
        socket.write(RESPONSE_AND_END.subarray(0, border))
        setImmediate(() => socket.end(RESPONSE_AND_END.subarray(border)))
      })
    })
  })
  return `postgres://reader@127.0.0.1:${port}/db`
}

test('a connection that ends in the chunk of a response ends no call without a result', async (t) => {
  const borders = [0, 1, 14, 15, 16, 20, 21, 26, RESPONSE_AND_END.length]
  for (const border of borders) {
    const session = createPostgresSession({ url: await startServer(t, border), where: 'test' })
    // More calls than connections, so that the pool passes a connection on while it reads the chunk.
    const queries = Array.from({ length: 12 }, () => session.query('SELECT 1'))
    const transactions = Array.from({ length: 12 }, () =>
      session.transact('volatile', (client) => client.query('SELECT 1')),
    )
    for (const outcome of await Promise.allSettled([...queries, ...transactions])) {
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof StorageError)
    }
    await session.close()
  }
})
