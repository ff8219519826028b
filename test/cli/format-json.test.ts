import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatJson } from '@public-api/cli-kit/format-json'
import * as fc from 'fast-check'
import { ANY_CODE_POINT } from '../support/any-text.ts'

test('escapes what a terminal obeys, reorders or hides', () => {
  const text = '\u009b31m \u202egnp.exe\u2066 \u200e \u2028 \ufeff \u{e0001} \u0007'
  assert.equal(
    formatJson({ text }),
    String.raw`{"text":"\u009b31m \u202egnp.exe\u2066 \u200e \u2028 \ufeff \udb40\udc01 \u0007"}`,
  )
  assert.equal(formatJson({ text: 'ไทย 中文 é 🙂' }), '{"text":"ไทย 中文 é 🙂"}')
})

test('says the same as JSON.stringify to a parser', () => {
  fc.assert(
    fc.property(
      fc.anything({ maxDepth: 2 }),
      fc.string({ unit: ANY_CODE_POINT }),
      (value, text) => {
        const members = { text, json: JSON.stringify(value) ?? null }
        const line = formatJson(members)
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\u2028\u2029]/u)
        assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify(members)))
      },
    ),
  )
})
