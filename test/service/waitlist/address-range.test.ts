import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRangeCheck, parseAddressRange } from '../../../src/service/waitlist/address-range.ts'

function rangesOf(...texts: readonly string[]) {
  return texts.map((text) => {
    const range = parseAddressRange(text)
    assert.ok(range !== undefined, text)
    return range
  })
}

test('an address is a range of one, and prefix lengths are limited by family', () => {
  assert.deepEqual(rangesOf('10.0.0.1', '::1', '10.0.0.0/8', '2001:db8::/128', '0.0.0.0/0'), [
    { address: '10.0.0.1', bits: 32, family: 'ipv4' },
    { address: '::1', bits: 128, family: 'ipv6' },
    { address: '10.0.0.0', bits: 8, family: 'ipv4' },
    { address: '2001:db8::', bits: 128, family: 'ipv6' },
    { address: '0.0.0.0', bits: 0, family: 'ipv4' },
  ])
  for (const text of ['', '/', '10.0.0.0/', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', 'a/8', '/8']) {
    assert.equal(parseAddressRange(text), undefined, text)
  }
})

test('matches exactly the addresses of its ranges, first and last included', () => {
  const isIn = createRangeCheck(rangesOf('10.0.0.0/8', '192.0.2.1', '2001:db8::/32'))
  for (const text of [
    '10.0.0.0',
    '10.255.255.255',
    '192.0.2.1',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
  ]) {
    assert.ok(isIn(text), text)
  }
  for (const text of ['9.255.255.255', '11.0.0.0', '192.0.2.2', '2001:db9::', 'unknown', '']) {
    assert.ok(!isIn(text), text)
  }
  assert.ok(!createRangeCheck([])('10.0.0.1'))
})
