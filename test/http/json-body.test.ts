import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import * as fc from 'fast-check'
import { isIdentityCoding, isJsonMediaType, parseJsonBody } from '../../src/http/json-body.ts'
import { cpuMs } from '../support/cpu-time.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function assertInvalid(bytes: Uint8Array, what: string): void {
  assert.throws(
    () => parseJsonBody(bytes),
    (error) => {
      assert.ok(error instanceof ApiError, what)
      assert.equal(error.code, 'INVALID_JSON')
      // The parser's message quotes the text.
      assert.equal(error.cause, undefined)
      assert.equal(error.message, 'INVALID_JSON')
      assert.deepEqual(error.details, {})
      return true
    },
    what,
  )
}

test('parses one JSON text of any type with surrounding white space', () => {
  assert.deepEqual(parseJsonBody(bytesOf('{"a":[1,true,null,"ก😀"]}')), {
    a: [1, true, null, 'ก😀'],
  })
  for (const [text, value] of [
    ['null', null],
    ['true', true],
    ['-1.5e3', -1500],
    ['""', ''],
    ['[]', []],
    [' \t\r\n{} \t\r\n', {}],
    [String.raw`"\u0e01"`, 'ก'],
    // JSON allows lone surrogate escapes; the consumer of the text must check (RFC 8259 8.2).
    [String.raw`"\ud800"`, '\ud800'],
    ['"\ufeff"', '\ufeff'],
    ['"\u2028\u007f"', '\u2028\u007f'],
  ] as const) {
    assert.deepEqual(parseJsonBody(bytesOf(text)), value, text)
  }
})

test('treats a member named __proto__ like any other', () => {
  const value = parseJsonBody(bytesOf('{"__proto__":{"consent":true}}'))
  assert.deepEqual(Object.keys(value as object), ['__proto__'])
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
})

test('anything but exactly one JSON text is INVALID_JSON', () => {
  for (const text of [
    '',
    ' ',
    '\n',
    '{',
    '}',
    '{"a":1',
    '{"a":1}}',
    '{"a":1}{"a":1}',
    '{"a":1}\n{"a":1}',
    '1 2',
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '{"a":}',
    '{"a"}',
    'undefined',
    'NaN',
    'Infinity',
    '-Infinity',
    '+1',
    '01',
    '1.',
    '.5',
    '0x10',
    'True',
    'nul',
    '"a',
    'a"',
    '"\n"',
    '"\t"',
    '"\u0000"',
    String.raw`"\x41"`,
    String.raw`"\u12"`,
    '// comment\n{}',
    '{} // comment',
    '/* comment */{}',
    '\u00a0{}',
    '\u000b{}',
    '\u0000{}',
    '{}\u0000',
    '\u001e{}',
    'email=reader%40example.org',
    '<xml/>',
    ")]}',\n{}",
  ]) {
    assertInvalid(bytesOf(text), JSON.stringify(text))
  }
})

test('refuses a byte order mark in every encoding', () => {
  assertInvalid(bytesOf('\ufeff{}'), 'UTF-8')
  assertInvalid(bytesOf('\ufeff\ufeff{}'), 'UTF-8 twice')
  assertInvalid(bytesOf('{}\ufeff'), 'at the end')
  assertInvalid(bytesOf('\ufeff'), 'alone')
  assertInvalid(Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0), 'UTF-16LE')
  assertInvalid(Uint8Array.of(0xfe, 0xff, 0, 0x7b, 0, 0x7d), 'UTF-16BE')
  assertInvalid(Uint8Array.of(0x7b, 0, 0x7d, 0), 'UTF-16LE without one')
})

test('invalid UTF-8 is rejected, not replaced', () => {
  const quoted = (...bytes: readonly number[]) => Uint8Array.of(0x22, ...bytes, 0x22)
  assert.equal(parseJsonBody(quoted(0xf0, 0x9f, 0x98, 0x80)), '😀')
  for (const [what, bytes] of [
    ['a continuation alone', [0x80]],
    ['another', [0xbf]],
    ['two bytes, cut', [0xc3]],
    ['three bytes, cut', [0xe0, 0xb8]],
    ['four bytes, cut', [0xf0, 0x9f, 0x98]],
    ['overlong slash', [0xc0, 0xaf]],
    ['overlong NUL', [0xc0, 0x80]],
    ['overlong in three', [0xe0, 0x80, 0xaf]],
    ['overlong in four', [0xf0, 0x80, 0x80, 0xaf]],
    ['a high surrogate', [0xed, 0xa0, 0x80]],
    ['a low surrogate', [0xed, 0xb0, 0x80]],
    ['a pair of surrogates', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['five bytes', [0xf8, 0x88, 0x80, 0x80, 0x80]],
    ['0xFE', [0xfe]],
    ['0xFF', [0xff]],
    ['latin1', [0x72, 0xe9, 0x61]],
  ] as const) {
    assertInvalid(quoted(...bytes), what)
  }
  assertInvalid(Uint8Array.of(0x22, 0x61, 0x22, 0xe0, 0xb8), 'cut at the end')
})

test('a refused body does not affect the next one', () => {
  assertInvalid(Uint8Array.of(0x22, 0xf0, 0x9f), 'cut')
  assert.deepEqual(parseJsonBody(bytesOf('{"a":"b"}')), { a: 'b' })
})

test('parses a body of the maximum depth', () => {
  const depth = 4096
  assert.ok(Array.isArray(parseJsonBody(bytesOf('['.repeat(depth) + ']'.repeat(depth)))))
  assertInvalid(bytesOf('['.repeat(8192)), 'open')
})

test('any JSON round-trips, and any bytes are handled', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(
        parseJsonBody(bytesOf(JSON.stringify(value))),
        JSON.parse(JSON.stringify(value)),
      )
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      try {
        parseJsonBody(bytes)
      } catch {
        assertInvalid(bytes, 'bytes')
      }
    }),
  )
})

