import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { importChangelog } from '../../../src/publishing/imports/import-changelog.ts'
import { importCsv } from '../../../src/publishing/imports/import-csv.ts'
import { formatMistake } from '../../../src/publishing/rules/content-mistake.ts'
import { FIXTURE_NOW_MS, HEAD, makeContent, writeContent } from '../content-fixture.ts'

async function compile(t: TestContext, files: { readonly [name: string]: string }) {
  const folder = makeContent(t)
  for (const [name, text] of Object.entries(files)) writeContent(folder, name, text)
  const { resources, mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  const data = (name: 'changelog' | 'roadmap' | 'development-queue'): unknown => {
    const text = resources.get(name)?.text
    return text === undefined ? undefined : JSON.parse(text)
  }
  return {
    mistakes: mistakes.map((each) => formatMistake(each).slice(folder.length + 1)),
    changelog: data('changelog') as SnapshotData<'changelog'> | undefined,
    roadmap: data('roadmap') as SnapshotData<'roadmap'> | undefined,
    queue: data('development-queue') as SnapshotData<'development-queue'> | undefined,
  }
}

const CHANGELOG = `# Changelog

All notable changes.

## [Unreleased]

### Fixed

- The *last* page of [the list](https://example.org/list) is no longer empty.

### Added
- A second line
  that continues.

## [1.1.0] - 2026-02-01

Reading is faster.

### Changed

- \`GET /api/v1/status\`, \`GET /api/v1/roadmap\` and \`PATCH /v2/orders/{id}\` answer sooner.

## [1.0.0] - 2026-01-01
### Added
* It exists.

[Unreleased]: https://example.org/compare/v1.1.0...HEAD
[1.1.0]: https://example.org/v1.1.0
`

const FROM_CHANGELOG = { 'changelog.yaml': `${HEAD}releasesFrom: { file: CHANGELOG.md }\n` }

test('imports a changelog from a Keep a Changelog file', async (t) => {
  const { mistakes, changelog } = await compile(t, { ...FROM_CHANGELOG, 'CHANGELOG.md': CHANGELOG })
  assert.deepEqual(mistakes, [])
  assert.deepEqual(changelog, {
    summary: 'What it is.',
    updatedAt: '2026-02-01T00:00:00Z',
    unreleased: [
      { kind: 'added', text: 'A second line that continues.' },
      { kind: 'fixed', text: 'The last page of the list is no longer empty.' },
    ],
    releases: [
      {
        version: '1.1.0',
        date: '2026-02-01',
        summary: 'Reading is faster.',
        changes: [
          {
            kind: 'changed',
            text: 'GET /api/v1/status, GET /api/v1/roadmap and PATCH /v2/orders/{id} answer sooner.',
            endpoints: ['GET /api/v1/status', 'GET /api/v1/roadmap', 'PATCH /v2/orders/{id}'],
          },
        ],
      },
      { version: '1.0.0', date: '2026-01-01', changes: [{ kind: 'added', text: 'It exists.' }] },
    ],
  })
})

const CHANGELOG_MISTAKES: readonly (readonly [
  title: string,
  from: string,
  to: string,
  expected: string,
])[] = [
  [
    'a heading that is not a kind',
    '### Fixed',
    '### Fixes',
    'CHANGELOG.md:7:1: found the heading "Fixes", expected a kind of change; did you mean fixed?',
  ],
  [
    'a release without a date',
    '## [1.0.0] - 2026-01-01',
    '## [1.0.0]',
    'CHANGELOG.md:23:1: found "1.0.0", expected a release with its date, such as ## [1.0.0] - 2026-11-22, or its date in releasesFrom.dates',
  ],
  [
    'a change without a kind',
    '### Added\n* It',
    '* It',
    'CHANGELOG.md:24:1: found a change without a kind, expected a heading such as ### Added above it',
  ],
  [
    'an unknown endpoint',
    '/api/v1/roadmap',
    '/api/v1/raodmap',
    'CHANGELOG.md:21:1: releases[0].changes[0].endpoints[1]: found the unknown endpoint "GET /api/v1/raodmap", expected a known one; did you mean GET /api/v1/roadmap?',
  ],
  [
    'versions out of order',
    '[1.0.0] -',
    '[1.2.0] -',
    'CHANGELOG.md:23:1: releases[1].version: found "1.2.0", expected a version before 1.1.0: the newest comes first',
  ],
  [
    'a secret',
    'It exists.',
    'The password=hunter2 works.',
    'CHANGELOG.md:25:1: releases[1].changes[0].text: found a password or a token with its value, expected no credential; write a placeholder such as <token> (rule assigned-credential)',
  ],
]

for (const [title, from, to, expected] of CHANGELOG_MISTAKES) {
  test(`refuses a changelog file with ${title}, with its line`, async (t) => {
    const text = CHANGELOG.replace(from, to)
    assert.notEqual(text, CHANGELOG)
    const { mistakes } = await compile(t, { ...FROM_CHANGELOG, 'CHANGELOG.md': text })
    assert.deepEqual(mistakes, [expected])
  })
}

const QUEUE = `${HEAD}itemsFrom:
  file: queue.csv
  columns: { id: Issue key, title: Summary, summary: Description, kind: Type, state: Status, priority: Rank, since: Updated, blockedBy: Blocked by, roadmapItem: Epic }
  values:
    kind: { Story: feature, Bug: fix }
    state: { To Do: queued, Doing: in_progress, Closed: skip }
`

const CSV = `Issue key,Summary,Description,Type,Status,Assignee,Updated,Rank,Blocked by,Epic
OPS-2,Second,"Fix it,
and test it.",Bug,To Do,someone@example.org,2026-01-02 10:11,20,OPS-1,Reading
OPS-1,First,Do it.,Story,Doing,someone@example.org,2026-01-01T09:00:00.000Z,10,,
OPS-3,Gone,Done.,Bug,Closed,unknown,2026-01-03,5,,
`

test('imports a queue from CSV and publishes only mapped columns', async (t) => {
  const { mistakes, queue } = await compile(t, {
    'development-queue.yaml': QUEUE,
    'queue.csv': CSV,
  })
  assert.deepEqual(mistakes, [])
  assert.deepEqual(queue?.items, [
    {
      id: 'ops-1',
      title: 'First',
      summary: 'Do it.',
      kind: 'feature',
      state: 'in_progress',
      priority: 1,
      since: '2026-01-01',
    },
    {
      id: 'ops-2',
      title: 'Second',
      summary: 'Fix it, and test it.',
      kind: 'fix',
      state: 'queued',
      priority: 2,
      since: '2026-01-02',
      roadmapItem: 'reading',
      blockedBy: ['ops-1'],
    },
  ])
  assert.ok(!JSON.stringify(queue).includes('someone'))
})

const CSV_MISTAKES: readonly (readonly [
  title: string,
  yaml: readonly [string, string],
  csv: readonly [string, string],
  expected: string,
])[] = [
  [
    'an unknown value',
    ['', ''],
    ['Bug,To Do', 'Epic,To Do'],
    'queue.csv:3:15: kind: found "Epic", expected a value of the mapping: Story, Bug',
  ],
  [
    'a state that is not mapped',
    ['', ''],
    [',Doing,', ',Paused,'],
    'queue.csv:4:26: state: found "Paused", expected a value of the mapping: To Do, Doing, Closed',
  ],
  [
    'a date in another notation',
    ['', ''],
    ['2026-01-02 10:11', '01/02/2026'],
    'queue.csv:3:45: items[1].since: found "01/02/2026", expected a date such as 2025-11-03',
  ],
  [
    'a reference to a row that does not exist',
    ['', ''],
    [',OPS-1,Reading', ',OPS-9,Reading'],
    'queue.csv:3:65: items[1].blockedBy[0]: found a reference to "ops-9", expected the id of an item; did you mean ops-1?',
  ],
  [
    'a repeated id',
    ['', ''],
    ['OPS-1,First', 'OPS-2,First'],
    'queue.csv:2:1: items[1].id: found "ops-2" again, expected another id; item 0 has this one',
  ],
  [
    'a column that does not exist',
    ['title: Summary', 'title: Sumary'],
    ['', ''],
    'queue.csv:1:1: found no column "Sumary" for title, expected a known column; did you mean Summary?',
  ],
  [
    'a file that does not exist',
    ['file: queue.csv', 'file: queu.csv'],
    ['', ''],
    'development-queue.yaml:4:9: itemsFrom.file: found "queu.csv", which is not in the content folder, expected the name of a file there',
  ],
  [
    'an unknown field of the mapping',
    ['columns: { id', 'colums: { id'],
    ['', ''],
    'development-queue.yaml:5:3: itemsFrom.colums: found the unknown field "colums", expected a known field; did you mean columns?',
  ],
]

for (const [title, yaml, csv, expected] of CSV_MISTAKES) {
  test(`refuses a CSV export with ${title}, with its position`, async (t) => {
    const files = {
      'development-queue.yaml': QUEUE.replace(...yaml),
      'queue.csv': CSV.replace(...csv),
    }
    const { mistakes } = await compile(t, files)
    assert.ok(mistakes.includes(expected), mistakes.join('\n'))
  })
}

test('CSV that cannot be parsed is refused', async (t) => {
  const { mistakes } = await compile(t, {
    'development-queue.yaml': QUEUE,
    'queue.csv': `${CSV}OPS-4,"never closed\n`,
  })
  assert.match(mistakes[0] ?? '', /^queue\.csv:\d+:1: found invalid CSV \(CSV_QUOTE_NOT_CLOSED\)/)
})

test('imports a roadmap from CSV in order of horizons', async (t) => {
  const { mistakes, roadmap } = await compile(t, {
    'roadmap.yaml': `${HEAD}itemsFrom:
  file: roadmap.csv
  columns: { id: Title, title: Title, summary: Body, horizon: Milestone }
  values: { horizon: { Q1: now, Someday: later } }
  delimiter: ;
`,
    'roadmap.csv':
      'Title;Body;Milestone\nWriting;It can be written.;Someday\nReading;It can be read.;Q1\n',
  })
  assert.deepEqual(mistakes, [])
  assert.deepEqual(
    roadmap?.items.map(({ id, horizon }) => [id, horizon]),
    [
      ['reading', 'now'],
      ['writing', 'later'],
    ],
  )
})

test('reports the same positions in an export with CRLF, a byte order mark and empty lines', async (t) => {
  const csv = `\uFEFF${CSV.replace('OPS-1,First', '\nOPS-1,First').replaceAll('\n', '\r\n')}`
  const files = { 'development-queue.yaml': QUEUE, 'queue.csv': csv }
  assert.deepEqual((await compile(t, files)).mistakes, [])
  const wrong = { ...files, 'queue.csv': csv.replace(',Doing,', ',Paused,') }
  assert.deepEqual((await compile(t, wrong)).mistakes, [
    'queue.csv:5:26: state: found "Paused", expected a value of the mapping: To Do, Doing, Closed',
  ])
})

test('items and itemsFrom exclude each other', async (t) => {
  const { mistakes } = await compile(t, {
    'development-queue.yaml': `${QUEUE}items: []\n`,
    'queue.csv': CSV,
  })
  assert.ok(
    mistakes.includes(
      'development-queue.yaml:3:1: itemsFrom: found itemsFrom and items, expected only one of them',
    ),
    mistakes.join('\n'),
  )
})

/** The mistakes of a changelog as `line: found`, and its imported fields or, in short, `version: kind: text`. */
function importText(text: string, dates?: { readonly [version: string]: string }) {
  const { fields, mistakes } = importChangelog('CHANGELOG.md', text, dates)
  return { ...fields, mistakes: mistakes.map(({ line, found }) => `${line}: ${found}`) }
}

test('numbered and indented items, underlined headings and withdrawn releases are imported', () => {
  const text = `Changelog
=========

1.1.0 - 2026-02-01 [YANKED]
---------------------------

### Added

1. One
2) Two
   - nested
      * indented

   <!-- a note
   of two lines -->
- Three <!-- x --> and \`<!-- code -->\`
  continued
- A lens <!-- x -->and<!-- y --> a mirror <!-- z -->
  of glass <!-- end -->

### Security

- A fix
`
  assert.deepEqual(importText(text), {
    unreleased: [],
    releases: [
      {
        version: '1.1.0',
        date: '2026-02-01',
        changes: [
          { kind: 'added', text: 'One' },
          { kind: 'added', text: 'Two nested indented' },
          { kind: 'added', text: 'Three and <!-- code --> continued' },
          { kind: 'added', text: 'A lens and a mirror of glass' },
          { kind: 'removed', text: 'Version 1.1.0 was withdrawn.' },
          { kind: 'security', text: 'A fix' },
        ],
      },
    ],
    mistakes: [],
  })
})

test('what has no place in the data is a mistake with its line', () => {
  const text = `- before
## [Unreleased]

### Added

- One

A paragraph.

#### Deep

\`\`\`
## [9.9.9] - 2026-01-01
\`\`\`

- ![an image](x.png)
- [x] done
- ~~gone~~
- a <b>tag</b>
> a quotation

<!-- never closed
`
  assert.deepEqual(importText(text).mistakes, [
    '1: a change without a kind',
    '8: the paragraph "A paragraph."',
    '10: the heading "Deep"',
    '12: a code block',
    '16: an image',
    '17: a checkbox',
    '18: struck-through text',
    '19: an HTML tag',
    '20: a quotation',
    '22: a comment that is not closed',
  ])
})

function importShort(body: string): readonly string[] {
  const { fields, mistakes, notes = [] } = importChangelog('CHANGELOG.md', body)
  const { unreleased, releases } = fields as unknown as SnapshotData<'changelog'>
  const changesOf = (version: string, changes: typeof unreleased) =>
    changes.map(({ kind, text }) => `${version}: ${kind}: ${text}`)
  return [
    ...changesOf('next', unreleased),
    ...releases.flatMap(({ version, changes }) => changesOf(version, changes)),
    ...mistakes.map(({ line, found }) => `mistake in ${line}: ${found}`),
    ...notes,
  ]
}

const FIXED = '## [1.0.0] - 2026-01-02\n### Fixed\n'

const READ_AS: readonly (readonly [title: string, text: string, ...read: readonly string[]])[] = [
  [
    'marks in code',
    `${FIXED}- Accept \`__main__.py\` and \`> \` at the start, items[0] and [draft] *once*.\n`,
    '1.0.0: fixed: Accept __main__.py and >  at the start, items[0] and [draft] once.',
  ],
  [
    'entities and escapes',
    `${FIXED}- Read &#x7c; and &amp;amp; and &mdash;, \\#7 and \\<three\\>.\n`,
    '1.0.0: fixed: Read | and &amp; and \u2014, #7 and <three>.',
  ],
  [
    'links',
    `${FIXED}- See [a](https://x.example/a_(b) "Title"), <https://x.example/?q=%E0> and [b][].\n\n[b]: https://x.example/b\n`,
    '1.0.0: fixed: See a, https://x.example/?q=%E0 and b.',
  ],
  [
    'indented items',
    `${FIXED}  - One.\n  - Two.\n   * Three.\n     - within\n     - it\n`,
    '1.0.0: fixed: One.',
    '1.0.0: fixed: Two.',
    '1.0.0: fixed: Three. within it',
  ],
  [
    'a release as the first heading',
    '# [2.0.0](https://x.example/2) (2026-02-03)\n### Features\n* a *lens* [wip] ([24b358b](https://x.example/c))\n',
    '2.0.0: added: a lens [wip] (24b358b)',
  ],
  [
    'empty headings and a withdrawn release',
    '## 0.2.0 - 2026-01-02 [YANKED]\n### Removed\n### Added\n - A\n\n - B\n### Changed\n',
    '0.2.0: added: A',
    '0.2.0: added: B',
    '0.2.0: removed: Version 0.2.0 was withdrawn.',
  ],
  [
    'a release without entries',
    `## [1.1.0](https://x.example/1.1.0) (2026-01-03)\n\n${FIXED}- A.\n`,
    '1.0.0: fixed: A.',
    'CHANGELOG.md:1: 1.1.0 has no changes and is left out',
  ],
  [
    'a release that says that it has none',
    `## [1.1.0] - 2026-01-03\n\n_No changes._\n\n${FIXED}- A.\n`,
    '1.0.0: fixed: A.',
    'CHANGELOG.md:1: 1.1.0 has no changes and is left out, with the text "No changes."',
  ],
  [
    'two sections of what is not released',
    `## [Unreleased]\n### Added\n- A.\n${FIXED}- B.\n## [Unreleased]\n### Added\n- C.\n`,
    'next: added: A.',
    '1.0.0: fixed: B.',
    'mistake in 7: a second [Unreleased]',
  ],
  ['another shape', '# News\n\nVersion 5 is out.\n', 'mistake in 1: no release'],
  [
    'a line of a merge conflict',
    `Changes\n=======\n${FIXED}- A\n  b.\n=======\n- C.\n`,
    '1.0.0: fixed: A b. =======',
    '1.0.0: fixed: C.',
    'mistake in 7: a merge conflict (line 7)',
  ],
]

for (const [title, text, ...read] of READ_AS) {
  test(`a changelog with ${title} loses and changes nothing`, () => {
    assert.deepEqual(importShort(text), read)
  })
}

test('changelogs of release-please and conventional-changelog are imported', () => {
  const text = `# Changelog

## [1.2.0](https://git.example/a/compare/v1.1.1...v1.2.0) (2026-10-20)

### ⚠ BREAKING CHANGES

* **api:** no longer answers ([abc1234](https://git.example/a/commit/abc1234))

### Features

* a gauge

### [1.1.1](https://git.example/a/compare/v1.1.0...v1.1.1) (2026-10-01)

### Bug Fixes

* a fault, closes [#1](https://git.example/a/issues/1)
`
  assert.deepEqual(importText(text), {
    unreleased: [],
    releases: [
      {
        version: '1.2.0',
        date: '2026-10-20',
        changes: [
          { kind: 'added', text: 'a gauge' },
          { kind: 'changed', text: 'api: no longer answers (abc1234)' },
        ],
      },
      {
        version: '1.1.1',
        date: '2026-10-01',
        changes: [{ kind: 'fixed', text: 'a fault, closes #1' }],
      },
    ],
    mistakes: [],
  })
})

test('changelogs of changesets are imported with the dates of the mapping', () => {
  const text = `# @tides/record

## 1.2.0

### Minor Changes

- abc1234: Adds a gauge.

  More about it.

## 1.1.0

### Patch Changes

- Fixes a fault.
`
  const dates = { '1.2.0': '2026-10-20', '1.1.0': '2026-10-01' }
  assert.deepEqual(importText(text, dates), {
    unreleased: [],
    releases: [
      {
        version: '1.2.0',
        date: '2026-10-20',
        changes: [{ kind: 'added', text: 'abc1234: Adds a gauge. More about it.' }],
      },
      {
        version: '1.1.0',
        date: '2026-10-01',
        changes: [{ kind: 'fixed', text: 'Fixes a fault.' }],
      },
    ],
    mistakes: [],
  })
  assert.deepEqual(importText(text).mistakes, ['3: "1.2.0"', '11: "1.1.0"'])
})

test('the default dates of Jira are days', async (t) => {
  for (const [date, day] of [
    ['05/Nov/25', '2025-11-05'],
    ['5/Nov/25 9:30 AM', '2025-11-05'],
    ['05/nov/2025 14:01', '2025-11-05'],
  ]) {
    const { fields } = importCsv(
      'queue.csv',
      `Key,Updated\nA-1,${date}\n`,
      { file: 'queue.csv', columns: { id: 'Key', since: 'Updated' } },
      SNAPSHOT_SCHEMAS['development-queue'].properties.items.items,
    )
    assert.deepEqual(fields['items'], [{ id: 'a-1', since: day, priority: 1 }], t.name)
  }
})
