import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATA_SCHEMAS } from '@public-api/contract/registry/schemas'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { dataRuleFaults } from '../../scripts/data-rule.ts'

const SAFE = { type: 'integer', minimum: 0 } as const

const BROKEN: readonly (readonly [schema: object, expected: RegExp])[] = [
  [{ type: 'number' }, /^Made\.x\[\]: expected integers within/],
  [{ ...SAFE, example: 1.5 }, /^Made\.x\[\]: expected integers within/],
  [{ ...SAFE, maximum: 2 ** 53 }, /^Made\.x\[\]: expected integers within/],
  [{ type: 'integer' }, /^Made\.x\[\]: expected a minimum of 0/],
  [{ type: 'integer', minimum: -1 }, /^Made\.x\[\]: expected a minimum of 0/],
  [{ ...SAFE, enum: [1] }, /^Made\.x\[\]: expected no minimum or maximum beside/],
  [{ type: 'string', nullable: true }, /^Made\.x\[\]: expected an optional member/],
  [{ type: 'object', properties: { größe: SAFE } }, /^Made\.x\[\]\.größe: expected an ASCII name/],
  [
    { type: 'object', additionalProperties: { type: 'integer' } },
    /^Made\.x\[\]\.\*: expected a min/,
  ],
]

const madeOf = (item: object): { readonly Made: JsonSchema } => ({
  Made: { type: 'object', properties: { x: { type: 'array', items: item } } },
})

test('the schemas of data follow the rule that any JSON tool gives the hashed bytes', () => {
  assert.deepEqual(dataRuleFaults(DATA_SCHEMAS), [])
  assert.deepEqual(dataRuleFaults(madeOf(SAFE)), [])
})

for (const [item, expected] of BROKEN) {
  test(`a schema that breaks the rule is refused: ${JSON.stringify(item)}`, () => {
    const faults = dataRuleFaults(madeOf(item))
    assert.equal(faults.length, 1)
    assert.match(faults[0] ?? '', expected)
  })
}
