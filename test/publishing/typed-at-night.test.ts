import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { compileContent } from '../../src/publishing/compile/compile-content.ts'
import { formatMistake } from '../../src/publishing/rules/content-mistake.ts'
import { FIXTURE_NOW_MS, makeContent, writeContent } from './content-fixture.ts'

/** The mistakes and warnings of a folder, without its path and its columns. */
async function check(folder: string): Promise<readonly string[]> {
  const { mistakes, warnings } = await compileContent(folder, FIXTURE_NOW_MS)
  return [...mistakes.map(formatMistake), ...warnings].map((line) =>
    line.slice(folder.length + 1).replace(/^([^:]*:\d+):\d+: /, '$1: '),
  )
}

const CUT = 'expected the whole text in quotes, or the comment on a line of its own'

/** An edit of status.yaml, and the start of what is said about it. */
const STATUS_EDITS: readonly (readonly [
  title: string,
  from: string,
  to: string,
  ...said: readonly string[],
])[] = [
  [
    'both sides of a merge',
    'summary: What it is.\n',
    '<<<<<<< HEAD\nsummary: One.\n=======\nsummary: Two.\n>>>>>>> night\n',
    'status.yaml:2: found a merge conflict (lines 2, 4, 6), ',
  ],
  [
    'one marker that was left',
    'incidents: []\n',
    'incidents: []\n=======\n',
    'status.yaml:11: found a merge conflict (line 11), ',
  ],
  [
    'a number sign behind a space',
    'Read API',
    'Lamp #4 (north)',
    `status.yaml:6: components[0].name: found a comment (#) behind a text without quotes, ${CUT}`,
  ],
  ['a number sign in quotes', 'Read API', '"Lamp #4" # the north one'],
  ['a comment behind a word of a list', 'state: operational', 'state: operational # all of it'],
  ['words and times that other YAML reads as values', 'Read API', 'Off\n    note: 07:45:00'],
  [
    'a number with a leading zero',
    'id: read-api',
    'id: 0123',
    'status.yaml:5: components[0].id: found the number 123, ',
  ],
  [
    'a tab before a field',
    '    name: Read API',
    '\tname: Read API',
    'status.yaml:6: found a tab in the indentation, ',
    'status.yaml:7: ',
    'status.yaml:8: ',
  ],
  [
    'a line separator',
    'What it is.',
    '"What\\Lit is."',
    'status.yaml:2: summary: found the hidden character U+2028, ',
  ],
  [
    'an incident of tomorrow',
    'incidents: []',
    'incidents: [{ id: a, title: A, state: monitoring, impact: minor, startedAt: 2026-03-02T12:00:00Z, components: [], updates: [{ at: 2026-03-01T11:00:00Z, state: monitoring, text: T }] }]',
    'status.yaml:10: incidents[0].startedAt: found 2026-03-02T12:00:00Z, expected a time in the past',
  ],
  [
    'a maintenance whose time has passed',
    'incidents: []',
    'maintenances: [{ id: a, title: A, state: scheduled, startsAt: 2026-02-01T01:00:00Z, endsAt: 2026-02-01T02:00:00Z, components: [], updates: [{ at: 2026-01-01T00:00:00Z, state: scheduled, text: T }] }]\nincidents: []',
    'status.yaml:10: the maintenance a is scheduled, and its end has passed; expected svc maintenance start, cancel or reschedule',
  ],
]

for (const [title, from, to, ...said] of STATUS_EDITS) {
  test(`status.yaml with ${title}`, async (t) => {
    const folder = makeContent(t)
    const text = readFileSync(path.join(folder, 'status.yaml'), 'utf8')
    assert.ok(text.includes(from))
    writeContent(folder, 'status.yaml', text.replace(from, to))
    const lines = await check(folder)
    assert.equal(lines.length, said.length, lines.join('\n'))
    for (const [index, start] of said.entries())
      assert.equal(lines[index]?.slice(0, start.length), start)
  })
}

function makeTranslated(t: TestContext): string {
  const folder = makeContent(t)
  writeContent(folder, 'th/status.yaml', 'summary: ข้อความ\n')
  return folder
}

test('files that editors and tools leave are ignored and stay', async (t) => {
  const folder = makeTranslated(t)
  const left =
    `status.yaml~ #status.yaml# status.yaml.rej roadmap.yaml.BAK site.yaml.tmp .status.yaml.swp
    status.yaml.swo status.yaml.8bdd4057f1aa.partial Thumbs.db desktop.ini th/status.yaml.orig`.split(
      /\s+/,
    )
  for (const name of left) writeContent(folder, name, 'left: [')
  assert.deepEqual(await check(folder), [])
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const name of left) assert.ok(files.includes(name), name)
})

test('translations have the rules of other texts, and an empty record says nothing', async (t) => {
  const folder = makeTranslated(t)
  writeContent(folder, 'th/.translated.json', '')
  assert.deepEqual(await check(folder), [])
  writeContent(folder, 'th/status.yaml', 'summary: ข้อความ #2\n')
  assert.deepEqual(await check(folder), [
    `th/status.yaml:1: summary: found a comment (#) behind a text without quotes, ${CUT}`,
  ])
})

test('a changelog may name endpoints of its organization, and no mistyped ones', async (t) => {
  const folder = makeContent(t)
  const entry = (endpoint: string) =>
    `summary: A.\nupdatedAt: 2026-02-01T00:00:00Z\nunreleased:\n  - { kind: added, text: T, endpoints: [${endpoint}] }\nreleases: []\n`
  const own = [
    'GET /api/v1/gauges',
    'POST /api/v2/orders',
    'GET /v2/orders/{id}',
    'PATCH /status',
    'DELETE /status',
  ]
  writeContent(folder, 'changelog.yaml', entry(own.map((each) => `'${each}'`).join()))
  assert.deepEqual(await check(folder), [])
  writeContent(folder, 'changelog.yaml', entry('GET /api/v1/statsu'))
  const [mistake] = await check(folder)
  assert.match(mistake ?? '', /unknown endpoint "GET .*statsu".*did you mean GET .*status\?$/)
})
