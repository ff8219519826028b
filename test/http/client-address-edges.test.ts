import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientAddress } from '../../src/http/client-address.ts'
import { proxies } from '../support/proxies.ts'

const PROXY = '10.0.0.1'
const addressOf = createClientAddress(proxies('10.0.0.0/8'))

function forwardedFor(value: string): string {
  return addressOf({
    peerAddress: () => PROXY,
    header: (name) => (name === 'x-forwarded-for' ? value : undefined),
  })
}

test('an address with extra characters is invalid, so the proxy counts as the client', () => {
  for (const member of [
    '203.0.113.9:',
    '203.0.113.9:port',
    '203.0.113.9:80x',
    'x203.0.113.9:80',
    ':203.0.113.9',
    'for=203.0.113.9',
    '"203.0.113.9"',
    '203.0.113.9/32',
    '203.0.113',
    '[2001:db8::1',
    '2001:db8::1]',
    '[2001:db8::1]x',
    'x[2001:db8::1]',
    '[2001:db8::1]:',
    '[2001:db8::1]:port',
    '[[2001:db8::1]]',
    '[]',
    '[]:80',
    ':80',
  ]) {
    assert.equal(forwardedFor(member), PROXY, member)
  }
})

test('a scope is part of an address, and an invalid peer is taken as it is', () => {
  assert.equal(forwardedFor('fe80::1%eth0'), 'fe80::1%eth0')
  const nameless = addressOf({ peerAddress: () => 'a socket file', header: () => '203.0.113.9' })
  assert.equal(nameless, 'a socket file')
})
