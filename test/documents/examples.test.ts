import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExample, SPECIAL_CASE_FIELDS } from '@public-api/contract/documents/examples'
import {
  DATA_SCHEMAS,
  REQUEST_SCHEMAS,
  type DataOf,
  type DataSchemaName,
} from '@public-api/contract/registry/schemas'
import { LIMITS } from '@public-api/contract/terms/limits'
import { closeSchema, type JsonSchema } from '@public-api/contract/terms/schema-type'
import { schemaCheck } from './document-schemas.ts'

const schemas: readonly (readonly [string, JsonSchema])[] = Object.entries({
  ...DATA_SCHEMAS,
  ...REQUEST_SCHEMAS,
})

for (const [name, schema] of schemas) {
  test(`the example of ${name} is valid and has only described fields`, () => {
    assert.deepEqual(schemaCheck(closeSchema(schema))(createExample(schema)), [])
  })
}

const exampleData = <Name extends DataSchemaName>(name: Name) =>
  createExample(DATA_SCHEMAS[name]) as unknown as DataOf<Name>

test('the example of an issued key expires after the default time to live', () => {
  const { createdAt, expiresAt } = exampleData('IssuedKey')
  const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000
  assert.equal(days, LIMITS.defaultTtlDays)
})

test('the signing key of the examples has a period that ends after its start', () => {
  const [key] = exampleData('SigningKeys').keys
  assert.ok(Date.parse(key?.notBefore ?? '') < Date.parse(key?.notAfter ?? ''))
})

test('the example of the time states the quality that its measurement has', () => {
  const { utc, epochMs, quality } = exampleData('Time')
  assert.equal(Date.parse(utc), epochMs)
  const distanceMs = Math.abs(quality.offsetMs ?? Number.NaN) + (quality.maxErrorMs ?? Number.NaN)
  assert.equal(quality.state, 'SYNCHRONIZED')
  assert.ok(distanceMs <= LIMITS.maxTimeDistanceMs, `${distanceMs} ms`)
})

function optionalFields(schema: JsonSchema): readonly string[] {
  const properties = Object.entries(schema.properties ?? {})
  return [
    ...properties.flatMap(([name, member]) => [
      ...(schema.required?.includes(name) === true ? [] : [name]),
      ...optionalFields(member),
    ]),
    ...(schema.items === undefined ? [] : optionalFields(schema.items)),
  ]
}

test('every field that examples leave out is an optional field of some schema', () => {
  const optional = new Set(schemas.flatMap(([, schema]) => optionalFields(schema)))
  for (const field of SPECIAL_CASE_FIELDS) assert.ok(optional.has(field), field)
})

test('an example shows optional fields, omits special cases and uses a whole example unchanged', () => {
  const schema: JsonSchema = {
    type: 'object',
    required: ['id', 'tags'],
    properties: {
      id: { type: 'string', example: 'a' },
      tags: { type: 'array', items: { type: 'string', example: 'x' } },
      note: { type: 'string', example: 'n' },
      sunsetAt: { type: 'string', example: '2027-03-01T00:00:00Z' },
      counts: { type: 'object', example: { stable: 1 } },
    },
  }
  assert.deepEqual(createExample(schema), {
    id: 'a',
    tags: ['x'],
    note: 'n',
    counts: { stable: 1 },
  })
})

test('names a leaf without an example', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'string' } } },
  }
  assert.throws(() => createExample(schema, 'Thing'), /^TypeError: Thing\.list\[0\]: .*no example/)
})
