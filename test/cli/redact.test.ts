import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { failedWith, succeeded, svc, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a note with a removed text, a copy and later versions are named, and a note is the failure', async (t) => {
  const content = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  const publication = ['--content', content, '--releases', releases, '--no-cards']
  const publish = async (...args: readonly string[]) =>
    succeeded(await svc(...args, ...publication))
  await publish('publish', '--note', 'First', '--create')
  const calm = readFileSync(path.join(content, 'status.yaml'))
  await publish(
    'incident',
    'open',
    '--title',
    'Ask Ada',
    '--impact',
    'minor',
    '--publish',
    '--text',
    'Ada Example of berth nine answers.',
    '--text-th',
    'เอดาแห่งท่าเก้าตอบ',
    '--summary',
    'Late.',
    '--id',
    'asked-ada',
    '--component',
    'read-api=degraded',
    '--note',
    'Today ada example of berth nine is here',
  )
  await publish('incident', 'update', 'asked-ada', '--text', 'She came.', '--publish')
  writeFileSync(path.join(content, 'status.yaml'), calm)
  rmSync(path.join(content, 'th'), { recursive: true })
  await publish('publish', '--note', 'Taken back')
  const redact = ['redact', 'VS-0002', 'status', '--reason', 'A name']
  const outcome = await svc(...redact, '--yes', '--content', content, '--releases', releases)
  assert.equal(outcome.status, 1, outcome.error)
  assert.match(outcome.out, /^Redacted status of VS-0002/m)
  assert.match(
    outcome.out,
    /^ {2}VS-0002: "ada example of b" \(the note of the version, which can never be removed\)$/m,
  )
  assert.match(outcome.out, /^ {2}VS-0003 status: ".*" \(redact it, too\)$/m)
  // What it says in another language has no word in common.
  assert.match(
    outcome.out,
    /^ {2}VS-0002 to VS-0003 site\/translations\/th: "เอดาแห่งท่าเก้าตอบ" \(redact it, too\)$/m,
  )
  assert.doesNotMatch(outcome.out, /VS-0004/)
})

test('content that another clone redacted is refused by svc check too, and svc discard goes on', async (t) => {
  const content = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  const env = { SVC_CONTENT_DIR: content, SVC_RELEASES_DIR: releases }
  const run = (...args: readonly string[]) => svcIn(content, args, { env })
  succeeded(await run('publish', '--note', 'First', '--create', '--no-cards'))
  editContent(content, 'roadmap', 'title: Writing', 'title: Ada Example')
  succeeded(await run('publish', '--note', 'Second', '--no-cards'))
  const store = openReleaseStore(releases)
  const [digest = ''] = readdirSync(path.join(releases, 'resources', 'roadmap')).flatMap((name) =>
    store.readResourceText('roadmap', name.slice(0, -5)).includes('Ada') ? [name.slice(0, -5)] : [],
  )
  // As git merges the redaction of one clone and a version of the other.
  store.redactResource('roadmap', digest, { reason: 'R.', redactedAt: '2026-02-01T00:00:00Z' })
  for (const args of [['check'], ['publish', '--note', 'Third', '--no-cards']]) {
    assert.match(
      failedWith(1, await run(...args)),
      /roadmap was redacted with this content; expected content that was not/,
    )
  }
  const { error } = await run('rollback', 'VS-0001', '--no-cards')
  assert.match(error, /could not be brought to VS-0001 \(.*was redacted\); svc discard does it/)
  succeeded(await run('discard', '--yes'))
  assert.match(succeeded(await run('publish', '--note', 'Third')), /^Nothing to publish/)
  succeeded(await run('check'))
})
