import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import {
  NO_WALLET_VIEWS,
  publishesNoWallet,
  WALLET_NAMES,
} from '@public-api/contract/snapshots/no-wallet'
import {
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { translateData, type Translations } from '@public-api/contract/snapshots/translations'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { formatMistake } from '../../../src/publishing/rules/content-mistake.ts'
import { FIXTURE_NOW_MS, makeContent, writeContent } from '../content-fixture.ts'

async function compile(
  t: TestContext,
  files: { readonly [name: string]: string },
): Promise<{
  mistakes: readonly string[]
  translations: Translations | undefined
  roadmap: SnapshotData<'roadmap'> | undefined
}> {
  const folder = makeContent(t)
  for (const [name, text] of Object.entries(files)) writeContent(folder, name, text)
  const { resources, mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  const parse = (text: string | undefined): unknown =>
    text === undefined ? undefined : JSON.parse(text)
  return {
    mistakes: mistakes.map((each) => formatMistake(each).slice(folder.length + 1)),
    translations: parse(resources.get('site/translations/th')?.text) as Translations | undefined,
    roadmap: parse(resources.get('roadmap')?.text) as SnapshotData<'roadmap'> | undefined,
  }
}

test('an overlay translates by id, as a list or as a map', async (t) => {
  const expected = {
    locale: 'th',
    resources: {
      roadmap: { summary: 'สรุป', items: { writing: { title: 'การเขียน' } } },
    },
  }
  for (const items of [
    'items:\n  - id: writing\n    title: การเขียน\n',
    'items:\n  writing:\n    title: การเขียน\n',
  ]) {
    const { mistakes, translations } = await compile(t, {
      'th/roadmap.yaml': `summary: สรุป\n${items}`,
    })
    assert.deepEqual(mistakes, [])
    assert.deepEqual(translations, expected)
  }
})

test('the name of a group is translated once, for all of its components', async (t) => {
  const component = (id: string, group: string) =>
    `  - { id: ${id}, name: ${id}, group: ${group}, summary: S., state: operational, since: 2026-01-01T00:00:00Z }\n`
  const status = `state: operational\nsummary: S.\nupdatedAt: 2026-02-01T00:00:00Z\ncomponents:\n${component('a', 'Reads')}${component('b', 'Reads')}${component('c', 'Writes')}incidents: []\n`
  const translate = (overlay: string) =>
    compile(t, { 'status.yaml': status, 'th/status.yaml': `components:\n${overlay}` })
  const { mistakes, translations } = await translate('  b: { name: ข, group: อ่าน }\n')
  assert.deepEqual(mistakes, [])
  assert.deepEqual(translations?.resources['status'], {
    components: { a: { group: 'อ่าน' }, b: { name: 'ข', group: 'อ่าน' } },
  })
  const differing = await translate('  a: { group: อ่าน }\n  b: { group: การอ่าน }\n')
  assert.match(
    differing.mistakes.join(),
    /^th\/status\.yaml:3:\d+: components\.b\.group: found another translation of the group "Reads", expected one for the whole group, as at components\[a\]\.group$/,
  )
})

test('pages show translations, and know which texts have none', async (t) => {
  const { translations, roadmap } = await compile(t, {
    'th/roadmap.yaml': 'items:\n  writing: { title: การเขียน, summary: เขียนได้ }\n',
  })
  assert.ok(roadmap !== undefined)
  const { data, untranslated } = translateData(
    SNAPSHOT_SCHEMAS.roadmap,
    roadmap,
    translations?.resources['roadmap'],
  )
  assert.equal(data.items[1]?.title, 'การเขียน')
  assert.equal(data.items[0]?.title, 'Reading')
  assert.deepEqual([...untranslated].toSorted(), ['It can be read.', 'Reading', 'What it is.'])
  assert.equal(data.items[1]?.horizon, 'later')
  assert.equal(schemaMistake(SNAPSHOT_SCHEMAS.roadmap, data), undefined)
  // Without an overlay, everything falls back.
  assert.deepEqual(translateData(SNAPSHOT_SCHEMAS.roadmap, roadmap, undefined).data, roadmap)
})

test('items without an id are matched in order, releases by version', async (t) => {
  const { mistakes, translations } = await compile(t, {
    'th/changelog.yaml': 'releases:\n  - version: 0.1.0\n    changes:\n      - text: มีแล้ว\n',
  })
  assert.deepEqual(mistakes, [])
  assert.deepEqual(translations?.resources['changelog'], {
    releases: { '0.1.0': { changes: { 0: { text: 'มีแล้ว' } } } },
  })
})

const MISTAKES: readonly (readonly [
  title: string,
  file: string,
  text: string,
  expected: string,
])[] = [
  [
    'an unknown item',
    'th/roadmap.yaml',
    'items:\n  writting: { title: T }\n',
    'th/roadmap.yaml:2:13: items.writting: found "writting", which the content does not have, expected a known name; did you mean writing?',
  ],
  [
    'an unknown field',
    'th/roadmap.yaml',
    'sumary: T\n',
    'th/roadmap.yaml:1:9: sumary: found the field "sumary", expected a known name; did you mean summary?',
  ],
  [
    'a field that is not text',
    'th/roadmap.yaml',
    'items:\n  - { id: writing, horizon: now }\n',
    'th/roadmap.yaml:2:29: items[0].horizon: found the field "horizon", expected only fields that are translated: title, summary',
  ],
  [
    'an item without its id',
    'th/roadmap.yaml',
    'items:\n  - title: T\n',
    'th/roadmap.yaml:2:5: items[0].id: found nothing, expected the id of the item that is translated',
  ],
  [
    'an item twice',
    'th/roadmap.yaml',
    'items:\n  - { id: writing, title: T }\n  - { id: writing, title: U }\n',
    'th/roadmap.yaml:3:11: items[1].id: found "writing" again, expected each item once',
  ],
  [
    'a list of another length',
    'th/changelog.yaml',
    'releases:\n  0.1.0: { changes: [{ text: A }, { text: B }] }\n',
    'th/changelog.yaml:2:21: releases.0.1.0.changes: found 2 items, expected 1, as in the content: these items have no id and are matched in order',
  ],
  [
    'a text where none exists',
    'th/status.yaml',
    'components:\n  read-api: { note: T }\n',
    'th/status.yaml:2:21: components.read-api.note: found a translation, expected no note, because the content has none here',
  ],
  [
    'a text of the wrong type',
    'th/status.yaml',
    'summary: 5\n',
    'th/status.yaml:1:10: summary: found the number 5, expected the translated text',
  ],
  [
    'a hidden character',
    'th/status.yaml',
    'summary: "a\\u202eb"\n',
    'th/status.yaml:1:10: summary: found the hidden character U+202E, expected visible characters',
  ],
  [
    'a text that is too long',
    'th/status.yaml',
    `components:\n  read-api: { name: ${'ก'.repeat(121)} }\n`,
    `th/status.yaml:2:21: components.read-api.name: found "${'ก'.repeat(60)}…", expected text of at most 120 characters`,
  ],
  [
    'an unknown locale',
    'fr/status.yaml',
    'summary: T\n',
    'fr/status.yaml:1:1: found an unknown file, expected a folder for a locale that the pages have: th, zh-CN',
  ],
  [
    'the locale of the content',
    'en/status.yaml',
    'summary: T\n',
    'en/status.yaml:1:1: found an unknown file, expected status.yaml in the content folder itself: content is written in en',
  ],
  [
    'nothing to translate',
    'th/organization.yaml',
    'name: T\n',
    'th/organization.yaml:1:1: found a translation of site/organization, expected the content that it translates',
  ],
  [
    'a secret',
    'zh-CN/status.yaml',
    'summary: 密码 password=hunter2\n',
    'zh-CN/status.yaml:1:13: found a password or a token with its value, expected no credential; write a placeholder such as <token> (rule assigned-credential)',
  ],
]

for (const [title, file, text, expected] of MISTAKES) {
  test(`refuses an overlay with ${title}, with its position`, async (t) => {
    assert.deepEqual((await compile(t, { [file]: text })).mistakes, [expected])
  })
}

test('without wallet files the seven views say that no wallet is attached', async (t) => {
  const folder = makeContent(t)
  rmSync(path.join(folder, 'wallet'), { recursive: true })
  rmSync(path.join(folder, 'wallet.yaml'))
  const { resources, mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.deepEqual(mistakes, [])
  for (const name of WALLET_NAMES) {
    const view = JSON.parse(resources.get(name)?.text ?? '') as { attached: boolean }
    assert.equal(view.attached, false)
    assert.equal(schemaMistake(SNAPSHOT_SCHEMAS[name], view), undefined)
  }
  const { wallet } = NO_WALLET_VIEWS
  assert.equal(publishesNoWallet(wallet), true)
  assert.equal(publishesNoWallet({ ...wallet, summary: 'Ours.' }), false)
})
