import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '../../src/contract/locales.ts'
import type { JsonSchema } from '../../src/contract/schema-type.ts'
import { SNAPSHOT_NAMES, SNAPSHOT_SCHEMAS } from '../../src/contract/snapshot-schemas.ts'
import { CHANGE_KINDS } from '../../src/contract/version-chain.ts'
import { html } from '../../src/pages/html.ts'
import { TEXTS } from '../../src/pages/texts.ts'
import { stateBadge, wordFor } from '../../src/pages/words.ts'

/** Every list of words that a published resource may hold, each once. */
function wordLists(schema: JsonSchema): readonly (readonly string[])[] {
  if (schema.enum !== undefined) return [schema.enum.map(String)]
  return [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
  ].flatMap(wordLists)
}

const key = (words: readonly string[]): string => words.toSorted().join(' ')

test('each list of words of the schemas is there in every language, and nothing else', () => {
  const lists = [
    ...Object.values(SNAPSHOT_SCHEMAS).flatMap((schema) => wordLists(schema)),
    SNAPSHOT_NAMES,
    CHANGE_KINDS,
  ]
  const expected = new Set(lists.map(key))
  for (const locale of LOCALES) {
    const found = new Set(
      Object.values(TEXTS[locale].words).map((words) => key(Object.keys(words))),
    )
    assert.deepEqual([...found].toSorted(), [...expected].toSorted(), locale)
  }
})

test('a word of a newer release is shown as it is', () => {
  const newer = '<newer>' as 'operational'
  const shown = html`${wordFor(TEXTS.en, 'componentState', newer)}`
  assert.equal(shown.text, '<code>&lt;newer&gt;</code>')
  // Not a member that every object has.
  const inherited = 'constructor' as 'operational'
  assert.equal(
    html`${wordFor(TEXTS.en, 'componentState', inherited)}`.text,
    '<code>constructor</code>',
  )
  assert.match(stateBadge(TEXTS.en, 'componentState', newer).text, /class="state state-idle"/)
  assert.match(stateBadge(TEXTS.en, 'componentState', inherited).text, /class="state state-idle"/)
})

test('a state has a word and a class for its shape', () => {
  const { text } = stateBadge(TEXTS.th, 'componentState', 'major_outage')
  assert.match(text, /class="state state-bad"/)
  assert.ok(text.includes(TEXTS.th.words.componentState.major_outage))
})
