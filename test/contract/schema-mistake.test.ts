import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExample } from '@public-api/contract/documents/examples'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import { SNAPSHOT_NAMES, SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { parseInstant } from '@public-api/contract/text/instant'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import { assert as assertProperty, constantFrom, jsonValue, oneof, property } from 'fast-check'

const ajv = new Ajv({ strict: true, keywords: ['example'] })
ajvFormats.default(ajv, ['date', 'uri'])
ajv.addFormat('date-time', (text: string) => parseInstant(text) !== undefined)

/** Every path into a JSON value. */
function pathsInto(value: unknown): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [[]]
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((each, index) => [index, each])
    : Object.entries(value)
  return [[], ...members.flatMap(([name, each]) => pathsInto(each).map((path) => [name, ...path]))]
}

/** The value with what is at the path replaced, or removed where `substitute` is undefined. */
function replaceAt(
  value: unknown,
  path: readonly (string | number)[],
  substitute: unknown,
): unknown {
  const [first, ...rest] = path
  if (first === undefined) return substitute
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => {
      if (index !== first) return [each]
      const replaced = replaceAt(each, rest, substitute)
      return replaced === undefined ? [] : [replaced]
    })
  }
  const members = Object.entries(value as object).flatMap(([name, each]) => {
    if (name !== first) return [[name, each]]
    const replaced = replaceAt(each, rest, substitute)
    return replaced === undefined ? [] : [[name, replaced]]
  })
  return Object.fromEntries(members)
}

test('agrees with Ajv on every snapshot schema, for examples with one value replaced', () => {
  let accepted = 0
  let refused = 0
  for (const name of SNAPSHOT_NAMES) {
    const schema: JsonSchema = SNAPSHOT_SCHEMAS[name]
    const validate = ajv.compile(schema)
    const example = createExample(schema)
    assert.equal(schemaMistake(schema, example), undefined, name)
    const substitutes = oneof(
      constantFrom(undefined, null, '', 'x'.repeat(5000), '2026-02-30', '2026-11-22', 0, -1, 1.5),
      constantFrom([], {}, true, 'https://example.test/', 'javascript:', '2026-11-22T10:00:00Z'),
      jsonValue(),
    )
    assertProperty(
      property(constantFrom(...pathsInto(example)), substitutes, (path, substitute) => {
        const value = replaceAt(example, path, substitute) ?? null
        const mistake = schemaMistake(schema, value)
        assert.equal(
          mistake === undefined,
          validate(value),
          `${name} ${path.join('/')}: ${mistake}`,
        )
        if (mistake === undefined) accepted += 1
        else refused += 1
      }),
      { numRuns: 300, seed: 12 },
    )
  }
  assert.ok(accepted > 100 && refused > 1000, `${accepted} accepted, ${refused} refused`)
})

const CASES: readonly (readonly [
  schema: JsonSchema,
  value: unknown,
  mistake: string | undefined,
])[] = [
  [{ type: 'string', maxLength: 2 }, '😀😀', undefined],
  [{ type: 'string', maxLength: 2 }, '😀😀😀', ': expected at most 2 characters'],
  [{ type: 'string', minLength: 2 }, '😀', ': expected at least 2 characters'],
  [{ type: 'integer', minimum: 1, maximum: 3 }, 0, ': expected at least 1'],
  [{ type: 'integer', minimum: 1, maximum: 3 }, 4, ': expected at most 3'],
  [{ type: 'integer', nullable: true }, null, undefined],
  [{ type: 'array', uniqueItems: true }, ['a', 'a'], ': expected each item once'],
  [{ type: 'array', minItems: 1 }, [], ': expected at least 1 items'],
  [
    { type: 'array', maxItems: 1, items: { type: 'integer' } },
    [1, 2],
    ': expected at most 1 items',
  ],
  [{ type: 'array', items: { enum: ['a'] } }, ['a', 'b'], '/1: expected one of a'],
  [{ type: 'object', additionalProperties: false }, { a: 1 }, '/a: expected no such member'],
  [
    { type: 'object', additionalProperties: { type: 'string' } },
    { a: 1 },
    '/a: expected the type string',
  ],
  [{ type: 'object', properties: { a: {} } }, { toString: 1 }, undefined],
  [{ type: 'object', required: ['toString'] }, {}, '/toString: expected this member'],
]

for (const [schema, value, mistake] of CASES) {
  test(`${JSON.stringify(schema)} and ${JSON.stringify(value)}`, () => {
    assert.equal(schemaMistake(schema, value), mistake)
  })
}

test('throws on a format that it does not check', () => {
  assert.throws(() => schemaMistake({ type: 'string', format: 'hostname' }, 'a'), /hostname/)
})
