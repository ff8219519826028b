import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHANGE_KINDS } from '@public-api/contract/history/version-chain'
import { RESOURCE_NAMES } from '@public-api/contract/registry/resource-names'
import { isSnapshotName, SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { stateBadge } from '../../src/pages/texts/enum-labels.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'

/** Every list of words that a published resource may hold, each once. */
function wordLists(schema: JsonSchema): readonly (readonly string[])[] {
  if (schema.enum !== undefined) return [schema.enum.map(String)]
  return [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
  ].flatMap(wordLists)
}

const key = (labels: readonly string[]): string => labels.toSorted().join(' ')

test('every enum value has a label in every locale', () => {
  const lists = [
    ...Object.values(SNAPSHOT_SCHEMAS).flatMap((schema) => wordLists(schema)),
    CHANGE_KINDS,
    RESOURCE_NAMES.filter((name) => !isSnapshotName(name)),
  ]
  const expected = new Set(lists.map(key))
  for (const locale of LOCALES) {
    const found = new Set(
      Object.values(TEXTS[locale].labels).map((words) => key(Object.keys(words))),
    )
    assert.deepEqual([...found].toSorted(), [...expected].toSorted(), locale)
  }
})

test('a state badge has a label and a severity class', () => {
  const { text } = stateBadge(TEXTS.th, 'componentState', 'major_outage')
  assert.match(text, /class="state state-bad"/)
  assert.ok(text.includes(TEXTS.th.labels.componentState.major_outage))
})
