import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createPipelinedRequests } from '../../src/http/pipelined-requests.ts'

/** Requests of one connection whose answers come when the test says so. */
function makeConnection() {
  const inTurn = createPipelinedRequests()
  const socket = new Socket()
  const started: string[] = []
  const finish = new Map<string, () => void>()
  return {
    started,
    ask(method: string, name: string, on = socket) {
      inTurn(on, method, () => {
        started.push(name)
        return new Promise((resolve) => {
          finish.set(name, resolve)
        })
      })
    },
    askAtOnce(method: string, name: string) {
      inTurn(socket, method, () => {
        started.push(name)
        return undefined
      })
    },
    async finish(name: string) {
      finish.get(name)?.()
      // Whatever waits for it starts within some turns of the event loop.
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
    },
  }
}

test('safe requests are worked on together', async () => {
  const connection = makeConnection()
  for (const [index, method] of ['GET', 'HEAD', 'OPTIONS', 'GET'].entries()) {
    connection.ask(method, String(index))
  }
  assert.deepEqual(connection.started, ['0', '1', '2', '3'])
})

test('what is behind an unsafe request waits for it, in order', async () => {
  const connection = makeConnection()
  connection.ask('DELETE', 'revoke')
  connection.ask('GET', 'first')
  connection.ask('GET', 'second')
  connection.askAtOnce('GET', 'third')
  assert.deepEqual(connection.started, ['revoke'])
  await connection.finish('revoke')
  assert.deepEqual(connection.started, ['revoke', 'first'])
  await connection.finish('first')
  assert.deepEqual(connection.started, ['revoke', 'first', 'second'])
  await connection.finish('second')
  assert.deepEqual(connection.started, ['revoke', 'first', 'second', 'third'])
})

test('an unsafe request waits for all that came before it', async () => {
  const connection = makeConnection()
  connection.ask('GET', 'first')
  connection.ask('GET', 'second')
  connection.ask('POST', 'write')
  await connection.finish('second')
  assert.deepEqual(connection.started, ['first', 'second'])
  await connection.finish('first')
  assert.deepEqual(connection.started, ['first', 'second', 'write'])
  await connection.finish('write')
  connection.ask('GET', 'later')
  connection.ask('GET', 'together')
  assert.deepEqual(
    connection.started.slice(3),
    ['later', 'together'],
    'nothing is left to wait for',
  )
})

test('connections do not wait for each other, and what answers at once holds nothing up', async () => {
  const connection = makeConnection()
  connection.askAtOnce('POST', 'at once')
  connection.ask('POST', 'slow')
  connection.ask('POST', 'elsewhere', new Socket())
  assert.deepEqual(connection.started, ['at once', 'slow', 'elsewhere'])
})
