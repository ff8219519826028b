import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as node from '@public-api/client-internal/node/node-crypto'
import * as web from '@public-api/client-internal/web-crypto'
import {
  assert as assertProperty,
  asyncProperty,
  constantFrom,
  nat,
  oneof,
  string,
  uint8Array,
} from 'fast-check'
import { ANY_CODE_POINT } from '../support/any-text.ts'

test('the modules for Node and for WebCrypto export the same functions', () => {
  assert.deepEqual(Object.keys(node).toSorted(), Object.keys(web).toSorted())
})

test('Node and WebCrypto hash bytes and texts alike', async () => {
  const contents = oneof(
    uint8Array({ maxLength: 300 }),
    string({ unit: ANY_CODE_POINT, maxLength: 300 }),
  )
  const pairs = constantFrom(
    [node.sha256Base64, web.sha256Base64],
    [node.sha256Base64url, web.sha256Base64url],
    [node.sha256Hex, web.sha256Hex],
  )
  await assertProperty(
    asyncProperty(contents, pairs, async (content, [ofNode, ofWeb]) => {
      assert.equal(await ofNode?.(content), await ofWeb?.(content))
    }),
  )
  assert.deepEqual(
    Buffer.from(await node.sha256('abc')),
    Buffer.from(await web.sha256(Buffer.from('abc'))),
  )
  assert.equal(
    await web.sha256Hex('abc'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('Node and WebCrypto agree about valid signatures and changed bits', async () => {
  const { subtle } = crypto
  const pair = await subtle.generateKey('Ed25519', true, ['sign'])
  const publicKey = new Uint8Array(await subtle.exportKey('raw', pair.publicKey))
  const byNode = await node.importEd25519(publicKey)
  const byWeb = await web.importEd25519(publicKey)
  const bytes = (options: object) => uint8Array(options).map((made) => new Uint8Array(made))
  await assertProperty(
    asyncProperty(bytes({ minLength: 1, maxLength: 300 }), nat(511), async (signed, bit) => {
      const signature = new Uint8Array(await subtle.sign('Ed25519', pair.privateKey, signed))
      assert.equal(await byNode(signature, signed), true)
      assert.equal(await byWeb(signature, signed), true)
      signature[bit >> 3] = (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(await byNode(signature, signed), false)
      assert.equal(await byWeb(signature, signed), false)
    }),
  )
})
