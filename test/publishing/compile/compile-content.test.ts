import assert from 'node:assert/strict'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { sha256Base64url } from '../../../src/crypto/sha256.ts'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { formatMistake } from '../../../src/publishing/rules/content-mistake.ts'
import { cpuMs } from '../../support/cpu-time.ts'
import { editContent, FIXTURE_NOW_MS, makeContent, writeContent } from '../content-fixture.ts'

/** The mistakes of a folder, each as the operator reads it, with the path of the folder taken off. */
async function mistakesOf(folder: string): Promise<readonly string[]> {
  const { mistakes, resources } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.equal(resources.size === 0, mistakes.length > 0, 'a folder with mistakes has no resources')
  return mistakes.map((mistake) => formatMistake(mistake).replace(folder + path.sep, ''))
}

test('valid content compiles to canonical JSON and its digest, every resource', async (t) => {
  const { mistakes, resources } = await compileContent(makeContent(t), FIXTURE_NOW_MS)
  assert.deepEqual(mistakes, [])
  assert.deepEqual([...resources.keys()], SNAPSHOT_NAMES)
  for (const { text, digest } of resources.values()) {
    assert.equal(canonicalJson(JSON.parse(text)), text)
    assert.equal(sha256Base64url(text), digest)
  }
  assert.match(resources.get('status')?.text ?? '', /"since":"2026-01-01T00:00:00Z"/)
})

/** An edit of the valid content, and the one mistake it must lead to. */
type Case = readonly [
  name: string,
  resource: (typeof SNAPSHOT_NAMES)[number],
  from: string,
  to: string,
  expected: RegExp,
]