test('application/json is the media type, with charset=utf-8 at most', () => {
  for (const contentType of [
    'application/json',
    'APPLICATION/JSON',
    'Application/Json',
    ' application/json ',
    'application/json;',
    'application/json ;',
    'application/json; ',
    'application/json;;',
    'application/json ; ; ',
    'application/json;charset=utf-8',
    'application/json; charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; Charset=Utf-8',
    'application/json;charset="utf-8"',
    'application/json; charset="UTF-8"',
    String.raw`application/json; charset="u\tf-8"`,
    'application/json ; charset=utf-8 ;',
    'application/json;;charset=utf-8',
    'application/json\t;\tcharset=utf-8\t',
  ]) {
    assert.ok(isJsonMediaType(contentType), contentType)
  }
})

test('any other media type or parameter is refused', () => {
  for (const contentType of [
    undefined,
    '',
    ' ',
    ';',
    'json',
    'application',
    'application/',
    '/json',
    'application/ json',
    'application /json',
    'application/json5',
    'application/jsonl',
    'application/json-seq',
    'application/problem+json',
    'application/ld+json',
    'application/x-json',
    'text/json',
    'text/plain',
    'text/plain; charset=utf-8',
    'application/*',
    '*/*',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/json, application/json',
    'application/json,text/plain',
    'application/json text/plain',
    'application/json charset=utf-8',
    'application/json; charset',
    'application/json; charset=',
    'application/json; charset=""',
    'application/json; charset=utf8',
    'application/json; charset="utf8"',
    'application/json; charset=utf-16',
    'application/json; charset=us-ascii',
    'application/json; charset=iso-8859-1',
    'application/json; charset= utf-8',
    'application/json; charset =utf-8',
    'application/json; charset = utf-8',
    'application/json; charset="utf-8',
    'application/json; charset=utf-8"',
    'application/json; charset=" utf-8"',
    'application/json; charset="utf-8 "',
    'application/json; charset="utf-8"x',
    "application/json; charset='utf-8'",
    'application/json; charset="utf-8;"',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-8, charset=utf-8',
    'application/json; charset=utf-8 utf-8',
    'application/json; version=1',
    'application/json; charset=utf-8; version=1',
    'application/json; q=1',
    'application/json; profile=";charset=utf-8"',
    'application/json; x-charset=utf-8',
    'application/json\u00a0',
    'application/json; charset=utf\u20118',
    'application/jſon',
    '"application/json"',
  ]) {
    assert.ok(!isJsonMediaType(contentType), JSON.stringify(contentType))
  }
})

test('a body may be in the identity coding only', () => {
  for (const coding of [
    undefined,
    '',
    ' ',
    'identity',
    'IDENTITY',
    ' identity ',
    'identity,identity',
    ',identity,',
  ]) {
    assert.ok(isIdentityCoding(coding), JSON.stringify(coding))
  }
  for (const coding of [
    'gzip',
    'x-gzip',
    'deflate',
    'br',
    'zstd',
    'compress',
    'GZIP',
    'identity, gzip',
    'gzip,identity',
    'identity;q=1',
    'identity identity',
    '*',
    'none',
    'utf-8',
    'aws-chunked',
  ]) {
    assert.ok(!isIdentityCoding(coding), coding)
  }
})

test('parses a long header in linear time', () => {
  const long = 16_000
  const started = cpuMs()
  isJsonMediaType(`application/json${' '.repeat(long)}x`)
  isJsonMediaType(`application/json${'; '.repeat(long / 2)}x`)
  isJsonMediaType(`application/json; charset="${String.raw`\a`.repeat(long / 2)}`)
  isJsonMediaType(' '.repeat(long))
  isIdentityCoding(' ,'.repeat(long / 2))
  isIdentityCoding(`identity${' '.repeat(long)}x`)
  // Milliseconds in truth; a pattern that backtracks would take minutes.
  assert.ok(cpuMs() - started < 2000)
})

test('duplicate names at any depth and in any spelling are INVALID_JSON', () => {
  const parse = (text: string) => parseJsonBody(new TextEncoder().encode(text))
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":1,"c":[],"b":2}}',
    '[{"a":1},{"b":{},"b":[]}]',
    '{"":0,"":0}',
    '{"a\\"":1,"b":"}","a\\"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{ "a" : 1 , "b" : [ 1 , 2 ] , "a" : 2 }',
  ]) {
    assert.throws(() => parse(text), { code: 'INVALID_JSON' }, text)
  }
  for (const text of [
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a":["a","a"],"b":"\\"a\\":1"}',
    '["a","a"]',
    '{"a":1,"A":2}',
  ]) {
    assert.deepEqual(parse(text), JSON.parse(text))
  }
})
