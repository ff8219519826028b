import assert from 'node:assert/strict'
import fs, { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  openIncident,
  scheduleMaintenance,
  updateIncident,
} from '../../src/publishing/editing/edit-status.ts'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { argsOf, failedWith, type Outcome, succeeded, svc } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { CALM_STATUS } from '../support/trouble-content.ts'

const COMPONENTS = `components:
  # the one that everything needs
  - id: read-api
    name: 'Read API'
    summary: Answers.
    state: operational
    since: 2026-01-01T00:00:00Z
  - { id: archive, name: Archive, summary: Keeps., state: operational, since: 2026-01-01T00:00:00Z }
`

/** A content folder whose status has comments and two components. */
function statusFolder(t: TestContext) {
  const content = makeContent(t)
  const file = path.join(content, 'status.yaml')
  const text = readFileSync(file, 'utf8')
  const from = text.indexOf('components:')
  writeFileSync(file, `${text.slice(0, from)}${COMPONENTS}# Newest first.\nincidents: []\n`)
  const read = () => readFileSync(file, 'utf8')
  const run = (...args: readonly string[]): Promise<Outcome> => svc(...args, '--content', content)
  return { content, file, read, run }
}

const OPEN = ['incident', 'open', '--title', 'Reads fail', '--impact', 'major']
const SUMMARY = ['--summary', 'Reads fail.']
const DOWN = ['--component', 'read-api=major_outage', '--text', 'We look: why?', ...SUMMARY]

const SCHEDULE = [
  ...argsOf('maintenance schedule --title'),
  'Disk swap',
  '--text',
  'Short breaks.',
  ...argsOf('--component archive'),
]

const PAST = argsOf('--from 2026-02-01T02:00:00Z --to 2026-02-01T03:00:00Z')

test('an incident from its start to its end', async (t) => {
  const { read, run } = statusFolder(t)
  const before = read()
  const opened = succeeded(await run(...OPEN, ...DOWN, '--at', '2026-02-03T04:05:06Z'))
  const now = /\+ updatedAt: (\S+)/.exec(opened)?.[1] ?? ''
  assert.ok(Math.abs(Date.parse(now) - Date.now()) < 60_000, now)
  assert.match(
    opened,
    /^Next: svc publish --content '.*' --note 'Incident on Read API: investigating'$/m,
  )
  assert.equal(
    read(),
    before
      .replace(
        'state: operational\nsummary: What it is.',
        'state: partial_outage\n# The usual summary: "What it is."\nsummary: Reads fail.',
      )
      .replace(/updatedAt: .*/, `updatedAt: ${now}`)
      .replace(
        'state: operational\n    since: 2026-01-01T00:00:00Z',
        'state: major_outage\n    since: 2026-02-03T04:05:06Z',
      )
      .replace(
        'incidents: []',
        `incidents:
  - id: reads-fail-2026-02-03
    title: Reads fail
    state: investigating
    impact: major
    startedAt: 2026-02-03T04:05:06Z
    components: [ read-api ]
    updates:
      - at: 2026-02-03T04:05:06Z
        state: investigating
        text: "We look: why?"`,
      ),
  )
  const update = ['incident', 'update', 'reads-fail-2026-02-03', '--state', 'identified']
  const updated = succeeded(
    await run(
      ...update,
      ...argsOf('--component archive=degraded --text'),
      'A full disk.',
      ...argsOf('--at 2026-02-03T05:00:00Z'),
    ),
  )
  assert.match(updated, /^The summary still says: Reads fail\.$/m)
  assert.match(read(), /\{ id: archive, .*, state: degraded, since: 2026-02-03T05:00:00Z \}/)
  assert.match(read(), /components: \[ read-api, archive \]/)
  // Another incident of the same component: resolving the first one leaves it down.
  succeeded(
    await run(
      ...argsOf('incident open --title'),
      'Archive slow',
      ...argsOf(
        '--impact minor --id slow --component archive=degraded --text Slow. --at 2026-02-03T05:30:00Z',
      ),
    ),
  )
  const resolve = ['incident', 'resolve', 'reads-fail-2026-02-03', '--text', 'The disk is empty.']
  const resolvedAt = ['--at', '2026-02-03T06:00:00Z']
  const error = failedWith(2, await run(...resolve, ...resolvedAt))
  assert.match(error, /from partial_outage to degraded, .* "Reads fail\."; expected --summary TEXT/)
  succeeded(await run(...resolve, ...resolvedAt, '--summary', 'The archive is slow.', '--json'))
  const text = read()
  assert.match(text, /^state: degraded$/m)
  assert.match(
    text,
    /name: 'Read API'\n.*\n {4}state: operational\n {4}since: 2026-02-03T06:00:00Z/,
  )
  assert.match(text, /\{ id: archive, .*, state: degraded, since: 2026-02-03T05:00:00Z \}/)
  assert.match(text, /startedAt: 2026-02-03T04:05:06Z\n {4}resolvedAt: 2026-02-03T06:00:00Z\n/)
  const listed = succeeded(await run('incident', 'list'))
  assert.deepEqual(
    listed
      .trim()
      .split('\n')
      .map((line) => line.split(/ +/).slice(0, 3)),
    [
      ['slow', 'investigating', 'minor'],
      ['reads-fail-2026-02-03', 'resolved', 'major'],
    ],
  )
  // A resolved incident may get a report, but neither a state nor a second end.
  const report = argsOf('incident update reads-fail-2026-02-03 --state resolved --text')
  succeeded(await run(...report, 'The report.'))
  for (const args of [[...update, '--text', 'No.'], resolve]) {
    assert.match(failedWith(1, await run(...args)), /reads-fail-2026-02-03 is resolved/)
  }
  succeeded(
    await run('incident', 'resolve', 'slow', '--text', 'Fast.', '--at', '2026-02-03T07:00:00Z'),
  )
  assert.match(read(), /^state: operational\nsummary: What it is\.\n/)
  succeeded(await run('check'))
})

