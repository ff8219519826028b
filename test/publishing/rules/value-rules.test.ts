import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlField } from '@public-api/contract/schemas/fields'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import * as fc from 'fast-check'
import { checkValues } from '../../../src/publishing/rules/value-rules.ts'
import { ANY_CODE_POINT } from '../../support/any-text.ts'

const SCHEMA = {
  type: 'object',
  properties: { url: urlField('A page.', 'https://a.example') },
} as const

/** The faults of one URL in a content file. */
function faultsOf(value: string) {
  const text = { path: ['url'], value, file: 'f.yaml', line: 1, column: 1, endLine: 1 }
  return [...checkValues({ texts: [text] }, SCHEMA, 0)]
}

const CASES: readonly (readonly [url: string, spelling: string])[] = [
  ['https://tides.example/a b|c.pdf', 'https://tides.example/a%20b%7Cc.pdf'],
  ['https://tides.example/100%.pdf', 'https://tides.example/100%25.pdf'],
  [
    'https://tides.example/น้ำ?q=ข[1]#ก#ข',
    'https://tides.example/%E0%B8%99%E0%B9%89%E0%B8%B3?q=%E0%B8%82%5B1%5D#%E0%B8%81%23%E0%B8%82',
  ],
  ['https://bücher.example/a', 'https://xn--bcher-kva.example/a'],
  ['https://tides.example\\a', 'https://tides.example/a'],
  ['https://tides.example/a"b', 'https://tides.example/a%22b'],
]

for (const [url, spelling] of CASES) {
  test(`refuses ${url} and offers its spelling as a URI`, () => {
    const [fault, ...others] = faultsOf(url)
    assert.deepEqual(others, [])
    assert.match(fault?.found ?? '', /which is not a URI \(RFC 3986\)$/)
    assert.equal(fault?.expected, `the URI ${spelling}`)
    assert.deepEqual(faultsOf(spelling), [])
  })
}

test('a published URL passes the format of JSON Schema', () => {
  const ajv = new Ajv()
  ajvFormats.default(ajv, ['uri'])
  const accepts = ajv.compile({ type: 'string', format: 'uri' })
  const character = fc.constantFrom(...Array.from('abZ09-._~:/?#[]@!$&\'()*+,;=%25 |<>"^`{}\\ก'))
  const url = fc
    .string({ unit: character, maxLength: 20 })
    .map((rest) => `https://a.example/${rest}a`)
  // As fc.webUrl, which builds a table of all code points.
  const part = fc.string({ unit: ANY_CODE_POINT, maxLength: 10 }).map(encodeURIComponent)
  const validUrl = fc
    .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), fc.array(part), part, part)
    .map(
      ([scheme, host, path, query, fragment]) =>
        `${scheme}://${host}/${path.join('/')}?${query}#${fragment}`,
    )
  const anyUrl = fc.oneof(url, validUrl)
  fc.assert(
    fc.property(anyUrl, (text) => {
      const [fault] = faultsOf(text)
      assert.ok(accepts(fault === undefined ? text : fault.expected.replace('the URI ', '')), text)
    }),
  )
})
