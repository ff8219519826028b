import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportWaitlist } from '../../src/cli/waitlist/export-command.ts'
import {
  entryOf,
  makeKeyPair,
  memoryWaitlist,
  sealedRegistrations,
} from './waitlist/waitlist-fixture.ts'

test('batches of a waitlist of 10,000 are disjoint and complete', async () => {
  const keys = await makeKeyPair()
  const { store } = memoryWaitlist(await sealedRegistrations(10_000, keys))
  const excluded = new Set<string>()
  const tickets: string[] = []
  for (let isLast = false; !isLast;) {
    let batch = ''
    const { exported, leftOut } = await exportWaitlist({
      store,
      identities: [keys.identity],
      format: 'listmonk',
      batch: { limit: 1_500, excluded },
      write: (part) => {
        batch += Buffer.from(part).toString()
        return Promise.resolve(true)
      },
    })
    assert.equal(leftOut, 0)
    const found = batch.match(/EA-[0-9A-F]{16}/g) ?? []
    assert.equal(found.length, exported)
    tickets.push(...found)
    for (const ticket of found) excluded.add(ticket)
    isLast = exported < 1_500
  }
  assert.deepEqual(
    tickets,
    Array.from({ length: 10_000 }, (_, index) => entryOf(index + 1).ticket),
  )
})