test('a maintenance from its announcement to its end', async (t) => {
  const { read, run } = statusFolder(t)
  const schedule = ['maintenance', 'schedule', '--title', 'Disk swap', '--text', 'Short breaks.']
  const when = ['--from', '2027-02-01T02:00:00Z', '--to', '2027-02-01T03:00:00Z']
  succeeded(
    await run(
      ...schedule,
      ...when,
      ...argsOf('--component read-api --component archive --at 2026-02-03T04:00:00Z'),
    ),
  )
  assert.match(
    read(),
    /^maintenances:\n {2}- id: disk-swap-2027-02-01\n[^]*\n# Newest first\.\nincidents: \[\]\n$/m,
  )
  assert.match(read(), /^state: operational$/m)
  const before = read()
  const repeated = failedWith(1, await run(...schedule, ...when, '--component', 'archive'))
  assert.match(
    repeated,
    /"Disk swap" already exists, with the id disk-swap-2027-02-01; expected svc maintenance reschedule/,
  )
  assert.equal(read(), before)
  const earlier = [...argsOf('--from 2027-01-01T02:00:00Z --to 2027-01-01T03:00:00Z --id other')]
  succeeded(
    await run(...schedule, ...earlier, '--component', 'archive', '--at', '2026-02-03T04:00:00Z'),
  )
  assert.deepEqual(read().match(/(?<=^ {2}- id: ).*/gm), [
    'read-api',
    'disk-swap-2027-02-01',
    'other',
  ])
  const move = (step: string, id: string, at: string) =>
    run(
      ...argsOf(`maintenance ${step} ${id} --text ${step}. --at ${at}`),
      ...(step === 'start' ? SUMMARY : []),
    )
  const tooSoon = failedWith(1, await move('complete', 'other', '2026-02-04T00:00:00Z'))
  assert.match(tooSoon, /other is scheduled; expected in_progress/)
  succeeded(await move('start', 'disk-swap-2027-02-01', '2026-02-04T00:00:00Z'))
  succeeded(await move('start', 'other', '2026-02-04T01:00:00Z'))
  assert.equal(read().match(/state: maintenance/g)?.length, 3)
  // The archive is in the other maintenance still.
  succeeded(await move('complete', 'disk-swap-2027-02-01', '2026-02-04T02:00:00Z'))
  assert.match(
    read(),
    /name: 'Read API'\n.*\n {4}state: operational\n {4}since: 2026-02-04T02:00:00Z/,
  )
  assert.match(read(), /id: archive, .*state: maintenance, since: 2026-02-04T00:00:00Z/)
  succeeded(await move('cancel', 'other', '2026-02-04T03:00:00Z'))
  assert.match(read(), /^state: operational$/m)
  const { maintenances } = JSON.parse(succeeded(await run('maintenance', 'list', '--json'))) as {
    maintenances: { state: string }[]
  }
  assert.deepEqual(
    maintenances.map(({ state }) => state),
    ['completed', 'cancelled'],
  )
})

test('an incident that ends during a maintenance leaves its components in maintenance', async (t) => {
  const { read, run } = statusFolder(t)
  const both = ['--component', 'read-api=degraded', '--component', 'archive=degraded']
  const at = (hour: number) => ['--at', `2026-02-03T0${hour}:00:00Z`]
  succeeded(await run(...OPEN, ...both, '--text', 'Slow.', ...SUMMARY, ...at(1)))
  const when = ['--from', '2026-02-03T02:00:00Z', '--to', '2026-02-03T05:00:00Z']
  succeeded(await run(...SCHEDULE, ...when, ...at(1)))
  const step = (...args: readonly string[]) => run(...args, '--text', 'Now.')
  succeeded(await step('maintenance', 'start', 'disk-swap-2026-02-03', ...at(2)))
  succeeded(await step('incident', 'resolve', 'reads-fail-2026-02-03', ...SUMMARY, ...at(3)))
  assert.match(read(), /name: 'Read API'\n.*\n {4}state: operational\n/)
  assert.match(read(), /id: archive, .*state: maintenance, since: 2026-02-03T03:00:00Z/)
  succeeded(await step('maintenance', 'complete', 'disk-swap-2026-02-03', ...at(4)))
  assert.match(read(), /^state: operational$/m)
})

