import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as assertProperty, asyncProperty, uint8Array } from 'fast-check'
import { digestSha256 as ofPlatform } from '#digest'
import { digestSha256 as ofNode } from '../../src/client-node/node-digest.ts'
import { digestSha256 as ofWebCrypto } from '../../src/client/web-digest.ts'

test('both ways to hash bytes come to the same, and here Node’s own is taken', async () => {
  assert.equal(ofPlatform, ofNode)
  await assertProperty(
    asyncProperty(uint8Array({ maxLength: 300 }), async (bytes) => {
      const [ours, theirs] = [await ofNode(bytes), await ofWebCrypto(bytes)]
      assert.deepEqual([...ours], [...theirs])
      assert.equal(ours.length, 32)
    }),
  )
})
