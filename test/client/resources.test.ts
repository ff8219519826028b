import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadData, ReadName } from '@public-api/client-internal/reads'
import type { IssuedKey, KeyRequest } from '@public-api/client-internal/resources'
import type {
  Registration,
  RegistrationResult,
  RevokedKey,
} from '@public-api/client-internal/write'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import {
  DATA_SCHEMAS,
  type DataOf,
  type DataSchemaName,
  type REQUEST_SCHEMAS,
} from '@public-api/contract/registry/schemas'
import type { JsonSchema, SchemaType } from '@public-api/contract/terms/schema-type'
import { createClientTypes } from '../../scripts/client-types.ts'
import { OWN_CONTRACT } from '../../scripts/contract-outline.ts'

// The generated types are checked by the compiler: each is the type that the schema itself has.

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never

type SchemaData<Name extends ReadName> = (typeof ENDPOINTS)[Name] extends {
  readonly success: { readonly data: infer Schema extends DataSchemaName }
}
  ? DataOf<Schema>
  : never

type AllSame = { readonly [Name in ReadName]: Same<ReadData<Name>, SchemaData<Name>> }

test('the generated types are those of the schemas', () => {
  const writes: readonly [
    Same<RegistrationResult, DataOf<'RegistrationResult'>>,
    Same<IssuedKey, DataOf<'IssuedKey'>>,
    Same<RevokedKey, DataOf<'RevokedKey'>>,
    Same<Registration, SchemaType<(typeof REQUEST_SCHEMAS)['Registration']>>,
    Same<KeyRequest, SchemaType<(typeof REQUEST_SCHEMAS)['KeyRequest']>>,
  ] = [true, true, true, true, true]
  assert.equal(writes.length, 5)
  const names = Object.entries(ENDPOINTS).flatMap(([name, { method }]) =>
    method === 'GET' ? [name] : [],
  )
  const reads: AllSame = Object.fromEntries(names.map((name) => [name, true])) as {
    readonly [Name in ReadName]: true
  }
  assert.deepEqual(Object.keys(reads), names)
})

const REGISTRY: Registry = {
  status: {
    ...ENDPOINTS.status,
    status: 'deprecated',
    deprecation: {
      deprecatedAt: '2026-11-21T00:00:00Z',
      sunsetAt: '2027-03-01T00:00:00Z',
      successor: '/api/v2/status',
    },
  },
}

function typesOf(status: JsonSchema): string {
  return createClientTypes({
    ...OWN_CONTRACT,
    registry: REGISTRY,
    dataSchemas: { ...OWN_CONTRACT.dataSchemas, status },
  })
}

test('a deprecated read says so, and until when', () => {
  const types = typesOf(DATA_SCHEMAS.status)
  assert.match(types, /@deprecated Available until 2027-03-01T00:00:00Z\. Use \/api\/v2\/status\./)
})

test('a field without a description is an error', () => {
  const made = (field: JsonSchema): JsonSchema => ({
    type: 'object',
    description: 'Made.',
    properties: { made: field },
  })
  const enumeration = { type: 'string', nullable: true, enum: ['a', 'b', null] } as const
  assert.match(
    typesOf(made({ ...enumeration, description: 'It ends */ a comment.' })),
    / {2}\/\*\* It ends \*\\\/ a comment\. \*\/\n {2}readonly made\?: 'a' \| 'b' \| null\n/,
  )
  assert.throws(() => typesOf(made(enumeration)), /The field made has no description/)
  const lists = made({ type: 'array', description: 'A list.', items: enumeration })
  assert.match(typesOf(lists), /readonly made\?: readonly \('a' \| 'b' \| null\)\[\]\n/)
})

test('two schemas with one name are an error', () => {
  const item = (description: string): JsonSchema => ({
    type: 'object',
    title: 'Item',
    description,
    properties: {},
  })
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      one: { ...item('One.'), description: 'One.' },
      other: { ...item('Other.'), description: 'Other.' },
    },
  }
  assert.throws(() => typesOf(schema), /Two objects are named Item/)
})