test('a maintenance is rescheduled, and its list stays in order', async (t) => {
  const { read, run } = statusFolder(t)
  const schedule = (id: string, day: string) =>
    run(
      ...SCHEDULE,
      ...argsOf(
        `--id ${id} --from 2027-02-${day}T02:00:00Z --to 2027-02-${day}T03:00:00Z --at 2026-02-03T04:00:00Z`,
      ),
    )
  succeeded(await schedule('first', '01'))
  succeeded(await schedule('second', '08'))
  const reschedule = (...args: readonly string[]) =>
    run('maintenance', 'reschedule', 'first', '--text', 'Later.', ...args)
  const at = ['--at', '2026-02-04T04:00:00Z']
  const late = ['--from', '2027-02-15T02:00:00Z', '--to', '2027-02-15T03:00:00Z']
  const out = succeeded(await reschedule(...late, ...at))
  assert.match(out, /^ {2}\+ {5}startsAt: 2027-02-15T02:00:00Z$/m)
  assert.match(out, /^Next: svc publish .* --note 'Maintenance on Archive: scheduled'$/m)
  assert.deepEqual(read().match(/(?<=^ {2}- id: )(?:first|second)$/gm), ['first', 'second'])
  assert.match(
    read(),
    /endsAt: 2027-02-15T03:00:00Z\n.*\n {4}updates:\n {6}- at: 2026-02-04T04:00:00Z\n {8}state: scheduled\n {8}text: Later\./,
  )
  succeeded(await run('check'))
  succeeded(
    await run(
      ...argsOf('maintenance start first --text Begun.'),
      ...SUMMARY,
      ...argsOf('--at 2026-02-05T00:00:00Z'),
    ),
  )
  const end = ['--to', '2027-02-15T05:00:00Z', '--at', '2026-02-05T01:00:00Z']
  succeeded(await reschedule(...end))
  assert.match(
    read(),
    /state: in_progress\n {4}startsAt: 2027-02-15T02:00:00Z\n {4}endsAt: 2027-02-15T05:00:00Z/,
  )
  const before = read()
  for (const [status, args, expected] of [
    [
      1,
      ['--from', '2027-02-20T02:00:00Z'],
      /first has started; expected another end only \(--to\)/,
    ],
    [1, ['--to', '2027-02-15T05:00:00Z'], /is planned from .* already; expected another time/],
    [1, ['--to', '2027-02-15T01:00:00Z'], /endsAt: found .*, expected a timestamp after/],
    [2, [], /expected --from TIME or --to TIME/],
    [2, ['--to', 'tomorrow'], /--to expects a time such as/],
  ] as const) {
    const outcome = await reschedule(...args)
    assert.equal(outcome.status, status, outcome.error)
    assert.match(outcome.error, expected)
    assert.equal(read(), before)
  }
  succeeded(await run('maintenance', 'complete', 'first', '--text', 'Done.'))
  assert.match(
    (await reschedule(...end)).error,
    /first is completed; expected scheduled or in_progress/,
  )
})

test('publishes in the same step, with a note that has no text of the incident', async (t) => {
  const { run } = statusFolder(t)
  const releases = ['--no-cards', '--releases', temporaryFolder(t)]
  const publication = ['--publish', ...releases]
  succeeded(await run('publish', '--auto-note', ...releases))
  const at = ['--at', '2026-02-03T04:05:06Z']
  const out = succeeded(await run(...OPEN, ...DOWN, ...at, ...publication, '--json'))
  const { outcome, entry, id } = JSON.parse(out) as {
    outcome: string
    id: string
    entry: { note: string }
  }
  assert.equal(outcome, 'published')
  assert.equal(entry.note, 'Incident on Read API: investigating')
  const resolve = ['incident', 'resolve', id, '--text', 'Done.', '--note', 'It ended.']
  assert.match(succeeded(await run(...resolve, ...publication)), /^Published VS-0003/m)
  succeeded(await run('rollback', 'VS-0002', ...releases))
  failedWith(2, await run('publish', '--auto-note', '--note', 'N.', ...releases))
  const listed = succeeded(await svc('versions', '--json', ...releases.slice(1)))
  const { versions } = JSON.parse(listed) as { versions: readonly { note: string }[] }
  assert.deepEqual(
    versions.map((each) => each.note),
    ['Rolled back to VS-0002', 'It ended.', 'Incident on Read API: investigating', 'First version'],
  )
})

