import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import {
  createOpensslSigner,
  openResponseSigner,
  type ResponseSigner,
} from '../../src/crypto/response-signer.ts'
import { TEST_SIGNING_KEY } from '../vectors/signing-key.ts'

/** Longest text that libsodium's signer takes from its own buffer. */
const SCRATCH_BYTES = 4096

async function libsodium(t: TestContext): Promise<ResponseSigner | undefined> {
  const reasons: string[] = []
  const signer = await openResponseSigner(TEST_SIGNING_KEY, (reason) => reasons.push(reason))
  if (signer.implementation === 'libsodium') return signer
  t.skip(reasons.join())
  return undefined
}

test('OpenSSL gives the signature of RFC 8032 section 7.1 test 1', () => {
  assert.equal(
    Buffer.from(createOpensslSigner(TEST_SIGNING_KEY).sign(''), 'base64').toString('hex'),
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  )
})

test('a signature is 88 characters of padded base64 and verifies over the latin1 bytes', () => {
  const publicKey = createPublicKey(TEST_SIGNING_KEY)
  const signature = createOpensslSigner(TEST_SIGNING_KEY).sign('caf\u00e9\n\u00ff')
  assert.match(signature, /^[A-Za-z0-9+/]{86}==$/)
  const bytes = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0xff])
  assert.ok(verify(null, bytes, publicKey, Buffer.from(signature, 'base64')))
})

test('libsodium and OpenSSL give the same bytes for any text of latin1 characters', async (t) => {
  const fast = await libsodium(t)
  if (fast === undefined) return
  const sure = createOpensslSigner(TEST_SIGNING_KEY)
  const latin1 = fc.string({
    unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCodePoint(code)),
    maxLength: 300,
  })
  fc.assert(
    fc.property(latin1, (text) => {
      assert.equal(fast.sign(text), sure.sign(text))
    }),
  )
})

test("both agree around and beyond the buffer's length, independent of earlier signatures", async (t) => {
  const fast = await libsodium(t)
  if (fast === undefined) return
  const sure = createOpensslSigner(TEST_SIGNING_KEY)
  const length = fc.oneof(
    fc.integer({ min: SCRATCH_BYTES - 2, max: SCRATCH_BYTES + 2 }),
    fc.integer({ min: 0, max: 3 * SCRATCH_BYTES }),
  )
  const texts = fc.array(
    fc
      .tuple(length, fc.constantFrom('x', '\u00e9', '\u00ff', '/a?b='))
      .map(([count, unit]) => unit.repeat(count).slice(0, count)),
    { minLength: 1, maxLength: 4 },
  )
  fc.assert(
    fc.property(texts, (each) => {
      for (const text of each) assert.equal(fast.sign(text), sure.sign(text))
    }),
    { numRuns: 40 },
  )
})

test('two signers are independent', async (t) => {
  const fast = await libsodium(t)
  if (fast === undefined) return
  const otherKey = generateKeyPairSync('ed25519').privateKey
  const other = await openResponseSigner(otherKey)
  for (const text of ['one', 'two']) {
    assert.equal(other.sign(text), createOpensslSigner(otherKey).sign(text))
    assert.equal(fast.sign(text), createOpensslSigner(TEST_SIGNING_KEY).sign(text))
  }
})

test('falls back to OpenSSL without libsodium and reports the reason', async () => {
  const reasons: string[] = []
  const signer = await openResponseSigner(
    TEST_SIGNING_KEY,
    (reason) => reasons.push(reason),
    async () => undefined,
  )
  assert.equal(signer.implementation, 'openssl')
  assert.deepEqual(reasons, ['sodium-native does not load here'])
  assert.equal(signer.sign('text'), createOpensslSigner(TEST_SIGNING_KEY).sign('text'))
})

test("does not use a libsodium whose signatures differ from OpenSSL's", async () => {
  const reasons: string[] = []
  const signer = await openResponseSigner(
    TEST_SIGNING_KEY,
    (reason) => reasons.push(reason),
    async () => ({
      crypto_sign_seed_keypair() {},
      crypto_sign_detached(signature: Buffer) {
        signature.fill(7)
      },
    }),
  )
  assert.equal(signer.implementation, 'openssl')
  assert.deepEqual(reasons, ['libsodium and OpenSSL disagree on a signature'])
})

test('detects a libsodium that fails for some texts only', async () => {
  const openssl = createOpensslSigner(TEST_SIGNING_KEY)
  const isWrongFor = {
    'the empty text': (message: Buffer) => message.length === 0,
    'a text of lines': (message: Buffer) => message.includes('\n'),
    'a long text': (message: Buffer) => message.length > SCRATCH_BYTES,
    'no text': () => false,
  }
  for (const [what, isWrong] of Object.entries(isWrongFor)) {
    const signer = await openResponseSigner(
      TEST_SIGNING_KEY,
      () => {},
      async () => ({
        crypto_sign_seed_keypair() {},
        crypto_sign_detached(signature: Buffer, message: Buffer) {
          signature.set(Buffer.from(openssl.sign(message.toString('latin1')), 'base64'))
          if (isWrong(message)) signature.writeUInt8(signature.readUInt8(63) ^ 1, 63)
        },
      }),
    )
    assert.equal(signer.implementation, what === 'no text' ? 'libsodium' : 'openssl', what)
  }
})
