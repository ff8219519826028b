import assert from 'node:assert/strict'
import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { openCalls, openPrimaryChannel } from '../../src/process/worker-channel.ts'

/** Both ends of a channel: what one sends is a message at the other. */
function channel(): readonly [Worker, Worker] {
  const [one, other] = [new EventEmitter(), new EventEmitter()]
  const end = (own: EventEmitter, peer: EventEmitter) =>
    Object.assign(own, {
      isConnected: () => true,
      send: (message: unknown) => setImmediate(() => peer.emit('message', message)),
    }) as unknown as Worker
  return [end(one, other), end(other, one)]
}

test('a worker performs the calls of the primary after one that failed', async () => {
  const [ofPrimary, ofWorker] = channel()
  const call = openCalls(ofPrimary, { boot: () => ({}) })
  const { serve } = await openPrimaryChannel(ofWorker)
  const released: unknown[] = []
  serve({
    release: (update) => void released.push(update),
    signing: async () => {},
    status: async () => Promise.reject(new Error('no figures')),
  })
  await assert.rejects(call('perform', ['status']), /failed/)
  await call('perform', ['release', 'an update'])
  assert.deepEqual(released, ['an update'])
})
