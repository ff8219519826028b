import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientAddress } from '../../src/http/client-address.ts'
import { proxies } from '../support/proxies.ts'

const PEER = '198.51.100.7'

function addressOf(trusted: readonly string[], peerAddress: string, forwarded?: string): string {
  const header = (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined)
  return createClientAddress(proxies(...trusted))({ peerAddress: () => peerAddress, header })
}

/** Title, proxies, peer, X-Forwarded-For, the client. */
const CASES: readonly (readonly [string, readonly string[], string, string | undefined, string])[] =
  [
    ['no proxy is trusted unless it is named', [], PEER, '203.0.113.9', PEER],
    ['a stranger’s word is not taken', ['10.0.0.0/8'], PEER, '203.0.113.9', PEER],
    [
      'a proxy that forwards nothing is the client',
      ['10.0.0.0/8'],
      '10.0.0.1',
      undefined,
      '10.0.0.1',
    ],
    ['one proxy', ['10.0.0.1'], '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'what the client wrote itself stands to the left and is not believed',
      ['10.0.0.0/8'],
      '10.0.0.1',
      '1.1.1.1, 203.0.113.9',
      '203.0.113.9',
    ],
    [
      'a row of proxies',
      ['10.0.0.0/8', '192.0.2.1'],
      '10.0.0.1',
      '203.0.113.9, 192.0.2.1, 10.9.9.9',
      '203.0.113.9',
    ],
    [
      'all of them proxies: the farthest',
      ['10.0.0.0/8'],
      '10.0.0.1',
      '10.0.0.3, 10.0.0.2',
      '10.0.0.3',
    ],
    ['an invalid member ends the walk', ['10.0.0.0/8'], '10.0.0.1', 'unknown', '10.0.0.1'],
    [
      'also behind another proxy',
      ['10.0.0.0/8'],
      '10.0.0.1',
      '203.0.113.9, _hidden, 10.0.0.2',
      '10.0.0.2',
    ],
    ['an empty header', ['10.0.0.0/8'], '10.0.0.1', '', '10.0.0.1'],
    ['an address with a port', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['an IPv6 address', ['10.0.0.0/8'], '10.0.0.1', '2001:db8::1', '2001:db8::1'],
    [
      'one with brackets and a port',
      ['10.0.0.0/8'],
      '10.0.0.1',
      '[2001:db8::1]:443',
      '2001:db8::1',
    ],
    ['one with brackets alone', ['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['a proxy by IPv6 range', ['2001:db8:1::/48'], '2001:db8:1::5', '203.0.113.9', '203.0.113.9'],
    [
      'an IPv4 proxy seen by an IPv6 socket',
      ['10.0.0.0/8'],
      '::ffff:10.0.0.1',
      '203.0.113.9',
      '203.0.113.9',
    ],
    [
      'space around members',
      ['10.0.0.0/8'],
      '10.0.0.1',
      ' 203.0.113.9 ,\t10.0.0.2 ',
      '203.0.113.9',
    ],
    ['an address with a scope', ['10.0.0.0/8'], '10.0.0.1', 'fe80::1%eth0', 'fe80::1%eth0'],
    ['a peer without an address', ['10.0.0.0/8'], 'a socket file', '203.0.113.9', 'a socket file'],
    ['a connection that is gone', ['10.0.0.0/8'], '', '203.0.113.9', ''],
  ]

for (const [what, trusted, peer, forwarded, client] of CASES) {
  test(`client address: ${what}`, () => {
    assert.equal(addressOf(trusted, peer, forwarded), client)
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
    assert.equal(addressOf(['10.0.0.0/8'], '10.0.0.1', member), '10.0.0.1', member)
  }
})
