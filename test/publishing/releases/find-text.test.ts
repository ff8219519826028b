import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { sha256Base64url } from '../../../src/crypto/sha256.ts'
import { appendVersion } from '../../../src/publishing/releases/append-version.ts'
import { findText } from '../../../src/publishing/releases/find-text.ts'
import { readVersions } from '../../../src/publishing/releases/published-versions.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { succeeded, svcIn } from '../../support/run-svc.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Releases whose versions have these resources and notes. */
function publishAll(
  t: TestContext,
  versions: readonly { readonly note: string; readonly status: JsonValue }[],
) {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(path.join(folder, 'releases'))
  for (const [index, { note, status }] of versions.entries()) {
    const text = canonicalJson(status)
    const digest = sha256Base64url(text)
    const release = { store, nowMs: Date.UTC(2026, 0, index + 1), registryVersion: '1.0.0', note }
    appendVersion(release, readVersions(store), { status: digest }, () => {
      store.writeResource('status', digest, text)
      return []
    })
  }
  return { store, folder }
}

test('finds every spelling of a text in every version, field and note', (t) => {
  const { store } = publishAll(t, [
    { note: 'First', status: { a: 'Jane Doe', list: [{ b: 'none' }] } },
    { note: 'About JANE\u200B DOE', status: { a: 'x', list: [{ b: 'jane%20doe' }] } },
    { note: 'Third', status: { a: '&#74;ane\nDoe', 'jane doe': 1 } },
    { note: 'Fourth', status: { a: 'Ｊａｎｅ Doe' } },
    { note: 'Fifth', status: { a: 'Janet Do' } },
  ])
  const { found, unread } = findText(store, ' jane  doe ')
  assert.deepEqual(
    found.map(({ snapshotIds, resource, fields }) => [snapshotIds, resource, fields]),
    [
      [['VS-0002'], 'note', ['note']],
      [['VS-0001'], 'status', ['a']],
      [['VS-0002'], 'status', ['list.0.b']],
      [['VS-0003'], 'status', ['a', 'jane doe']],
      [['VS-0004'], 'status', ['a']],
    ],
  )
  assert.deepEqual(unread, [])
})

test('the command counts, names versions once, and does not repeat the text', async (t) => {
  const { folder, store } = publishAll(t, [
    { note: 'One', status: { a: 'the word' } },
    { note: 'Two', status: { a: 'the word', b: 'more' } },
    { note: 'Three', status: { a: 'the word' } },
    { note: 'Four', status: { a: 'clean' } },
  ])
  const read = succeeded(await svcIn(folder, ['find', 'word']))
  assert.equal(
    read,
    'VS-0001, VS-0003  status: a\nVS-0002  status: a\nFound in 2 published texts in releases.\n'.replace(
      'in releases',
      `in ${path.join(folder, 'releases')}`,
    ),
  )
  const piped = await svcIn(folder, ['find'], { input: 'absent\n' })
  assert.deepEqual([piped.status, piped.out.split(' in ')[0]], [1, 'Not found'])
  assert.equal((await svcIn(folder, ['find', ' '])).status, 2)
  const digest = sha256Base64url(canonicalJson({ a: 'the word' }))
  store.redactResource('status', digest, { reason: 'R.', redactedAt: '2026-02-01T00:00:00Z' })
  const json = JSON.parse((await svcIn(folder, ['find', 'word', '--json'])).out) as object
  assert.partialDeepStrictEqual(json, {
    ok: true,
    count: 1,
    unread: [{ resource: 'status', digest }],
  })
})
