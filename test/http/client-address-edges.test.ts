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

test('treats the proxy as the client if the forwarded address is invalid', () => {
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

test('keeps a scope in an address and returns an invalid peer unchanged', () => {
  assert.equal(forwardedFor('fe80::1%eth0'), 'fe80::1%eth0')
  const nameless = addressOf({ peerAddress: () => 'a socket file', header: () => '203.0.113.9' })
  assert.equal(nameless, 'a socket file')
})
