import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import {
  isSnapshotName,
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { closeSchema, type JsonSchema } from '@public-api/contract/terms/schema-type'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'

interface Described {
  readonly at: string
  readonly schema: JsonSchema
  readonly isProperty: boolean
}

/** A schema and every schema in it. */
function everySchema(schema: JsonSchema, at: string, isProperty = false): readonly Described[] {
  return [
    { at, schema, isProperty },
    ...(schema.items === undefined ? [] : everySchema(schema.items, `${at}[]`)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      everySchema(each, `${at}.${name}`, true),
    ),
  ]
}

const EVERY_SCHEMA = SNAPSHOT_NAMES.flatMap((name) => everySchema(SNAPSHOT_SCHEMAS[name], name))

function createAjv(): Ajv {
  const ajv = new Ajv({ allErrors: true, strict: true, keywords: ['example'] })
  ajvFormats.default(ajv, ['date', 'date-time', 'uri'])
  return ajv
}

/** A value built from the examples: each optional field present, each list with one item. */
function createExample(schema: JsonSchema): unknown {
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, each]) => [name, createExample(each)]),
    )
  }
  return schema.items === undefined ? schema.example : [createExample(schema.items)]
}

test('every schema has a description, every leaf an example, every object its required fields', () => {
  for (const { at, schema } of EVERY_SCHEMA) {
    assert.match(schema.description ?? '', /\S.*[.]$/s, `${at}: a description that is a sentence`)
    const isLeaf = schema.properties === undefined && schema.items === undefined
    if (isLeaf) assert.notEqual(schema.example, undefined, `${at}: an example`)
    if (schema.type === 'object') {
      assert.ok(schema.required !== undefined && schema.required.length > 0, `${at}: required`)
      for (const name of schema.required) {
        assert.ok(Object.hasOwn(schema.properties ?? {}, name), `${at}.${name} is described`)
      }
    }
  }
})

test('objects are open in the contract and closed for content', () => {
  for (const { at, schema } of EVERY_SCHEMA) {
    assert.notEqual(schema.additionalProperties, false, `${at} is open`)
  }
  for (const name of SNAPSHOT_NAMES) {
    for (const { at, schema } of everySchema(closeSchema(SNAPSHOT_SCHEMAS[name]), name)) {
      if (schema.type === 'object')
        assert.equal(schema.additionalProperties, false, `${at} is closed`)
    }
  }
})

test('property names are ASCII identifiers', () => {
  for (const { at, isProperty } of EVERY_SCHEMA) {
    if (isProperty) assert.match(at.split('.').at(-1) ?? '', /^[a-z][A-Za-z0-9]*$/, at)
  }
})

for (const name of SNAPSHOT_NAMES) {
  test(`${name}: accepts its examples, and each rule rejects something`, () => {
    const schema = SNAPSHOT_SCHEMAS[name]
    const validate = createAjv().compile(closeSchema(schema))
    const example = createExample(schema)
    assert.ok(validate(example), JSON.stringify(validate.errors))
    assert.ok(!validate({ ...(example as object), unknownField: 1 }))
    assert.ok(createAjv().compile(schema)({ ...(example as object), laterField: 1 }))
    for (const required of schema.required) {
      const { [required]: _, ...without } = example as { readonly [name: string]: unknown }
      assert.ok(!validate(without), `${name} without ${required}`)
    }
  })
}

test('a name is the path below the base path of the endpoint that serves it', () => {
  const registry: Registry = ENDPOINTS
  const served = SNAPSHOT_NAMES.flatMap((name) => {
    const rows = Object.values(registry).filter(({ success }) => success?.data === name)
    for (const { method, path } of rows)
      assert.deepEqual([method, path], ['GET', `${BASE_PATH}/${name}`])
    return rows.map(() => name)
  })
  assert.deepEqual(served, SNAPSHOT_NAMES)
})

test('isSnapshotName accepts the names and no inherited property', () => {
  for (const name of SNAPSHOT_NAMES) assert.ok(isSnapshotName(name))
  for (const name of ['', 'constructor', '__proto__', 'toString', 'policy', 'Status']) {
    assert.ok(!isSnapshotName(name))
  }
})

test('a closed schema rejects undescribed fields at every depth, in lists and in maps too', () => {
  const inner = { type: 'object', properties: { id: { type: 'string' } } } as const
  const validate = createAjv().compile(
    closeSchema({
      type: 'object',
      properties: {
        list: { type: 'array', items: inner },
        map: { type: 'object', additionalProperties: inner },
      },
    }),
  )
  assert.equal(validate({ list: [{ id: 'a' }], map: { any: { id: 'b' } } }), true)
  for (const value of [{ more: 1 }, { list: [{ more: 1 }] }, { map: { any: { more: 1 } } }]) {
    assert.equal(validate(value), false, JSON.stringify(value))
  }
})
