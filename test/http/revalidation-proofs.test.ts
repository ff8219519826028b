import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRevalidationProofs } from '../../src/http/revalidation-proofs.ts'

/** A signer that records what it signed. */
function countingProofs() {
  const signed: string[] = []
  const proofOf = createRevalidationProofs({
    implementation: 'openssl',
    sign(text) {
      signed.push(text)
      return `signature ${signed.length}`
    },
  })
  return { signed, proofOf }
}

const NOON = Date.UTC(2026, 0, 1, 12)
const at = (ms: number) => [NOON + ms, new Date(NOON + ms).toISOString()] as const

test('another method, target or ETag has another proof', () => {
  const { signed, proofOf } = countingProofs()
  const proofs = [
    proofOf('GET', '/a', 'W/"1"', ...at(0)),
    proofOf('HEAD', '/a', 'W/"1"', ...at(0)),
    proofOf('GET', '/a?', 'W/"1"', ...at(0)),
    proofOf('GET', '/a', 'W/"2"', ...at(0)),
  ]
  assert.equal(new Set(proofs).size, 4)
  assert.equal(signed.length, 4)
})

test('makes new proofs after the clock is set back', () => {
  const { signed, proofOf } = countingProofs()
  proofOf('GET', '/a', 'W/"1"', ...at(5000))
  assert.match(proofOf('GET', '/a', 'W/"1"', ...at(0)), /^2026-01-01T12:00:00\.000Z/)
  assert.equal(signed.length, 2)
})

test('stores at most 1024 proofs', () => {
  const { signed, proofOf } = countingProofs()
  for (let index = 0; index < 5000; index += 1) proofOf('GET', `/a?${index}`, 'W/"1"', ...at(0))
  assert.equal(signed.length, 5000)
  // Backwards, so that what is still kept is found before something new pushes it out.
  let kept = 0
  for (let index = 4999; index >= 0; index -= 1) {
    const made: number = signed.length
    proofOf('GET', `/a?${index}`, 'W/"1"', ...at(0))
    if (signed.length === made) kept += 1
  }
  assert.ok(kept > 0 && kept <= 1024, `${kept} were kept`)
})
