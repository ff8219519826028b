import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHostName, isLoopbackHost } from '@public-api/contract/http/host-name'

const LONGEST_LABEL = 'a'.repeat(63)
const LONGEST_NAME = `${'a.'.repeat(126)}a`

test('a host name has labels of up to 63 letters, digits, underscores and inner hyphens', () => {
  for (const name of [
    'a',
    'a.b',
    'a.',
    'a.b.',
    'A-1.Example',
    'x--y',
    '1a.example',
    'ab1',
    '1.example',
    '_ntp.tcp',
    'my_service',
    LONGEST_LABEL,
    `${LONGEST_LABEL}.b`,
    LONGEST_NAME,
  ]) {
    assert.ok(isHostName(name), name)
  }
  for (const text of [
    '',
    '.',
    '-a',
    'a-',
    'a.-b',
    'a-.b',
    'a..b',
    '.a',
    'a..',
    'a b',
    'a/b',
    'a:1',
    'ä',
    '1',
    '1.',
    'a.1',
    'a.1.',
    '127.0.0.1',
    '127.0.0.256',
    '1.2.3',
    '::1',
    `${LONGEST_LABEL}a`,
    `a.${LONGEST_LABEL}a`,
    `${LONGEST_NAME}a`,
    `${LONGEST_NAME}.a`,
  ]) {
    assert.ok(!isHostName(text), text)
  }
})

test('this machine has the names that a URL gives it', () => {
  for (const name of ['localhost', '127.0.0.1', '127.255.0.9', '[::1]']) {
    assert.ok(isLoopbackHost(name), name)
  }
  for (const name of [
    '',
    'localhost.example',
    'notlocalhost',
    '128.0.0.1',
    '127.0.0',
    '[::2]',
    '::1',
  ]) {
    assert.ok(!isLoopbackHost(name), name)
  }
})
