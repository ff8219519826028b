import { createHash, type KeyObject } from 'node:crypto'
import type { VectorOutcome, Vector, VectorResponse } from '../support/vector.ts'
import { headerOf } from './recorded-responses.ts'
import { signAgain, signedTextOf, withHeader } from './response-changes.ts'
import { TEST_SIGNING_KEY } from './signing-key.ts'

const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27742317777372353535851937790883648493n
const ORDER_8_Y = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n
const SIGN_BIT = 2n ** 255n
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

function toBytes(number: bigint): Buffer {
  return Buffer.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex').toReversed())
}

function fromBytes(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`)
}

/** The factor of the public key in the equation of a signature (RFC 8032 5.1.7 step 2). */
function challengeOf(r: Uint8Array, publicKey: Uint8Array, text: string): bigint {
  const hash = createHash('sha512').update(r).update(publicKey).update(text, 'latin1').digest()
  return fromBytes(hash) % L
}

/** The secret scalar of a private key (RFC 8032 5.1.5). */
function scalarOf(key: KeyObject): bigint {
  const seed = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
  const bytes = createHash('sha512').update(seed).digest().subarray(0, 32)
  bytes[0] = (bytes[0] ?? 0) & 248
  bytes[31] = ((bytes[31] ?? 0) & 63) | 64
  return fromBytes(bytes)
}

/** A key as a document would offer it, whatever its bytes, under the id that follows from its text. */
function describeBytes(bytes: Uint8Array, x: string): Vector['publicKey'] {
  const body = Buffer.concat([SPKI_PREFIX, bytes]).toString('base64')
  return {
    keyId: createHash('sha256')
      .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
      .digest('base64url'),
    jwk: { kty: 'OKP', crv: 'Ed25519', x },
    pem: `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`,
  }
}

/** Keys that stand for no secret: a lax verifier takes one signature under them for every text. */
const WEAK_KEYS: readonly (readonly [name: string, description: string, encoding: bigint])[] = [
  ['small-order-key-1', 'The key is the neutral point: anyone can sign for it.', 1n],
  ['small-order-key-2', 'The key is the point of order 2.', P - 1n],
  ['small-order-key-4', 'The key is a point of order 4.', 0n],
  ['small-order-key-8', 'The key is a point of order 8.', ORDER_8_Y],
  ['small-order-key-8-negative', 'The key is another point of order 8.', P - ORDER_8_Y + SIGN_BIT],
  ['non-canonical-key', 'The key is the neutral point with a y that is not reduced.', P + 1n],
  [
    'non-canonical-key-sign',
    'The key is the neutral point with a sign though x is 0.',
    1n + SIGN_BIT,
  ],
]

/** The response at the first time at which R = neutral, S = 0 fits a key of small order, so that a lax check accepts it. */
function signedByNobody(good: Vector, publicKey: Uint8Array): VectorResponse {
  const neutral = toBytes(1n)
  const signature = Buffer.concat([neutral, toBytes(0n)]).toString('base64')
  const firstMs = Date.parse(headerOf(good.response, 'X-SVC-Signed-At'))
  for (let atMs = firstMs; ; atMs += 1) {
    const signedAt = new Date(atMs).toISOString()
    const response = withHeader(good.response, 'X-SVC-Signed-At', signedAt)
    const text = signedTextOf(good.request, response)
    if (challengeOf(neutral, publicKey, text) % 8n === 0n) {
      return withHeader(response, 'X-SVC-Signature', signature)
    }
  }
}

/** A signature whose R stands for the neutral point, by the holder of the key: the equation holds, the form must not. */
function signedWithR(good: Vector, r: Uint8Array): string {
  const publicKey = Buffer.from(good.publicKey.jwk.x, 'base64url')
  const text = signedTextOf(good.request, good.response)
  const s = (challengeOf(r, publicKey, text) * scalarOf(TEST_SIGNING_KEY)) % L
  return Buffer.concat([r, toBytes(s)]).toString('base64')
}

/** The response at the first time whose signature has the two characters in which base64 and base64url differ. */
function signedWithBothSigns(good: Vector): VectorResponse {
  const firstMs = Date.parse(headerOf(good.response, 'X-SVC-Signed-At'))
  for (let atMs = firstMs; ; atMs += 1) {
    const signedAt = new Date(atMs).toISOString()
    const response = withHeader(good.response, 'X-SVC-Signed-At', signedAt)
    const signed = signAgain(good.request, response, TEST_SIGNING_KEY)
    const base64 = headerOf(signed, 'X-SVC-Signature')
    if (base64.includes('+') && base64.includes('/')) return signed
  }
}

/** The last character before the padding, with a bit set that belongs to no byte. */
function withStrayBit(base64: string, paddingLength: number): string {
  const at = base64.length - paddingLength - 1
  const next = String.fromCharCode(base64.charCodeAt(at) + 1)
  return base64.slice(0, at) + next + base64.slice(at + 1)
}

/** Edge cases of Ed25519 and of the encodings of its keys and signatures. */
export function ed25519Vectors(good: Vector): ReadonlyMap<string, Vector> {
  const { signedText: _, ...base } = good
  const vectors = new Map<string, Vector>()
  const add = (
    name: string,
    expected: VectorOutcome,
    description: string,
    change: Partial<Vector>,
  ): void => {
    vectors.set(name, { ...base, description, expected, ...change })
  }
  const addSignature = (name: string, description: string, signature: string): void => {
    const response = withHeader(good.response, 'X-SVC-Signature', signature)
    add(name, 'SIGNATURE', description, { response })
  }
  const addKey = (name: string, description: string, x: string): void => {
    const publicKey = describeBytes(Buffer.from(x, 'base64'), x)
    add(name, 'UNKNOWN_KEY', description, { publicKey, pinnedKeyId: publicKey.keyId })
  }

  for (const [name, description, encoding] of WEAK_KEYS) {
    const bytes = toBytes(encoding)
    const publicKey = describeBytes(bytes, bytes.toString('base64url'))
    add(name, 'UNKNOWN_KEY', description, {
      publicKey,
      pinnedKeyId: publicKey.keyId,
      response: signedByNobody(good, bytes),
    })
  }
  const { x } = good.publicKey.jwk
  addKey('key-padded', 'The key is base64url with padding, which JWK forbids.', `${x}=`)
  addKey(
    'key-standard-alphabet',
    'The key uses the standard base64 alphabet instead of base64url.',
    x.replaceAll('-', '+').replaceAll('_', '/'),
  )
  addKey(
    'key-stray-bit',
    'The last character of the key has a bit that belongs to no byte.',
    withStrayBit(x, 0),
  )
  addKey(
    'key-truncated',
    'The key has 31 bytes.',
    Buffer.from(x, 'base64url').subarray(0, 31).toString('base64url'),
  )

  const base64 = headerOf(good.response, 'X-SVC-Signature')
  const bytes = Buffer.from(base64, 'base64')
  const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32)]
  addSignature(
    'scalar-not-reduced',
    'S has the order of the group added to it: the same signature in other bytes.',
    Buffer.concat([r, toBytes(fromBytes(s) + L)]).toString('base64'),
  )
  addSignature(
    'small-order-r',
    'R is the neutral point. The equation holds, and WebCrypto and libsodium refuse it.',
    signedWithR(good, toBytes(1n)),
  )
  addSignature(
    'non-canonical-r',
    'R is the neutral point with a y that is not reduced.',
    signedWithR(good, toBytes(P + 1n)),
  )
  addSignature(
    'signature-without-padding',
    'The two equals signs are missing.',
    base64.slice(0, -2),
  )
  const both = signedWithBothSigns(good)
  const url = headerOf(both, 'X-SVC-Signature').replaceAll('+', '-').replaceAll('/', '_')
  add('signature-base64url', 'SIGNATURE', 'The signature uses the base64url alphabet.', {
    response: withHeader(both, 'X-SVC-Signature', url),
  })
  addSignature(
    'signature-stray-bit',
    'The last character has a bit that belongs to no byte.',
    withStrayBit(base64, 2),
  )
  addSignature(
    'signature-with-space',
    'There is a space in the base64.',
    `${base64.slice(0, 44)} ${base64.slice(44)}`,
  )
  addSignature(
    'signature-truncated',
    'The signature has 63 bytes.',
    bytes.subarray(0, 63).toString('base64'),
  )
  addSignature(
    'signature-too-long',
    'The signature has a 65th byte.',
    Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64'),
  )
  addSignature(
    'signature-upper-case',
    'The base64 was changed to upper case.',
    base64.toUpperCase(),
  )
  return vectors
}