const CASES: readonly Case[] = [
  [
    'an unknown field suggests the nearest known one',
    'status',
    '    since:',
    '    sinse: 2026-01-01T00:00:00Z\n    since:',
    /^status\.yaml:9:5: components\[0\]\.sinse: found the unknown field "sinse", expected a known field; did you mean since\?$/,
  ],
  [
    'an unknown field that is near none lists the known ones',
    'roadmap',
    'summary: What',
    'xyzzy: 1\nsummary: What',
    /^roadmap\.yaml:1:1: xyzzy: found the unknown field "xyzzy", expected only summary, updatedAt, items$/,
  ],
  [
    'a missing field says what belongs there',
    'status',
    '    name: Read API\n',
    '',
    /^status\.yaml:5:5: components\[0\]\.name: found nothing, expected text such as Read API$/,
  ],
  [
    'a wrong word suggests the nearest right one',
    'roadmap',
    'horizon: later',
    'horizon: latter',
    /^roadmap\.yaml:11:14: items\[1\]\.horizon: found "latter", expected one of now, next, later; did you mean later\?$/,
  ],
  [
    'a number where text belongs',
    'status',
    'name: Read API',
    'name: 7',
    /^status\.yaml:6:11: components\[0\]\.name: found the number 7, expected text such as Read API; put it in quotes$/,
  ],
  [
    'text where a number belongs',
    'development-queue',
    'priority: 2',
    'priority: two',
    /^development-queue\.yaml:17:15: items\[1\]\.priority: found "two", expected an integer such as 2$/,
  ],
  [
    'a number below the least',
    'development-queue',
    'priority: 1',
    'priority: 0',
    /^development-queue\.yaml:9:15: items\[0\]\.priority: found the number 0, expected an integer of at least 1$/,
  ],
  [
    'an id that is not in kebab-case',
    'status',
    'id: read-api',
    'id: Read_API',
    /^status\.yaml:5:9: components\[0\]\.id: found "Read_API", expected text of at most 64 characters of the form/,
  ],
  [
    'a moment with another offset',
    'status',
    'since: 2026-01-01T00:00:00Z',
    'since: 2026-01-01T00:00:00+07:00',
    /^status\.yaml:9:12: components\[0\]\.since: found "2026-01-01T00:00:00\+07:00", expected a UTC timestamp such as /,
  ],
  [
    'a moment that does not exist',
    'status',
    'since: 2026-01-01T00:00:00Z',
    'since: 2026-02-30T00:00:00Z',
    /^status\.yaml:9:12: components\[0\]\.since: found "2026-02-30T00:00:00Z", expected a UTC timestamp/,
  ],
  [
    'a leap second, which Date does not support',
    'status',
    'since: 2026-01-01T00:00:00Z',
    'since: 2016-12-31T23:59:60Z',
    /^status\.yaml:9:12: components\[0\]\.since: found "2016-12-31T23:59:60Z", expected a UTC timestamp/,
  ],
  [
    'a day in another notation',
    'changelog',
    'date: 2026-01-01',
    'date: 1 January 2026',
    /^changelog\.yaml:12:11: releases\[1\]\.date: found "1 January 2026", expected a date such as 2025-11-03$/,
  ],
  [
    'a list that must not be empty',
    'architecture',
    'guarantees: []',
    'guarantees: {}',
    /^architecture\.yaml:20:13: guarantees: found a group of fields, expected a list$/,
  ],
  [
    'a repeated item',
    'roadmap',
    'dependsOn: [reading]',
    'dependsOn: [reading, reading]',
    /^roadmap\.yaml:12:26: items\[1\]\.dependsOn\[1\]: found a repeated item, expected each item once$/,
  ],
  [
    'an empty value',
    'status',
    'name: Read API',
    'name:',
    /^status\.yaml:6:10: components\[0\]\.name: found nothing, expected a value; leave an optional field out altogether$/,
  ],
  [
    'a text that begins with #',
    'status',
    'name: Read API',
    'name: #2 reads',
    /^status\.yaml:6:11: components\[0\]\.name: found only a comment \(#\), expected a value, in quotes if it begins with #$/,
  ],
  [
    'a fraction',
    'changelog',
    'version: 0.1.0',
    'version: 0.1',
    /^changelog\.yaml:11:14: releases\[1\]\.version: found the number 0\.1, expected an integer, or text in quotes/,
  ],
  [
    'an id that YAML reads as a number',
    'roadmap',
    'id: writing',
    'id: 1e3',
    /^roadmap\.yaml:\d+:\d+: items\[1\]\.id: found the number 1e3, expected text in quotes$/,
  ],
  [
    'not a number',
    'development-queue',
    'priority: 2',
    'priority: .nan',
    /^development-queue\.yaml:17:15: items\[1\]\.priority: found the number \.nan, expected an integer/,
  ],
  [
    'an integer that programs read differently',
    'development-queue',
    'priority: 2',
    'priority: 9007199254740993',
    /^development-queue\.yaml:17:15: items\[1\]\.priority: found the number 9007199254740993, expected an integer within 2\^53/,
  ],
  [
    'an unknown tag',
    'status',
    'name: Read API',
    'name: !secret Read API',
    /^status\.yaml:6:11: found a text that starts with !, expected the text in quotes/,
  ],
  [
    'a known tag',
    'status',
    'name: Read API',
    'name: !!str Read API',
    /^status\.yaml:6:\d+: components\[0\]\.name: found the tag tag:yaml\.org,2002:str, expected a plain value/,
  ],
  [
    'a merge key is only a name',
    'status',
    'incidents: []',
    'incidents: []\n<<: text',
    /^status\.yaml:11:1: <<: found the unknown field "<<"/,
  ],
  [
    'a directive',
    'status',
    'state: operational\nsummary',
    '%YAML 1.1\n---\nstate: operational\nsummary',
    /^status\.yaml:1:1: found a YAML directive, expected the fields alone$/,
  ],
  [
    'a reserved name',
    'status',
    'incidents: []',
    'incidents: []\n__proto__: {}',
    /^status\.yaml:11:1: found the field name __proto__, expected a name that programming languages do not reserve$/,
  ],
  [
    'a repeated id',
    'roadmap',
    'id: writing',
    'id: reading',
    /^roadmap\.yaml:8:9: items\[1\]\.id: found "reading" again, expected another id; item 0 has this one$/,
  ],
  [
    'a moment in the future',
    'status',
    'since: 2026-01-01T00:00:00Z',
    'since: 2026-03-01T12:00:01Z',
    /^status\.yaml:9:12: components\[0\]\.since: found 2026-03-01T12:00:01Z, expected a time in the past; it is 2026-03-01T12:00:00\.000Z now$/,
  ],
  [
    'a hidden character',
    'status',
    'name: Read API',
    'name: Read\u202EAPI',
    /^status\.yaml:6:11: components\[0\]\.name: found the hidden character U\+202E, expected visible characters$/,
  ],
  [
    'space at the end',
    'status',
    'name: Read API',
    'name: |\n      Read API',
    /^status\.yaml:6:11: components\[0\]\.name: found white space at the start or end/,
  ],
  [
    'a status better than its components',
    'status',
    '    state: operational',
    '    state: degraded',
    /^status\.yaml:1:8: state: found "operational", expected degraded or partial_outage or major_outage: the overall state cannot be better/,
  ],
  [
    'a flow from nowhere',
    'architecture',
    'from: server',
    'from: sever',
    /^architecture\.yaml:16:11: flows\[0\]\.from: found a reference to "sever", expected the id of an item; did you mean server\?$/,
  ],
  [
    'a live flow of a planned component',
    'architecture',
    'kind: person\n    state: live',
    'kind: person\n    state: planned',
    /^architecture\.yaml:19:12: flows\[0\]\.state: found "live", expected planned, because its component reader is$/,
  ],
  [
    'a roadmap item that is not there',
    'development-queue',
    'roadmapItem: reading',
    'roadmapItem: flying',
    /^development-queue\.yaml:11:18: items\[0\]\.roadmapItem: found a reference to "flying", expected one of reading, writing$/,
  ],
  [
    'a priority that is taken',
    'development-queue',
    'priority: 2',
    'priority: 1',
    /^development-queue\.yaml:17:15: items\[1\]\.priority: found the number 1, expected a number above 1/,
  ],
  [
    'an item that depends on itself',
    'development-queue',
    'blockedBy: [first]',
    'blockedBy: [second]',
    /^development-queue\.yaml:19:16: items\[1\]\.blockedBy: found second, which depends on itself/,
  ],
  [
    'versions out of order',
    'changelog',
    'version: 0.1.0',
    'version: 0.10.0',
    /^changelog\.yaml:11:14: releases\[1\]\.version: found "0\.10\.0", expected a version before 0\.2\.0/,
  ],
  [
    'an endpoint that is not in the registry',
    'changelog',
    'GET /api/v1/status',
    'GET /api/v1/statsu',
    /^changelog\.yaml:10:21: releases\[0\]\.changes\[0\]\.endpoints\[0\]: found the unknown endpoint "GET \/api\/v1\/statsu", expected a known one; did you mean GET \/api\/v1\/status\?$/,
  ],
  [
    'a deprecation without its day',
    'changelog',
    'kind: fixed\n',
    'kind: deprecated\n        replacement: GET /api/v2/status\n',
    /^changelog\.yaml:8:9: releases\[0\]\.changes\[0\]\.sunsetOn: found nothing, expected this field on a deprecation$/,
  ],
  [
    'a deprecation with short notice',
    'changelog',
    'kind: fixed\n',
    'kind: deprecated\n        replacement: GET /api/v2/status\n        sunsetOn: 2026-05-01\n',
    /^changelog\.yaml:10:19: releases\[0\]\.changes\[0\]\.sunsetOn: found 2026-05-01, expected 2026-05-02 or later: 90 days of notice$/,
  ],
  [
    'a sunset on something that is not deprecated',
    'changelog',
    'kind: fixed\n',
    'kind: fixed\n        sunsetOn: 2026-05-01\n',
    /^changelog\.yaml:9:19: releases\[0\]\.changes\[0\]\.sunsetOn: found "2026-05-01", expected no such field/,
  ],
  [
    'one wallet view that disagrees',
    'wallet/integration',
    'attached: false',
    'attached: true',
    /^wallet\/integration\.yaml:1:11: attached: found true, expected false, as the wallet overview says$/,
  ],
  [
    'custody without a wallet',
    'wallet/security',
    'custody: none',
    'custody: own',
    /^wallet\/security\.yaml:4:10: custody: found "own", expected none while no wallet is attached$/,
  ],
  [
    'a capability without its wallet',
    'wallet/capabilities',
    'state: never',
    'state: available',
    /^wallet\/capabilities\.yaml:8:12: capabilities\[0\]\.state: found "available", expected planned, unavailable or never/,
  ],
  [
    'a wallet view that the overview leaves out',
    'wallet',
    '  - { id: security, path: /api/v1/wallet/security, summary: A view. }\n',
    '',
    /^wallet\.yaml:6:3: views: found no view with the path \/api\/v1\/wallet\/security, expected every wallet view$/,
  ],
]

for (const [name, resource, from, to, expected] of CASES) {
  test(`mistake: ${name}`, async (t) => {
    const folder = makeContent(t)
    editContent(folder, resource, from, to)
    const mistakes = await mistakesOf(folder)
    assert.match(mistakes[0] ?? 'no mistake', expected)
  })
}

test('horizons are in order', async (t) => {
  const folder = makeContent(t)
  editContent(folder, 'roadmap', 'horizon: now', 'horizon: later')
  editContent(folder, 'roadmap', 'horizon: later\n    dependsOn', 'horizon: next\n    dependsOn')
  assert.deepEqual(await mistakesOf(folder), [
    'roadmap.yaml:11:14: items[1].horizon: found "next", expected the horizon later or one after it: the nearest comes first',
    'roadmap.yaml:12:17: items[1].dependsOn[0]: found reading, which comes later, expected an item that comes no later than next',
  ])
})

test('rejects two items that depend on each other', async (t) => {
  const folder = makeContent(t)
  editContent(folder, 'roadmap', 'horizon: now', 'horizon: now\n    dependsOn: [writing]')
  assert.deepEqual(await mistakesOf(folder), [
    'roadmap.yaml:8:16: items[0].dependsOn: found reading, which depends on itself, expected an order in which the work can be done',
    'roadmap.yaml:8:17: items[0].dependsOn[0]: found writing, which comes later, expected an item that comes no later than now',
    'roadmap.yaml:13:16: items[1].dependsOn: found writing, which depends on itself, expected an order in which the work can be done',
  ])
})

test('an incident is checked from its start to its end', async (t) => {
  const folder = makeContent(t)
  editContent(
    folder,
    'status',
    'incidents: []',
    `incidents:
  - id: outage
    title: Outage
    state: resolved
    impact: minor
    startedAt: 2026-01-05T00:00:00Z
    components: [red-api]
    updates:
      - { at: 2026-01-05T01:00:00Z, state: monitoring, text: Watching. }
      - { at: 2026-01-05T02:00:00Z, state: identified, text: Found. }`,
  )
  assert.deepEqual(await mistakesOf(folder), [
    'status.yaml:11:5: incidents[0].resolvedAt: found nothing, expected when it was resolved',
    'status.yaml:13:12: incidents[0].state: found "resolved", expected monitoring, the state of its newest update',
    'status.yaml:16:18: incidents[0].components[0]: found a reference to "red-api", expected the id of an item; did you mean read-api?',
    'status.yaml:19:15: incidents[0].updates[1].at: found "2026-01-05T02:00:00Z", expected no later than 2026-01-05T01:00:00Z: the newest comes first',
  ])
})

test('reports all mistakes together, in reading order', async (t) => {
  const folder = makeContent(t)
  editContent(folder, 'status', 'name: Read API', 'nam: Read API')
  editContent(folder, 'status', 'state: operational\nsummary', 'state: fine\nsummary')
  editContent(folder, 'roadmap', 'horizon: later', 'horizon: never')
  rmSync(path.join(folder, 'wallet', 'evidence.yaml'))
  const mistakes = await mistakesOf(folder)
  assert.deepEqual(
    mistakes.map((mistake) => mistake.split(': ')[0]),
    [
      'roadmap.yaml:11:14',
      'status.yaml:1:8',
      'status.yaml:5:5',
      'status.yaml:6:5',
      'wallet/evidence.yaml:1:1',
    ],
  )
  assert.equal(
    mistakes.at(-1),
    'wallet/evidence.yaml:1:1: found no such file, expected the content of wallet/evidence, or none of the wallet files',
  )
})

test('files of the folder: unknown, misnamed, linked, not text, too long', async (t) => {
  const folder = makeContent(t)
  writeContent(folder, 'statu.yaml', 'a: b\n')
  writeContent(folder, 'notes/private.txt', 'x')
  writeContent(folder, 'README.md', 'Notes for people.')
  writeContent(folder, '.status.yaml.swp', 'x')
  symlinkSync('/etc/hostname', path.join(folder, 'linked.yaml'))
  // Its wallet files would be content if the link were followed.
  rmSync(path.join(folder, 'th'), { recursive: true, force: true })
  symlinkSync(makeContent(t), path.join(folder, 'th'))
  writeFileSync(path.join(folder, 'roadmap.yaml'), Buffer.from([0x61, 0xff, 0xfe]))
  writeContent(folder, 'changelog.yaml', `summary: ${'It is. '.repeat(220_000)}\n`)
  const mistakes = await mistakesOf(folder)
  assert.match(
    mistakes[0] ?? '',
    /^changelog\.yaml:1:1: found 15\d+ characters, expected a file of at most 1048576$/,
  )
  assert.match(
    mistakes[1] ?? '',
    /^linked\.yaml:1:1: found a link or a special file, expected a regular file/,
  )
  assert.match(
    mistakes[2] ?? '',
    /^notes\/private\.txt:1:1: found an unknown file, expected one of status\.yaml/,
  )
  assert.match(
    mistakes[3] ?? '',
    /^roadmap\.yaml:1:1: found bytes that are not text in UTF-8, expected a file in UTF-8$/,
  )
  assert.match(
    mistakes[4] ?? '',
    /^statu\.yaml:1:1: found an unknown file, expected a known name; did you mean status\.yaml\?$/,
  )
  assert.match(mistakes[5] ?? '', /^th:1:1: found a link or a special file/)
  assert.equal(mistakes.length, 6)
})

test('reports a missing folder', async (t) => {
  // A part of the path looks like a token: a mistake would hide a text that quotes it.
  const mistakes = await mistakesOf(
    path.join(makeContent(t), 'tests-6fk8Q4/svc-test-Do86z0/nowhere'),
  )
  assert.match(
    mistakes[0] ?? '',
    /nowhere:1:1: found an unreadable folder \(ENOENT: no such file or directory\), expected the content folder$/,
  )
})

async function bombMistakes(t: TestContext, text: string): Promise<readonly string[]> {
  const folder = makeContent(t)
  writeContent(folder, 'status.yaml', text)
  return mistakesOf(folder)
}

test('refuses an alias bomb without expanding it', async (t) => {
  const levels = Array.from({ length: 30 }, (_, level) =>
    level === 0
      ? `a0: &a0 [x, x]`
      : `a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`,
  )
  const started = cpuMs()
  const mistakes = await bombMistakes(t, levels.join('\n'))
  assert.ok(
    mistakes.some((mistake) => mistake.includes('found an anchor (&), expected a plain value')),
  )
  assert.ok(
    mistakes.some((mistake) => mistake.includes('found an alias (*), expected the value itself')),
  )
  assert.ok(cpuMs() - started < 5000)
})

test('refuses deeply nested brackets', async (t) => {
  for (const depth of [100, 100_000]) {
    const mistakes = await bombMistakes(t, `summary: ${'['.repeat(depth)}${']'.repeat(depth)}\n`)
    assert.match(
      mistakes[0] ?? '',
      /^status\.yaml:1:\d+: .*nested too deeply, expected at most 32 levels$/,
    )
  }
})

test('an empty file and a file that is not a mapping', async (t) => {
  assert.match((await bombMistakes(t, ''))[0] ?? '', /^status\.yaml:1:1: found an empty file/)
  assert.match(
    (await bombMistakes(t, '- a\n'))[0] ?? '',
    /^status\.yaml:1:1: found a list, expected a group of fields$/,
  )
})
