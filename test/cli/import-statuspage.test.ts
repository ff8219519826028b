import assert from 'node:assert/strict'
import fs, { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makeContent, writeContent } from '../publishing/content-fixture.ts'
import { failedWith, succeeded, svc } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FOLDER = fileURLToPath(new URL('./import/statuspage/', import.meta.url))
const FILES = readdirSync(FOLDER).map((name) => path.join(FOLDER, name))

function contentFolder(t: TestContext) {
  const content = makeContent(t)
  const file = path.join(content, 'status.yaml')
  const run = (...args: readonly string[]) =>
    svc('import', 'statuspage', ...args, '--content', content)
  return { content, file, run }
}

test('writes status.yaml for review, and an existing one only on request', async (t) => {
  const { content, file, run } = contentFolder(t)
  const before = readFileSync(file)
  const refused = failedWith(1, await run(...FILES))
  assert.match(refused, /status\.yaml exists and was left unchanged; --replace writes over it/)
  assert.ok(readFileSync(file).equals(before))
  const done = succeeded(await run(...FILES, '--replace'))
  assert.match(
    done,
    /^Wrote \S+status\.yaml: 3 components, 2 incidents, 1 maintenance\.\nTo review:\n/,
  )
  assert.match(done, /^ {2}incidents\[\]\.shortlink: not imported \(2\)$/m)
  assert.match(
    done,
    /^svc check refuses 1 text:\n\S+status\.yaml:8:14: components\[0\]\.summary: found the placeholder/m,
  )
  const text = readFileSync(file, 'utf8')
  assert.match(text, /^# yaml-language-server: \$schema=\.schemas\/status\.json\n/)
  // Once that is written, everything holds, and the incident goes on by command.
  writeFileSync(file, text.replace('TODO What the component does.', 'Answers.'))
  assert.equal((await svc('check', '--content', content)).status, 0)
  const resolve = ['incident', 'resolve', 'no-levels-from-the-north-2026-02-14']
  const words = ['--text', 'Repaired.', '--summary', 'All levels are measured.']
  assert.equal((await svc(...resolve, ...words, '--content', content)).status, 0)
})

test('names what svc check refuses of the translations, and repeats what has aged since', async (t) => {
  const { content, file, run } = contentFolder(t)
  const overlay = path.join(content, 'th', 'status.yaml')
  writeContent(content, 'th/status.yaml', 'components:\n  read-api: { name: อ่าน }\n')
  const source = path.join(content, '.source.json')
  const day = (index: number) => `2024-05-${String(index + 1).padStart(2, '0')}T00:00:00Z`
  const incidents = Array.from({ length: 22 }, (_, index) => ({
    id: `i${index}`,
    name: `Dark ${index}`,
    status: 'resolved',
    impact: 'minor',
    started_at: day(index),
    resolved_at: day(index),
    incident_updates: [{ status: 'resolved', body: 'Lit.', display_at: day(index) }],
  }))
  const component = { id: 'a', name: 'Lamp', description: 'It shines.', status: 'operational' }
  const status = { indicator: 'none', description: 'It shines.' }
  writeFileSync(source, JSON.stringify({ status, components: [component], incidents }))
  const first = succeeded(await run(source, '--replace'))
  assert.match(first, /^svc check refuses 1 text:\n\S+th\/status\.yaml:2:13: components\.read-api/m)
  rmSync(overlay)
  const releases = ['--releases', path.join(temporaryFolder(t), 'releases'), '--no-cards']
  const publish = () => svc('publish', '-m', 'N.', '--content', content, '--create', ...releases)
  assert.match(succeeded(await publish()), /2 incidents of May went to events\/2024\.yaml/)
  assert.doesNotMatch((await run(source, '--replace')).out, /svc check refuses/)
  succeeded(await svc('check', '--content', content))
  writeFileSync(file, readFileSync(file, 'utf8').replace('title: Dark 0', 'title: Dim 0'))
  for (const outcome of [await svc('check', '--content', content), await publish()])
    assert.match(failedWith(1, outcome), /"dark-0-2024-05-01", which status\.yaml has too/)
})

test('lists and texts of a page may be null', async (t) => {
  const { content, file, run } = contentFolder(t)
  const source = path.join(content, '.null.json')
  const component = {
    id: 'a',
    name: 'Lamp',
    status: 'operational',
    description: 'It shines.',
    group_id: null,
    updated_at: '2026-02-01T00:00:00Z',
  }
  const incident = {
    id: 'i',
    name: 'Dark',
    status: 'resolved',
    impact: 'minor',
    created_at: '2026-02-01T08:00:00Z',
    started_at: null,
    resolved_at: '2026-02-01T09:00:00Z',
    components: null,
    incident_updates: [
      {
        status: 'resolved',
        body: 'Lit.',
        display_at: '2026-02-01T09:00:00Z',
        affected_components: null,
      },
    ],
  }
  const status = { indicator: 'none', description: 'It shines.' }
  for (const [incidents, count] of [[null, 0] as const, [[incident], 1] as const]) {
    const lists = { components: [component], incidents, scheduled_maintenances: null, status }
    writeFileSync(source, JSON.stringify({ page: null, ...lists }))
    const { status: code, out, error } = await run(source, '--replace')
    assert.equal(code, 0, error)
    const counts = `1 component, ${count} incident${count === 1 ? '' : 's'}, 0 maintenances`
    assert.ok(out.includes(counts), out)
    succeeded(await svc('check', '--content', content))
  }
  assert.match(readFileSync(file, 'utf8'), /startedAt: 2026-02-01T08:00:00Z\n/)
})

test('a document of another kind, and a URL, change nothing', async (t) => {
  const { content, file, run } = contentFolder(t)
  const before = readFileSync(file)
  const listing = readdirSync(content)
  const source = path.join(temporaryFolder(t), 'summary.json')
  for (const [text, expected] of [
    ['<html>', /is not JSON; expected a document of a Statuspage/],
    ['[]', /not the documents of a Statuspage: no document has the components/],
    ['['.repeat(100_000), /is not JSON/],
    [' '.repeat(8_388_609), /cannot be read: .*8388608/],
  ] as const) {
    writeFileSync(source, text)
    const { status, error } = await run(source, '--replace')
    assert.match(error, expected)
    assert.equal(status, 1, error)
  }
  assert.match((await run(path.join(content, 'no.json'), '--replace')).error, /cannot be read/)
  for (const args of [[], ['https://status.example.org'], [source, 'http://']]) {
    const error = failedWith(2, await run(...args, '--replace'))
    assert.match(error, /expected files with the documents of a Statuspage/)
  }
  assert.equal(
    (await svc('import', 'statuspage', ...FILES, '--content', `${content}/no`)).status,
    2,
  )
  // A full disk.
  const sync = t.mock.method(fs, 'fsyncSync', () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  const full = await run(...FILES, '--replace')
  sync.mock.restore()
  assert.equal(full.status, 1)
  assert.match(full.error, /status\.yaml could not be written \(no space left on device\)/)
  assert.ok(readFileSync(file).equals(before))
  assert.deepEqual(readdirSync(content), listing)
})

test('texts of a hostile page neither act on the terminal nor pass svc check', async (t) => {
  const { content, file, run } = contentFolder(t)
  const name = '\u009B31m\u202Egnp: "#{x}"\n- a'
  const component = { id: 'a', name, status: 'operational', updated_at: '2026-02-01T00:00:00Z' }
  const gone = { id: 'z', name }
  const incident = { id: 'i', name, status: 'x\u009b', components: [gone], incident_updates: [] }
  const source = path.join(content, '.hostile.json')
  writeFileSync(source, JSON.stringify({ components: [component], incidents: [incident] }))
  const out = succeeded(await run(source, '--replace'))
  assert.doesNotMatch(out.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
  assert.match(out, /"\\u009b31m\\u202egnp: /)
  const checked = failedWith(1, await svc('check', '--content', content))
  assert.match(
    checked,
    /status\.yaml:\d+:\d+: components\[0\]\.name: found the hidden character U\+009B/,
  )
  assert.doesNotMatch(checked.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
  assert.ok(readFileSync(file).length > 0)
})