const FLOOD = `# What the status no longer lists.
incidents:
  # A comment of a person.
  - id: flood
    title: Flood
    state: resolved
    impact: major
    startedAt: 2025-03-01T10:00:00Z
    resolvedAt: 2025-03-01T12:00:00Z
    components: [ read-api ]
    updates:
      - { at: 2025-03-01T12:00:00Z, state: resolved, text: The pumps work. }
`

test('a note about the past goes to the file of its year, and nothing is opened there again', async (t) => {
  const { content, read, run } = statusFolder(t)
  const releases = ['--no-cards', '--releases', temporaryFolder(t)]
  mkdirSync(path.join(content, 'events'))
  const year = path.join(content, 'events', '2025.yaml')
  writeFileSync(year, FLOOD)
  succeeded(await run('publish', '--auto-note', ...releases))
  const status = read()
  const update = argsOf('incident update flood --state resolved --text Report. --text-th Thai.')
  const out = succeeded(await run(...update, '--publish', ...releases, '--json'))
  const { file, entry } = JSON.parse(out) as {
    file: string
    entry: { note: string; changes: readonly { resource: string }[] }
  }
  assert.equal(file, year)
  assert.equal(entry.note, 'Incident on Read API: resolved')
  assert.deepEqual(
    entry.changes.map(({ resource }) => resource),
    ['site/events/2025', 'site/translations/th/events/2025'],
  )
  assert.equal(read(), status)
  const now = readFileSync(year, 'utf8')
  assert.match(now, /# A comment of a person\.[^]*updates:\n[^]*Report\.[^]*The pumps work\./)
  assert.match(readFileSync(path.join(content, 'th', 'events', '2025.yaml'), 'utf8'), /Thai\./)
  for (const [args, reason] of [
    ['incident reopen flood --text Again.', /flood ended long ago, and is in events\/2025\.yaml/],
    ['incident update flood --state resolved --text A. --summary B.', /without --summary/],
    ['incident resolve flood --text Again.', /flood is resolved already/],
    ['incident update fload --text Again.', /unknown incident "fload"/],
    ['maintenance cancel flood --text Again.', /unknown maintenance "flood"/],
  ] as const) {
    const { status: code, error } = await run(...argsOf(args))
    assert.notEqual(code, 0, args)
    assert.match(error, reason)
  }
  assert.equal(readFileSync(year, 'utf8'), now)
  // An edit that cannot be published is taken back, in each of its files.
  const late = argsOf('incident update flood --state resolved --text Late. --text-th Late.')
  const refused = await run(
    ...late,
    '--publish',
    '--no-cards',
    '--releases',
    path.join(content, 'a'),
  )
  assert.notEqual(refused.status, 0)
  assert.equal(readFileSync(year, 'utf8'), now)
})

test('the usual summary outlives a rollback into an incident, and a discarded resolution', async (t) => {
  const { read, run } = statusFolder(t)
  const releases = ['--no-cards', '--releases', temporaryFolder(t)]
  const publish = async (...args: readonly string[]) =>
    succeeded(await run(...args, '--publish', ...releases))
  const id = 'reads-fail-2026-02-03'
  const resolve = ['incident', 'resolve', id, '--text', 'Done.']
  const remembered = /^# The usual summary: "What it is\."\nsummary: Reads fail\.$/m
  succeeded(await run('publish', '--note', 'First.', ...releases))
  await publish(...OPEN, ...DOWN, '--at', '2026-02-03T04:05:06Z')
  await publish(...resolve)
  succeeded(await run('rollback', 'VS-0002', '--note', 'Still down.', ...releases))
  assert.match(read(), remembered)
  succeeded(await run(...resolve))
  succeeded(await run('discard', '--yes', ...releases.slice(1)))
  assert.match(read(), remembered)
  assert.match(await publish(...resolve), /^The summary is again: What it is\.$/m)
  succeeded(await run('rollback', 'VS-0002', '--note', 'Down.', ...releases))
  succeeded(await run('rollback', 'VS-0001', '--note', 'None of it.', ...releases))
  assert.doesNotMatch(read(), /usual summary/)
})

test('an edit is published alone, or the file is as it was', async (t) => {
  const { content, read, run } = statusFolder(t)
  const releases = temporaryFolder(t)
  const publication = ['--publish', '--no-cards', '--releases', releases]
  const at = ['--at', '2026-02-03T04:05:06Z']
  succeeded(await run('publish', '--note', 'First.', '--no-cards', '--releases', releases))
  editContent(content, 'roadmap', 'title: Writing', 'title: Half an edit')
  const opened = await run(...OPEN, ...DOWN, ...at, ...publication)
  assert.match(opened.out, /^Published VS-0002 .*\n {2}changed: status$/m)
  assert.match(opened.error, /^Warning: .*not published: roadmap\n$/)
  const before = read()
  const update = ['incident', 'update', 'reads-fail-2026-02-03', '--text', 'More.', ...publication]
  const head = path.join(releases, 'versions', 'VS-0002.json')
  const entry = readFileSync(head)
  writeFileSync(head, '{}')
  const failed = failedWith(1, await run(...update))
  assert.match(failed, /history is damaged.*status\.yaml is as it was before/)
  assert.equal(read(), before)
  writeFileSync(head, entry)
  succeeded(await run(...update))
  // What is removed does not go without a word.
  writeFileSync(
    path.join(content, 'status.yaml'),
    before.replace(/incidents:[^]*/, 'incidents: []\n'),
  )
  editContent(content, 'status', 'state: partial_outage', 'state: operational')
  editContent(content, 'status', 'state: major_outage', 'state: operational')
  const removed = / {2}removed the incident reads-fail-2026-02-03 \(Reads fail\)$/m
  assert.match(succeeded(await run('diff', '--releases', releases)), removed)
  const only = ['--only', 'status', '--no-cards', '--releases', releases]
  assert.match(succeeded(await run('publish', '--note', 'Gone.', ...only)), removed)
  assert.match(
    succeeded(await svc('audit', releases)),
    /^ {2}VS-0004 removed the incident reads-fail-2026-02-03 \(Reads fail\)$/m,
  )
  const wrong = failedWith(
    2,
    await run('publish', '--note', 'N.', '--only', 'stauts', '--releases', releases),
  )
  assert.match(wrong, /--only names "stauts"; expected a resource; did you mean status\?/)
})

test('a refused edit leaves the file byte for byte, and says what to write', async (t) => {
  const { content, file, run } = statusFolder(t)
  succeeded(await run(...OPEN, ...DOWN, '--at', '2026-02-03T04:05:06Z'))
  const before = readFileSync(file)
  const files = readdirSync(content)
  const id = 'reads-fail-2026-02-03'
  const update = ['incident', 'update', id, '--text']
  const cases: readonly (readonly [status: number, args: readonly string[], error: RegExp])[] = [
    [
      1,
      [...OPEN, '--id', 'x', '--component', 'read-api=operational', '--text', 'T', ...SUMMARY],
      /status\.yaml:\d+:\d+: components\[0\]|incidents\[0\]\.components: found components that are all operational, expected at least one/,
    ],
    [1, [...update, 'Mail root@10.1.2.3'], /rule|expected/],
    [1, [...update, 'x'.repeat(1001)], /at most 1000 characters/],
    [
      1,
      [
        ...argsOf(
          'maintenance schedule --title T --text T --component archive --from 2027-02-01T02:00:00Z --to 2027-02-01T02:00:00Z',
        ),
      ],
      /endsAt: found "2027-02-01T02:00:00Z", expected a timestamp after/,
    ],
    // The same command again.
    [
      1,
      [...OPEN, ...DOWN],
      /"Reads fail" already exists, with the id reads-fail-2026-02-03; .*incident update/,
    ],
    [
      2,
      ['incident', 'update', 'reads-fail', '--text', 'T'],
      /unknown incident "reads-fail"; expected .*reads-fail-2026-02-03/,
    ],
    [
      2,
      [...update, 'T', '--state', 'resolved'],
      /reads-fail-2026-02-03 is open; expected svc incident resolve/,
    ],
    [1, ['incident', 'reopen', id, '--text', 'T'], /is open; expected svc incident update/],
    [
      1,
      [...update, 'We look: why?'],
      /the newest update of reads-fail-2026-02-03 .* has this state/,
    ],
    [
      2,
      [...argsOf('maintenance schedule --title T --text T --component archive'), ...PAST],
      /the planned end 2026-02-01T03:00:00Z has passed; expected a time after .*, or --at TIME/,
    ],
    [
      2,
      ['incident', 'update', id, '\u2014text', 'T'],
      /begins with \u2014, a dash that a phone types for two hyphens; expected --text/,
    ],
    [
      2,
      [...update, 'T', '--component', 'archiv=degraded'],
      /unknown component "archiv"; .*did you mean archive\?/,
    ],
    [2, [...update, 'T', '--component', 'archive=down'], /expects operational, maintenance/],
    [2, [...update, 'T', '--component', 'archive'], /ID=STATE/],
    [2, [...update, 'T', '--at', '2026-02-03T04:05:06Z'], /not after the newest update/],
    [2, [...update, 'T', '--at', 'yesterday'], /--at expects a time such as/],
    [2, [...update, ' '], /expected --text/],
    [2, [...OPEN.with(5, 'huge'), ...DOWN], /--impact expects none, minor, major or critical/],
    [1, [...OPEN, ...DOWN, '--id', id], /already exists, with the id/],
    [2, [...OPEN.with(3, 'T'), ...DOWN, '--id', id], /is taken/],
    [2, [...update, 'T', '--publish'], /expected --releases DIR/],
    [2, ['maintenance', 'start', 'nothing', '--text', 'T'], /unknown maintenance "nothing"/],
  ]
  for (const [status, args, expected] of cases) {
    const outcome = await run(...args)
    assert.equal(outcome.status, status, `${args.join(' ')}: ${outcome.error}`)
    assert.match(outcome.error, expected)
    assert.ok(readFileSync(file).equals(before), args.join(' '))
  }
  for (const [broken, found] of [
    [`<<<<<<< HEAD\n${before.toString()}`, /status\.yaml:1:1: found a merge conflict \(line 1\)/],
    [Buffer.concat([before, Buffer.from([0x23, 0xff, 0x0a])]), /bytes that are not text in UTF-8/],
  ] as const) {
    writeFileSync(file, broken)
    assert.match((await run(...update, 'T')).error, found)
    assert.ok(readFileSync(file).equals(Buffer.from(broken)))
  }
  writeFileSync(file, before)
  // A full disk.
  const sync = t.mock.method(fs, 'fsyncSync', () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  const full = await run(...update, 'T')
  sync.mock.restore()
  assert.equal(full.status, 1)
  assert.match(
    full.error,
    /status\.yaml could not be written \(no space left on device\); it was left unchanged/,
  )
  assert.ok(readFileSync(file).equals(before))
  assert.deepEqual(readdirSync(content), files)
})

test('an edit whose translation cannot be written leaves status.yaml as it was', async (t) => {
  const { content, read, run } = statusFolder(t)
  const before = read()
  const rename = fs.renameSync
  const full = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    if (to.includes(`${path.sep}th${path.sep}`)) {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    rename(from, to)
  })
  const refused = await run(...OPEN, ...DOWN, '--text-th', 'ช้า')
  full.mock.restore()
  assert.equal(refused.status, 1)
  assert.match(refused.error, /no space left on device\); it was left unchanged/)
  assert.equal(read(), before)
  succeeded(await run(...OPEN, ...DOWN, '--text-th', 'ช้า'))
  assert.match(readFileSync(path.join(content, 'th', 'status.yaml'), 'utf8'), /ช้า/)
})

