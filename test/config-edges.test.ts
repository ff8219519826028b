import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../src/config.ts'
import { inspectConfigLines as inspectConfig } from './support/config-lines.ts'
import { proxies } from './support/proxies.ts'

/** The mistakes that one variable makes, and the configuration that is left. */
function readOne(variable: string, value: string): readonly [readonly string[], Config] {
  const { config, mistakes } = inspectConfig({ [variable]: value }, '/srv/service')
  return [mistakes, config]
}

function assertTaken(
  variable: string,
  values: readonly string[],
  pick: (config: Config) => unknown,
) {
  for (const value of values) {
    const [mistakes, config] = readOne(variable, value)
    assert.deepEqual([mistakes, pick(config)], [[], value], `${variable}=${value}`)
  }
}

function assertRefused(variable: string, values: readonly string[]) {
  for (const value of values) {
    const [mistakes] = readOne(variable, value)
    assert.equal(mistakes.length, 1, `${variable}=${value}`)
    assert.match(mistakes.join(), new RegExp(`^${variable}: expected `))
  }
}

test('a host is a name or an address', () => {
  assertTaken('HOST', ['a', 'A-1.Example', 'a_b', 'a.', '127.0.0.2', '::'], ({ host }) => host)
  assertRefused('HOST', ['-a', 'a..b', 'a b', '1', '127.0.0.256', '[::]', 'a:1'])
})

test('a base URL is an origin, also with an empty query or fragment', () => {
  for (const value of [
    'https://example.test',
    'https://example.test/',
    'https://example.test/?#',
  ]) {
    const [mistakes, { baseUrl }] = readOne('SVC_BASE_URL', value)
    assert.deepEqual([mistakes, baseUrl], [[], 'https://example.test'])
  }
})

test('a base URL with a user and no password is not an origin and is not quoted', () => {
  const [mistakes] = readOne('SVC_BASE_URL', 'https://hunter2@example.test')
  assert.equal(mistakes.length, 1)
  assert.match(mistakes[0] ?? '', /^SVC_BASE_URL: expected an origin/)
  assert.ok(!mistakes.join('').includes('hunter2'))
})

test('a prefix length is decimal and within its family', () => {
  for (const range of ['10.0.0.0/0', '10.0.0.0/32', '2001:db8::/128', '::/0']) {
    const [mistakes, { trustedProxies }] = readOne('SVC_TRUSTED_PROXIES', range)
    assert.deepEqual([mistakes, trustedProxies], [[], proxies(range)])
  }
  assertRefused('SVC_TRUSTED_PROXIES', [
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/0x8',
    '10.0.0.0/8e0',
    '10.0.0.0/+8',
    '10.0.0.0/8.0',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '2001:db8::/129',
    '10.0.0.0 /8',
    '10.0.0.1,',
  ])
})

test('a contact is a complete address or number', () => {
  assertTaken(
    'SVC_SECURITY_CONTACT',
    ['mailto:a@b', 'tel:1', 'tel:+1', 'tel:(0)', 'tel:+1-201-555-0123;ext=1'],
    ({ securityContact }) => securityContact,
  )
  assertRefused('SVC_SECURITY_CONTACT', [
    'javascript:mailto:security@example.test',
    'x-mailto:security@example.test',
    'mailto:@example.test',
    'mailto:security@',
    'mailto:?to=security@example.test',
    'mailto:a@b@c',
    'tel:+',
    'tel:;ext=1',
    'tel:+1x',
    'xtel:1',
  ])
})

test('no message quotes a value with an @, which may contain a password, or a variable that is not set', () => {
  for (const variable of ['HOST', 'SVC_NTP_SERVER', 'SVC_TRUSTED_PROXIES', 'SVC_RUNTIME']) {
    const [mistakes] = readOne(variable, 'user:hunter2@[host')
    assert.equal(mistakes.length, 1, variable)
    assert.ok(!mistakes.join('').includes('hunter2'), variable)
  }
  // The default folder for secrets, inside the data folder.
  const [mistakes] = readOne('SVC_DATA_DIR', '.')
  assert.match(mistakes.join(), /^SVC_SECRETS_DIR: expected a folder that is not inside [^"]*$/)
})
