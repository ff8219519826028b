import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHidden, findHidden } from '@public-api/contract/text/hidden-characters'

const HIDDEN = [
  ...[0x00, 0x07, 0x09, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4],
  ...[0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x2028, 0x2029, 0x202e, 0x2060, 0x2065],
  ...[0x2066, 0x3164, 0xe000, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0x1bca0, 0x1d173, 0xe0001],
  ...[0xe0061, 0xe0100, 0xe01ef],
]

test('escapes what people do not see, as in JSON', () => {
  for (const code of HIDDEN) {
    const character = String.fromCodePoint(code)
    const text = `pay${character}me`
    assert.equal(findHidden(text), character)
    const escaped = escapeHidden(text)
    assert.match(escaped, /^pay(?:\\u[0-9a-f]{4}){1,2}me$/)
    assert.equal(JSON.parse(`"${escaped}"`), text)
  }
})

test('leaves what people see', () => {
  for (const text of [
    'Line one\nline two',
    'ภาษาไทย ที่ปรึกษา',
    '中文，日本語 한국어',
    'می\u200cخواهم',
    'क्\u200dष',
    '👩\u200d💻 ❤\ufe0f 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 1\ufe0f\u20e3',
  ]) {
    assert.equal(findHidden(text), undefined)
    assert.equal(escapeHidden(text), text)
  }
})

test('escapes joiners and selectors beyond the one that a letter or an emoji needs', () => {
  for (const text of [
    'می\u200c\u200cخ',
    'a\u200db',
    'ก\u200cข',
    '❤\ufe0f\ufe0f',
    '葛\u{e0100}',
    '7\ufe0f',
  ]) {
    assert.notEqual(findHidden(text), undefined, escape(text))
  }
})