test('an edit that was made before names svc translations, for what a kill kept from being written', async (t) => {
  const { run } = statusFolder(t)
  const releases = temporaryFolder(t)
  succeeded(await run('publish', '--note', 'First.', '--no-cards', '--releases', releases))
  // As a kill leaves it.
  succeeded(await run(...OPEN, ...DOWN))
  const publication = ['--publish', '--no-cards', '--releases', releases]
  const again = await run(...OPEN, ...DOWN, '--text-th', 'ช้า', ...publication)
  succeeded(again)
  assert.match(`${again.out}${again.error}`, /Warning: .*; svc translations names/)
})

test('what a publisher whose clock was ahead dated does not stop the next one', async (t) => {
  const { read, run } = statusFolder(t)
  const releases = temporaryFolder(t)
  const publication = ['--publish', '--no-cards', '--releases', releases]
  succeeded(await run('publish', '--note', 'First.', '--no-cards', '--releases', releases))
  const realNow = Date.now
  const ahead = t.mock.method(Date, 'now', () => realNow() + 86_400_000)
  succeeded(await run(...OPEN, ...DOWN, '--id', 'a', ...publication))
  ahead.mock.restore()
  const [, future = ''] = /startedAt: (\S+)/.exec(read()) ?? []
  const next = argsOf('--impact minor --component archive=degraded --text Slow.')
  const options = [...next, '--title', 'Slow', '--id', 'b', ...publication]
  const opened = await run('incident', 'open', ...options)
  succeeded(opened)
  assert.match(opened.error, /Warning: the clock says \S+, before the newest version/)
  // What is new has the time of its own clock.
  const [, present = ''] = /id: b\n(?:.*\n)*? +startedAt: (\S+)/.exec(read()) ?? []
  assert.ok(Math.abs(Date.parse(present) - Date.now()) < 60_000, present)
  succeeded(await run(...argsOf('incident update a --text More.'), ...publication))
  const over = [...argsOf('incident resolve a --text Over. --summary'), 'Slow.']
  succeeded(await run(...over, ...publication))
  const [, resolved = ''] = /resolvedAt: (\S+)/.exec(read()) ?? []
  assert.ok(Date.parse(resolved) > Date.parse(future), resolved)
  succeeded(await run(...argsOf('rollback VS-0002 --no-cards --releases'), releases))
  succeeded(await run(...argsOf('discard --yes --releases'), releases))
  succeeded(await run(...argsOf('diff --releases'), releases))
  // A time that was not published is still a mistake.
  const typed = [...argsOf('incident update a --text Later. --at'), '2099-01-01T00:00:00Z']
  assert.match((await run(...typed, ...publication)).error, /a time in the past/)
})

