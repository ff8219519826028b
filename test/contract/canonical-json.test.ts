import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  canonicalJson,
  canonicalJsonOfParsed,
  type JsonValue,
} from '@public-api/contract/json/canonical-json'
import canonicalize from 'canonicalize'
import * as fc from 'fast-check'
import { ANY_CODE_POINT } from '../support/any-text.ts'

test('the sorting example of RFC 8785 section 3.2.3', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  }
  const values = [...canonicalJson(value).matchAll(/:"([^"]*)"/g)].map((match) => match[1])
  assert.deepEqual(values, [
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ])
})

test('the serialization example of RFC 8785 section 3.2.2', () => {
  const text = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`
  assert.equal(
    canonicalJson(JSON.parse(text)),
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

// RFC 8785 appendix B: IEEE 754 bits and the text of the number.
const NUMBERS: readonly (readonly [bits: string, text: string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
]

test('the numbers of RFC 8785 appendix B', () => {
  for (const [bits, text] of NUMBERS) {
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, BigInt(`0x${bits}`))
    assert.equal(canonicalJson(view.getFloat64(0)), text, bits)
  }
})

test('agrees with the canonicalize package for any JSON value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: ANY_CODE_POINT, maxDepth: 5 }), (value) => {
      assert.equal(canonicalJson(value as JsonValue), canonicalize(value))
    }),
    { numRuns: 2000 },
  )
})

test('parsing returns the value, and serializing that returns the text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: ANY_CODE_POINT }), (value) => {
      const text = canonicalJson(value)
      const back: unknown = JSON.parse(text)
      assert.deepEqual(back, JSON.parse(JSON.stringify(value)))
      assert.equal(canonicalJson(back as JsonValue), text)
    }),
  )
})

test('the order of members does not matter', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).toReversed())
      assert.equal(canonicalJson(turned as JsonValue), canonicalJson(value as JsonValue))
    }),
  )
})

test('treats a member named __proto__ like any other', () => {
  assert.equal(
    canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}')),
    '{"__proto__":{"a":2},"b":1}',
  )
})

test('names the place of a value that JSON cannot represent', () => {
  const refused: readonly (readonly [value: unknown, message: RegExp])[] = [
    [{ a: [Number.NaN] }, /^\$\.a\[0\]: NaN has no JSON form/],
    [Number.POSITIVE_INFINITY, /^\$: Infinity has no JSON form/],
    [{ a: '\ud800' }, /^\$\.a: a lone surrogate/],
    [{ '\udfff': 1 }, /a lone surrogate/],
    [{ a: () => 1 }, /^\$\.a: a function has no JSON form/],
    [[undefined], /^\$\[0\]: a undefined has no JSON form/],
    [{ a: 1n }, /^\$\.a: a bigint has no JSON form/],
    // These would be written as {} and lose what they hold.
    [{ a: new Date(0) }, /^\$\.a: an instance of Date has no JSON form/],
    [[new Map([['a', 1]])], /^\$\[0\]: an instance of Map has no JSON form/],
  ]
  for (const [value, message] of refused) {
    assert.throws(
      () => canonicalJson(value as JsonValue),
      (error) => error instanceof TypeError && message.test(error.message),
    )
  }
})

test('results of JSON.parse have the text of another implementation, in any order of names', () => {
  const names = fc.oneof(fc.string(), fc.nat(20).map(String), fc.constant('__proto__'))
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ stringUnit: ANY_CODE_POINT, maxDepth: 0 }),
      fc.array(tie('value')),
      fc.dictionary(names, tie('value')),
    ),
  }))
  fc.assert(
    fc.property(values, (value) => {
      // As received, and as the service sends it.
      for (const text of [JSON.stringify(value), canonicalJson(value as JsonValue)]) {
        const parsed = JSON.parse(text) as JsonValue
        assert.equal(canonicalJson(parsed), canonicalize(parsed))
        assert.equal(canonicalJsonOfParsed(parsed), canonicalize(parsed))
      }
    }),
    { numRuns: 2000 },
  )
})

test('rejects what JSON.parse accepts but RFC 8785 forbids, at any depth and in any order of names', () => {
  for (const text of ['1e999', '-1e999', String.raw`"\ud800"`, String.raw`{"\udfff":1}`]) {
    for (const around of [
      '$',
      '[1,$]',
      '{"b":1,"a":$}',
      '{"a":[[]],"b":{"c":$}}',
      '{"b":0,"a":1,"c":$}',
    ]) {
      const value = JSON.parse(around.replace('$', text)) as JsonValue
      assert.throws(() => canonicalJsonOfParsed(value), TypeError, around)
      assert.throws(() => canonicalJson(value), TypeError, around)
    }
  }
})
