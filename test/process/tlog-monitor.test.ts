import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { openTlogMonitor } from '../../src/process/tlog-monitor.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { eventually } from '../support/eventually.ts'
import { folderWithLog, folderWithReleases } from '../support/logged-releases.ts'

/** A monitor of releases that a test can replace, with what it logs. */
function watch(releasesDir: string) {
  const load = () => loadReleases(openReleaseStore(releasesDir))
  let releases = load()
  const lines: string[] = []
  const write = (level: string) => (fields: object, message: string) =>
    lines.push(`${level}: ${message} ${JSON.stringify(fields)}`)
  const monitor = openTlogMonitor(
    { tlog: () => releases.tlog, served: () => releases.served },
    { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  )
  monitor.check()
  return {
    monitor,
    lines,
    reload() {
      releases = load()
      monitor.check()
    },
    figures: () =>
      Object.fromEntries(
        Object.entries(monitor.metrics).map(([name, { read }]) => [name.slice(8), read()]),
      ),
  }
}

async function logged(t: TestContext) {
  const { releases } = await folderWithLog(t)
  const file = (name: string): string => path.join(releases, 'log', name)
  return {
    watched: watch(releases),
    file,
    text: (name: string) => readFileSync(file(name), 'utf8'),
  }
}

test('a log that fits has figures and no line', async (t) => {
  const { watched } = await logged(t)
  await eventually('it is checked', async () => watched.figures()['size'])
  const figures = { size: 3, quorum_age_seconds: undefined, pending_versions: 0, faulty: 0 }
  assert.deepEqual(watched.figures(), figures)
  assert.deepEqual([watched.monitor.fault(), watched.lines], [undefined, []])
})

test('without a log nothing is measured or logged', (t) => {
  const watched = watch(path.join(folderWithReleases(t), 'releases'))
  assert.ok(Object.values(watched.figures()).every((figure) => figure === undefined))
  assert.deepEqual(watched.lines, [])
})

test('a checkpoint that does not fit is logged once, counted, and named until it is repaired', async (t) => {
  const { watched, file, text } = await logged(t)
  await eventually('it is checked', async () => watched.figures()['size'])
  const [checkpoint, policy] = [text('checkpoint'), text('policy')]
  const faults: readonly (readonly [name: string, text: string, reason: RegExp])[] = [
    ['checkpoint', checkpoint.replace('\n3\n', '\n2\n'), /SIGNATURE/],
    ['checkpoint', 'nonsense\n', /MALFORMED/],
    [
      'origin',
      'other.example/log\n',
      /log\/origin, line 1: expected the origin of log\/checkpoint; \/log responds 503/,
    ],
    ['policy', 'quorum none\n', /UNKNOWN_LOG|MALFORMED/],
  ]
  for (const [name, wrong, reason] of faults) {
    watched.lines.length = 0
    const before = text(name)
    writeFileSync(file(name), wrong)
    watched.reload()
    await eventually('the fault is found', async () => watched.monitor.fault())
    assert.match(watched.monitor.fault() ?? '', reason)
    const figures = watched.figures()
    assert.deepEqual([figures['size'], figures['faulty']], [undefined, 1])
    watched.reload()
    watched.reload()
    writeFileSync(file(name), before)
    watched.reload()
    await eventually('it is usable', async () => watched.figures()['size'])
    assert.equal(watched.lines.length, 2, watched.lines.join('\n'))
    assert.match(watched.lines[0] ?? '', /^error: The transparency log is not usable/)
    assert.match(watched.lines[1] ?? '', /^info: The transparency log is usable again/)
  }
  assert.deepEqual([text('checkpoint'), text('policy')], [checkpoint, policy])
})