test('what a colleague left in the folder does not stop an incident, and is named', async (t) => {
  const { content, run } = statusFolder(t)
  const releases = temporaryFolder(t)
  const publication = ['--publish', '--no-cards', '--releases', releases]
  succeeded(await run('publish', '--note', 'First.', '--no-cards', '--releases', releases))
  editContent(content, 'roadmap', 'horizon: later', 'horizon: latter')
  writeFileSync(path.join(content, 'notes.txt'), 'What I saw.\n')
  writeFileSync(path.join(content, 'architecture.yaml'), 'components: [\n')
  writeFileSync(path.join(content, 'publishing.yaml'), 'allowedTexts: 5\n')
  fs.rmSync(path.join(content, 'wallet.yaml'))
  symlinkSync('/etc/passwd', path.join(content, 'wallet.yaml'))
  const result = await run(...OPEN, ...DOWN, ...publication)
  const opened = succeeded(result)
  for (const expected of [
    /^Published VS-0002 .*\n {2}changed: status$/m,
    /roadmap\.yaml has mistakes and is not published; svc check lists them, and svc discard roadmap removes the edits$/m,
    /notes\.txt has mistakes and is not published; svc check lists them$/m,
    /architecture\.yaml has mistakes/,
    /publishing\.yaml has mistakes/,
    /wallet\.yaml has mistakes/,
  ])
    assert.match(`${result.out}\n${result.error}`, expected)
  const published = await run(...argsOf('publish -m More --only status --releases'), releases)
  assert.match(succeeded(published), /^Nothing to publish: VS-0002/)
  // What is published has no exception that a file with mistakes may have.
  const [id = ''] = /reads-fail-\S+(?=\))/.exec(opened) ?? []
  failedWith(1, await run('incident', 'update', id, '--text', 'Mail root@10.1.2.3', ...publication))
  // All of it is refused, and so is the status itself.
  assert.equal((await run('publish', '-m', 'All', '--releases', releases)).status, 1)
  editContent(content, 'status', 'name: Archive', 'name: 5')
  const refused = await run('incident', 'update', id, '--text', 'T', ...publication)
  assert.match(refused.error, /status\.yaml:\d+:\d+: components\[1\]\.name/)
})

