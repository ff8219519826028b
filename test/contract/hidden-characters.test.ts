import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHidden, findHidden } from '@public-api/contract/text/hidden-characters'

const HIDDEN = [
  0, 7, 9, 13, 27, 127, 133, 155, 173, 847, 1564, 4447, 4448, 6068, 6155, 6158, 8203, 8204, 8205,
  8206, 8232, 8233, 8238, 8288, 8293, 8294, 10240, 12644, 57344, 65024, 65039, 65279, 65440, 65529,
  78913, 113824, 119129, 119155, 917505, 917601, 917760, 917999,
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
    '⠃⠗⠇\u2800⠃⠇⠁⠝⠅',
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
    '⠃\u2800\u2800⠗',
  ]) {
    assert.notEqual(findHidden(text), undefined, escape(text))
  }
})
