import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isCanonicalPoint, isCanonicalSignature } from '@public-api/client-internal/ed25519'
import { importKey } from '@public-api/client-internal/verification-key'
import type { Vector } from '../support/vector.ts'
import { headerOf } from '../vectors/recorded-responses.ts'
import { signedTextOf } from '../vectors/response-changes.ts'

const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27742317777372353535851937790883648493n

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base % P
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}

const inverse = (number: bigint) => power(((number % P) + P) % P, P - 2n)
const D = (((-121665n * inverse(121666n)) % P) + P) % P

type Point = readonly [x: bigint, y: bigint]

/** The complete addition law of the curve (RFC 8032 5.1.4, in affine coordinates). */
function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const both = (D * x1 * x2 * y1 * y2) % P
  // One inversion for both: 1 / (1 + a) is (1 - a) / (1 - a^2).
  const inverted = inverse(1n - both * both)
  const x = (x1 * y2 + x2 * y1) * (1n - both) * inverted
  const y = (y1 * y2 + x1 * x2) * (1n + both) * inverted
  return [((x % P) + P) % P, ((y % P) + P) % P]
}

/** The point with this y and an even or odd x, or undefined where the curve has none. */
function pointAt(y: bigint, isOdd: boolean): Point | undefined {
  const square = ((y * y - 1n + P) * inverse(D * y * y + 1n)) % P
  let x = power(square, (P + 3n) / 8n)
  if ((x * x) % P !== square) x = (x * power(2n, (P - 1n) / 4n)) % P
  if ((x * x) % P !== square) return undefined
  return [((x & 1n) === 1n) === isOdd || x === 0n ? x : P - x, y]
}

function encode(y: bigint, sign = 0n): Uint8Array {
  const hex = (y | (sign << 255n)).toString(16).padStart(64, '0')
  return Uint8Array.from(Buffer.from(hex, 'hex').toReversed())
}

function multiply(point: Point, factor: bigint): Point {
  let product: Point = [0n, 1n]
  let doubled = point
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) product = add(product, doubled)
    doubled = add(doubled, doubled)
  }
  return product
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`)
}

/** The point that 32 bytes stand for, read as laxly as can be. */
function decode(bytes: Uint8Array): Point {
  const number = numberOf(bytes)
  const point = pointAt(BigInt.asUintN(255, number) % P, number >> 255n === 1n)
  assert.ok(point, 'no point of the curve')
  return point
}

/** All points whose order divides 8: the multiples of one of order 8. */
function smallOrderPoints(): readonly Point[] {
  for (let y = 2n; ; y += 1n) {
    const point = pointAt(y, false)
    if (point === undefined) continue
    // Its order divides 8, because a point of the curve has an order that divides 8 L.
    const product = multiply(point, L)
    const multiples = Array.from({ length: 8 }, (_, factor) => multiply(product, BigInt(factor)))
    if (new Set(multiples.map(String)).size === 8) return multiples
  }
}

test('refuses every point of small order with either sign, and accepts the base point', () => {
  for (const [, y] of smallOrderPoints()) {
    assert.equal(isCanonicalPoint(encode(y)), false, `y ${y}`)
    assert.equal(isCanonicalPoint(encode(y, 1n)), false, `y ${y}`)
  }
  const baseY = (4n * inverse(5n)) % P
  assert.equal(isCanonicalPoint(encode(baseY)), true)
  assert.equal(isCanonicalPoint(encode(baseY, 1n)), true)
})

test('refuses a y coordinate of at least the prime', () => {
  for (let y = P; y < 2n ** 255n; y += 1n) {
    assert.equal(isCanonicalPoint(encode(y)), false)
    assert.equal(isCanonicalPoint(encode(y, 1n)), false)
  }
  assert.equal(isCanonicalPoint(encode(P - 2n)), true)
})

test('S must be below the order of the group', () => {
  const r = encode((4n * inverse(5n)) % P)
  const withS = (s: bigint) => Uint8Array.from([...r, ...encode(s)])
  assert.equal(isCanonicalSignature(withS(0n)), true)
  assert.equal(isCanonicalSignature(withS(L - 1n)), true)
  assert.equal(isCanonicalSignature(withS(L)), false)
  assert.equal(isCanonicalSignature(withS(2n ** 256n - 1n)), false)
})

function vector(name: string): Vector {
  const file = new URL(`../vectors/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Vector
}

// OpenSSL 3.0 (Node 20) takes all of these, OpenSSL 3.5 (Node 26) none. So not a library but the equation is asked.
for (const name of [
  'small-order-key-1',
  'small-order-key-2',
  'small-order-key-4',
  'small-order-key-8',
  'small-order-key-8-negative',
  'non-canonical-key',
  'non-canonical-key-sign',
  'small-order-r',
  'non-canonical-r',
]) {
  test(`rejects ${name}, which satisfies the equation`, () => {
    const { publicKey, request, response } = vector(name)
    const key = Buffer.from(publicKey.jwk.x, 'base64url')
    const signature = Buffer.from(headerOf(response, 'X-SVC-Signature'), 'base64')
    const r = signature.subarray(0, 32)
    const text = signedTextOf(request, response)
    const hash = createHash('sha512').update(r).update(key).update(text, 'latin1').digest()
    const left = multiply(decode(encode((4n * inverse(5n)) % P)), numberOf(signature.subarray(32)))
    const right = add(decode(r), multiply(decode(key), numberOf(hash) % L))
    assert.deepEqual(left, right)
    const isValid = isCanonicalPoint(key) && isCanonicalSignature(signature)
    assert.equal(isValid, false)
  })
}

test('a text with characters beyond one byte is not a signed text', async () => {
  const { publicKey, request, response } = vector('good-read')
  const key = await importKey(publicKey)
  const signature = headerOf(response, 'X-SVC-Signature')
  const text = signedTextOf(request, response)
  assert.equal(await key.isSignatureOf(text, signature), true)
  const cutToTheSame = text.replace('/', String.fromCharCode(0x12f))
  assert.equal(await key.isSignatureOf(cutToTheSame, signature), false)
})