test('an edit that was not published is published by the same command again', async (t) => {
  const { read, run } = statusFolder(t)
  const releases = temporaryFolder(t)
  const publication = ['--publish', '--no-cards', '--releases', releases]
  succeeded(await run('publish', '--note', 'First.', '--no-cards', '--releases', releases))
  const steps = [
    [...OPEN, ...DOWN, '--id', 'a'],
    argsOf('incident update a --text More.'),
    argsOf('incident resolve a --text Done.'),
    argsOf('incident reopen a --text Again. --component read-api=degraded --summary Slow.'),
  ]
  for (const [index, args] of steps.entries()) {
    succeeded(await run(...args))
    const edited = read()
    const published = succeeded(await run(...args, ...publication))
    assert.match(published, /^The edit was made before\.\nPublished VS-000/)
    assert.match(published, new RegExp(`VS-000${index + 2}`))
    const again = failedWith(1, await run(...args, ...publication))
    assert.match(again, /already exists|has this state|is resolved already|is open/)
    assert.equal(read(), edited)
  }
  succeeded(await run(...argsOf('incident resolve a --text Over.')))
  const note = argsOf('incident update a --text Why.')
  assert.match((await run(...note)).error, /is resolved; expected svc incident reopen/)
  succeeded(await run(...note, '--state', 'resolved'))
})

test('a typed note becomes one line and is cut at its limit, with a warning', async (t) => {
  const { run } = statusFolder(t)
  const releases = temporaryFolder(t)
  const publication = ['--publish', '--no-cards', '--releases', releases, '--note']
  const note = `First\nline.\t${'\u{1F30A}'.repeat(300)}`
  const opened = await run(...OPEN, ...DOWN, ...publication, note)
  succeeded(opened)
  assert.match(opened.error, /^Warning: the note has 612 characters and was cut at 500$/m)
  const entry = JSON.parse(
    readFileSync(path.join(releases, 'versions', 'VS-0001.json'), 'utf8'),
  ) as {
    note: string
  }
  assert.equal(entry.note, `First line. ${'\u{1F30A}'.repeat(243)}\u2026`)
})

