import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNtpServer } from '../../../src/service/time/ntp-server.ts'

for (const [text, host, port] of [
  ['time.example', 'time.example', 123],
  ['time.example.', 'time.example.', 123],
  ['localhost:1123', 'localhost', 1123],
  ['192.0.2.1', '192.0.2.1', 123],
  ['192.0.2.1:65535', '192.0.2.1', 65_535],
  ['[2001:db8::1]', '2001:db8::1', 123],
  ['[::1]:11123', '::1', 11_123],
  ['_ntp.Time-1.example', '_ntp.Time-1.example', 123],
] as const) {
  test(`a server is read: ${text}`, () => {
    assert.deepEqual(parseNtpServer(text), { host, port, source: text })
  })
}

for (const text of [
  '',
  ' time.example',
  'time.example:0',
  'time.example:65536',
  'time.example:',
  'time.example:ntp',
  'ntp://time.example',
  'time..example',
  '-time.example',
  '2001:db8::1',
  '[192.0.2.1]',
  '[time.example]',
  '[::1',
  '[::1]1123',
  '192.0.2.256',
  '192.0.2',
  'a.b.123',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(127)}example`,
]) {
  test(`no server: "${text.slice(0, 40)}"`, () => {
    assert.throws(() => parseNtpServer(text), RangeError)
  })
}
