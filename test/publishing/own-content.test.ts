import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import {
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
} from '@public-api/contract/snapshots/snapshot-schemas'
import {
  CONTENT_LOCALE,
  translateData,
  translationResource,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import { LOCALES } from '@public-api/contract/terms/locales'
import { compileContent } from '../../src/publishing/compile/compile-content.ts'

/** After every time that the content names. */
const NOW_MS = Date.UTC(2100, 0)
const CONTENT = path.join(import.meta.dirname, '../../content')

test("the service's own content is translated, so that the first start looks complete", async () => {
  const { mistakes, resources } = await compileContent(CONTENT, NOW_MS)
  assert.deepEqual(mistakes, [])
  const dataOf = (name: Parameters<typeof resources.get>[0]): unknown =>
    JSON.parse(resources.get(name)?.text ?? 'null')
  // Unreleased changes follow the registry, and their translations follow them before a release.
  const { unreleased } = dataOf('changelog') as SnapshotData<'changelog'>
  const waiting = new Set(unreleased.map(({ text }) => text))
  for (const locale of LOCALES.filter((each) => each !== CONTENT_LOCALE)) {
    const translations = dataOf(translationResource(locale)) as Translations
    for (const name of SNAPSHOT_NAMES) {
      const { untranslated } = translateData(
        SNAPSHOT_SCHEMAS[name],
        dataOf(name),
        translations.resources[name],
      )
      const missing = [...untranslated].filter((text) => !waiting.has(text))
      assert.deepEqual(missing, [], `${locale} ${name}`)
    }
  }
})