test('an incident in the languages of the site, from a template', async (t) => {
  const { content, file, run } = statusFolder(t)
  const overlay = path.join(content, 'th', 'status.yaml')
  for (const name of ['templates', 'th/templates'])
    mkdirSync(path.join(content, name), { recursive: true })
  writeFileSync(
    path.join(content, 'templates', 'disk.yaml'),
    'kind: incident\ntitle: Disk full\nimpact: major\ncomponents: { read-api: degraded }\nsummary: Reads fail.\ntext: A full disk.\n',
  )
  writeFileSync(
    path.join(content, 'templates', 'swap.yaml'),
    'kind: maintenance\ntitle: Disk swap\n',
  )
  writeFileSync(
    path.join(content, 'th', 'templates', 'disk.yaml'),
    'title: ดิสก์เต็ม\ntext: ดิสก์เต็มแล้ว\n',
  )
  writeFileSync(overlay, '# ของเรา\nsummary: ปกติ\n')
  assert.equal(
    succeeded(await run('incident', 'templates')),
    'disk  incident     th  Disk full\nswap  maintenance  Disk swap\n',
  )
  const open = argsOf('incident open --template disk --id a --at 2026-02-03T04:05:06Z --summary-th')
  succeeded(await run(...open, 'อ่านไม่ได้'))
  assert.match(readFileSync(file, 'utf8'), /title: Disk full\n[^]* impact: major/)
  assert.equal(
    readFileSync(overlay, 'utf8'),
    `# ของเรา
# The usual summary: "ปกติ"
summary: อ่านไม่ได้
incidents:
  a:
    title: ดิสก์เต็ม
    updates:
      2026-02-03T04:05:06Z:
        text: ดิสก์เต็มแล้ว
`,
  )
  const update = argsOf('incident update a --at 2026-02-03T05:05:06Z --text More. --text-th')
  succeeded(await run(...update, 'ต่อ'))
  // A text of its own has no translation of the template.
  const other = argsOf(
    'incident open --template disk --id b --title Other --text Other. --summary S.',
  )
  succeeded(await run(...other))
  assert.doesNotMatch(readFileSync(overlay, 'utf8'), /^ {2}b:/m)
  for (const id of ['a', 'b']) succeeded(await run('incident', 'resolve', id, '--text', 'Done.'))
  assert.match(readFileSync(overlay, 'utf8'), /^# ของเรา\nsummary: ปกติ\nincidents:\n[^]*text: ต่อ\n/)
  succeeded(await run('check'))
  // A half edit of a colleague, and a file that does not exist yet.
  writeFileSync(overlay, 'incidents: [\n')
  const reopen = argsOf(
    'incident reopen b --component read-api=degraded --text Again. --summary S. --text-th',
  )
  const broken = failedWith(1, await run(...reopen, 'อีก'))
  assert.match(broken, /left unchanged; svc discard status takes back .*\n\S+th\/status\.yaml:/)
  fs.rmSync(overlay)
  succeeded(await run(...reopen, 'อีก'))
  assert.match(readFileSync(overlay, 'utf8'), /^incidents:\n {2}b:\n {4}updates:\n/)
  const unknown = failedWith(2, await run(...argsOf('incident open --template dsik')))
  assert.match(unknown, /--template "dsik"; expected a known template; did you mean disk\?/)
  writeFileSync(path.join(content, 'templates', 'swap.yaml'), 'kind: outage\n')
  assert.match((await run('incident', 'templates')).error, /swap\.yaml:1:7: kind: found "outage"/)
  writeFileSync(path.join(content, 'th', 'templates', 'dsik.yaml'), 'title: x\n')
  writeFileSync(path.join(content, 'templates', 'disk.yml'), 'title: x\n')
  const { error } = await run('check')
  assert.match(error, /th\/templates\/dsik\.yaml:.* no template, expected templates\/dsik\.yaml$/m)
  assert.match(error, /templates\/disk\.yml:.* unknown file, expected NAME\.yaml/)
  assert.match((await run('check')).error, /swap\.yaml:1:7/)
})

test('edits at the same time are all kept', async (t) => {
  const { content, read, run } = statusFolder(t)
  const titles = ['One', 'Two', 'Three']
  const outcomes = await Promise.all(
    titles.map((title) =>
      run(
        ...argsOf('incident open --title'),
        title,
        ...argsOf('--impact major'),
        ...DOWN,
        ...argsOf('--at 2026-02-03T04:05:06Z'),
      ),
    ),
  )
  for (const outcome of outcomes) succeeded(outcome)
  for (const title of titles) assert.match(read(), new RegExp(`title: ${title}$`, 'm'))
  assert.ok(!readdirSync(content).some((name) => name.includes('partial')))
})

test('an edit in the second of another update is not reviewed before it', () => {
  const texts = { text: 'We look.', summary: 'Reads fail.' }
  const at = (ms: string) => ({
    now: '2026-02-03T04:05:06Z',
    exactNow: `2026-02-03T04:05:06.${ms}Z`,
  })
  const incident = { title: 'Reads fail', impact: 'major', state: 'investigating' } as const
  const none = new Map<never, never>()
  const opened = openIncident(CALM_STATUS, {
    ...incident,
    ...texts,
    ...at('100'),
    components: none,
  })
  const updated = updateIncident(opened.status, opened.id, {
    ...texts,
    text: 'More.',
    ...at('200'),
    components: none,
  })
  assert.equal(updated.status.updatedAt, '2026-02-03T04:05:06.200Z')
  const planned = {
    title: 'Disk swap',
    startsAt: '2027-02-01T02:00:00Z',
    endsAt: '2027-02-01T03:00:00Z',
  }
  const { status } = scheduleMaintenance(updated.status, {
    ...planned,
    ...texts,
    ...at('300'),
    components: [],
  })
  assert.equal(status.updatedAt, '2026-02-03T04:05:06.300Z')
  assert.equal(status.maintenances?.[0]?.updates[0]?.at, '2026-02-03T04:05:06Z')
})
