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
interface Case {
  readonly name: string
  readonly resource: (typeof SNAPSHOT_NAMES)[number]
  readonly from: string
  readonly to: string
  readonly expected: RegExp
}

const CASES: readonly Case[] = [
  {
    name: 'an unknown field suggests the nearest known one',
    resource: 'status',
    from: '    since:',
    to: '    sinse: 2026-01-01T00:00:00Z\n    since:',
    expected:
      /^status\.yaml:9:5: components\[0\]\.sinse: found the unknown field "sinse", expected a known field; did you mean since\?$/,
  },
  {
    name: 'an unknown field that is near none lists the known ones',
    resource: 'roadmap',
    from: 'summary: What',
    to: 'xyzzy: 1\nsummary: What',
    expected:
      /^roadmap\.yaml:1:1: xyzzy: found the unknown field "xyzzy", expected only summary, updatedAt, items$/,
  },
  {
    name: 'a missing field says what belongs there',
    resource: 'status',
    from: '    name: Read API\n',
    to: '',
    expected:
      /^status\.yaml:5:5: components\[0\]\.name: found nothing, expected text such as Read API$/,
  },
  {
    name: 'a wrong word suggests the nearest right one',
    resource: 'roadmap',
    from: 'horizon: later',
    to: 'horizon: latter',
    expected:
      /^roadmap\.yaml:11:14: items\[1\]\.horizon: found "latter", expected one of now, next, later; did you mean later\?$/,
  },
  {
    name: 'a number where text belongs',
    resource: 'status',
    from: 'name: Read API',
    to: 'name: 7',
    expected:
      /^status\.yaml:6:11: components\[0\]\.name: found the number 7, expected text such as Read API; put it in quotes$/,
  },
  {
    name: 'text where a number belongs',
    resource: 'development-queue',
    from: 'priority: 2',
    to: 'priority: two',
    expected:
      /^development-queue\.yaml:17:15: items\[1\]\.priority: found "two", expected an integer such as 2$/,
  },
  {
    name: 'a number below the least',
    resource: 'development-queue',
    from: 'priority: 1',
    to: 'priority: 0',
    expected:
      /^development-queue\.yaml:9:15: items\[0\]\.priority: found the number 0, expected an integer of at least 1$/,
  },
  {
    name: 'an id that is not in kebab-case',
    resource: 'status',
    from: 'id: read-api',
    to: 'id: Read_API',
    expected:
      /^status\.yaml:5:9: components\[0\]\.id: found "Read_API", expected text of at most 64 characters of the form/,
  },
  {
    name: 'a moment with another offset',
    resource: 'status',
    from: 'since: 2026-01-01T00:00:00Z',
    to: 'since: 2026-01-01T00:00:00+07:00',
    expected:
      /^status\.yaml:9:12: components\[0\]\.since: found "2026-01-01T00:00:00\+07:00", expected a UTC timestamp such as /,
  },
  {
    name: 'a moment that does not exist',
    resource: 'status',
    from: 'since: 2026-01-01T00:00:00Z',
    to: 'since: 2026-02-30T00:00:00Z',
    expected:
      /^status\.yaml:9:12: components\[0\]\.since: found "2026-02-30T00:00:00Z", expected a UTC timestamp/,
  },
  {
    name: 'a leap second, which Date does not support',
    resource: 'status',
    from: 'since: 2026-01-01T00:00:00Z',
    to: 'since: 2016-12-31T23:59:60Z',
    expected:
      /^status\.yaml:9:12: components\[0\]\.since: found "2016-12-31T23:59:60Z", expected a UTC timestamp/,
  },
  {
    name: 'a day in another notation',
    resource: 'changelog',
    from: 'date: 2026-01-01',
    to: 'date: 1 January 2026',
    expected:
      /^changelog\.yaml:12:11: releases\[1\]\.date: found "1 January 2026", expected a date such as 2025-11-03$/,
  },
  {
    name: 'a list that must not be empty',
    resource: 'architecture',
    from: 'guarantees: []',
    to: 'guarantees: {}',
    expected: /^architecture\.yaml:20:13: guarantees: found a group of fields, expected a list$/,
  },
  {
    name: 'a repeated item',
    resource: 'roadmap',
    from: 'dependsOn: [reading]',
    to: 'dependsOn: [reading, reading]',
    expected:
      /^roadmap\.yaml:12:26: items\[1\]\.dependsOn\[1\]: found a repeated item, expected each item once$/,
  },
  {
    name: 'an empty value',
    resource: 'status',
    from: 'name: Read API',
    to: 'name:',
    expected:
      /^status\.yaml:6:10: components\[0\]\.name: found nothing, expected a value; leave an optional field out altogether$/,
  },
  {
    name: 'a text that begins with #',
    resource: 'status',
    from: 'name: Read API',
    to: 'name: #2 reads',
    expected:
      /^status\.yaml:6:11: components\[0\]\.name: found only a comment \(#\), expected a value, in quotes if it begins with #$/,
  },
  {
    name: 'a duplicate name',
    resource: 'status',
    from: 'incidents: []',
    to: 'incidents: []\nincidents: []',
    expected: /^status\.yaml:11:1: found a duplicate field, expected each field once$/,
  },
  {
    name: 'a fraction',
    resource: 'changelog',
    from: 'version: 0.1.0',
    to: 'version: 0.1',
    expected:
      /^changelog\.yaml:11:14: releases\[1\]\.version: found the number 0\.1, expected an integer, or text in quotes/,
  },
  {
    name: 'not a number',
    resource: 'development-queue',
    from: 'priority: 2',
    to: 'priority: .nan',
    expected:
      /^development-queue\.yaml:17:15: items\[1\]\.priority: found the number \.nan, expected an integer/,
  },
  {
    name: 'an integer that programs read differently',
    resource: 'development-queue',
    from: 'priority: 2',
    to: 'priority: 9007199254740993',
    expected:
      /^development-queue\.yaml:17:15: items\[1\]\.priority: found the number 9007199254740993, expected an integer within 2\^53/,
  },
  {
    name: 'an unknown tag',
    resource: 'status',
    from: 'name: Read API',
    to: 'name: !secret Read API',
    expected: /^status\.yaml:6:11: found a text that starts with !, expected the text in quotes/,
  },
  {
    name: 'a known tag',
    resource: 'status',
    from: 'name: Read API',
    to: 'name: !!str Read API',
    expected:
      /^status\.yaml:6:\d+: components\[0\]\.name: found the tag tag:yaml\.org,2002:str, expected a plain value/,
  },
  {
    name: 'a merge key is only a name',
    resource: 'status',
    from: 'incidents: []',
    to: 'incidents: []\n<<: text',
    expected: /^status\.yaml:11:1: <<: found the unknown field "<<"/,
  },
  {
    name: 'a directive',
    resource: 'status',
    from: 'state: operational\nsummary',
    to: '%YAML 1.1\n---\nstate: operational\nsummary',
    expected: /^status\.yaml:1:1: found a YAML directive, expected the fields alone$/,
  },
  {
    name: 'a second document',
    resource: 'status',
    from: 'incidents: []',
    to: 'incidents: []\n---\na: b',
    expected: /^status\.yaml:11:1: found a second document/,
  },
  {
    name: 'a reserved name',
    resource: 'status',
    from: 'incidents: []',
    to: 'incidents: []\n__proto__: {}',
    expected:
      /^status\.yaml:11:1: found the field name __proto__, expected a name that programming languages do not reserve$/,
  },
  {
    name: 'a repeated id',
    resource: 'roadmap',
    from: 'id: writing',
    to: 'id: reading',
    expected:
      /^roadmap\.yaml:8:9: items\[1\]\.id: found "reading" again, expected another id; item 0 has this one$/,
  },
  {
    name: 'a moment in the future',
    resource: 'status',
    from: 'since: 2026-01-01T00:00:00Z',
    to: 'since: 2026-03-01T12:00:01Z',
    expected:
      /^status\.yaml:9:12: components\[0\]\.since: found 2026-03-01T12:00:01Z, expected a time in the past; it is 2026-03-01T12:00:00\.000Z now$/,
  },
  {
    name: 'a hidden character',
    resource: 'status',
    from: 'name: Read API',
    to: 'name: Read\u202EAPI',
    expected:
      /^status\.yaml:6:11: components\[0\]\.name: found the hidden character U\+202E, expected visible characters$/,
  },
  {
    name: 'space at the end',
    resource: 'status',
    from: 'name: Read API',
    to: 'name: |\n      Read API',
    expected: /^status\.yaml:6:11: components\[0\]\.name: found white space at the start or end/,
  },
  {
    name: 'a status better than its components',
    resource: 'status',
    from: '    state: operational',
    to: '    state: degraded',
    expected:
      /^status\.yaml:1:8: state: found "operational", expected degraded or partial_outage or major_outage: the overall state cannot be better/,
  },
  {
    name: 'a flow from nowhere',
    resource: 'architecture',
    from: 'from: server',
    to: 'from: sever',
    expected:
      /^architecture\.yaml:16:11: flows\[0\]\.from: found a reference to "sever", expected the id of an item; did you mean server\?$/,
  },
  {
    name: 'a live flow of a planned component',
    resource: 'architecture',
    from: 'kind: person\n    state: live',
    to: 'kind: person\n    state: planned',
    expected:
      /^architecture\.yaml:19:12: flows\[0\]\.state: found "live", expected planned, because its component reader is$/,
  },
  {
    name: 'a roadmap item that is not there',
    resource: 'development-queue',
    from: 'roadmapItem: reading',
    to: 'roadmapItem: flying',
    expected:
      /^development-queue\.yaml:11:18: items\[0\]\.roadmapItem: found a reference to "flying", expected one of reading, writing$/,
  },
  {
    name: 'a priority that is taken',
    resource: 'development-queue',
    from: 'priority: 2',
    to: 'priority: 1',
    expected:
      /^development-queue\.yaml:17:15: items\[1\]\.priority: found the number 1, expected a number above 1/,
  },
  {
    name: 'an item that depends on itself',
    resource: 'development-queue',
    from: 'blockedBy: [first]',
    to: 'blockedBy: [second]',
    expected:
      /^development-queue\.yaml:19:16: items\[1\]\.blockedBy: found second, which depends on itself/,
  },
  {
    name: 'versions out of order',
    resource: 'changelog',
    from: 'version: 0.1.0',
    to: 'version: 0.10.0',
    expected:
      /^changelog\.yaml:11:14: releases\[1\]\.version: found "0\.10\.0", expected a version before 0\.2\.0/,
  },
  {
    name: 'an endpoint that is not in the registry',
    resource: 'changelog',
    from: 'GET /api/v1/status',
    to: 'GET /api/v1/statsu',
    expected:
      /^changelog\.yaml:10:21: releases\[0\]\.changes\[0\]\.endpoints\[0\]: found the unknown endpoint "GET \/api\/v1\/statsu", expected a known one; did you mean GET \/api\/v1\/status\?$/,
  },
  {
    name: 'a deprecation without its day',
    resource: 'changelog',
    from: 'kind: fixed\n',
    to: 'kind: deprecated\n        replacement: GET /api/v2/status\n',
    expected:
      /^changelog\.yaml:8:9: releases\[0\]\.changes\[0\]\.sunsetOn: found nothing, expected this field on a deprecation$/,
  },
  {
    name: 'a deprecation with short notice',
    resource: 'changelog',
    from: 'kind: fixed\n',
    to: 'kind: deprecated\n        replacement: GET /api/v2/status\n        sunsetOn: 2026-05-01\n',
    expected:
      /^changelog\.yaml:10:19: releases\[0\]\.changes\[0\]\.sunsetOn: found 2026-05-01, expected 2026-05-02 or later: 90 days of notice$/,
  },
  {
    name: 'a sunset on something that is not deprecated',
    resource: 'changelog',
    from: 'kind: fixed\n',
    to: 'kind: fixed\n        sunsetOn: 2026-05-01\n',
    expected:
      /^changelog\.yaml:9:19: releases\[0\]\.changes\[0\]\.sunsetOn: found "2026-05-01", expected no such field/,
  },
  {
    name: 'one wallet view that disagrees',
    resource: 'wallet/integration',
    from: 'attached: false',
    to: 'attached: true',
    expected:
      /^wallet\/integration\.yaml:1:11: attached: found true, expected false, as the wallet overview says$/,
  },
  {
    name: 'custody without a wallet',
    resource: 'wallet/security',
    from: 'custody: none',
    to: 'custody: own',
    expected:
      /^wallet\/security\.yaml:4:10: custody: found "own", expected none while no wallet is attached$/,
  },
  {
    name: 'a capability without its wallet',
    resource: 'wallet/capabilities',
    from: 'state: never',
    to: 'state: available',
    expected:
      /^wallet\/capabilities\.yaml:8:12: capabilities\[0\]\.state: found "available", expected planned, unavailable or never/,
  },
  {
    name: 'a wallet view that the overview leaves out',
    resource: 'wallet',
    from: '  - { id: security, path: /api/v1/wallet/security, summary: A view. }\n',
    to: '',
    expected:
      /^wallet\.yaml:6:3: views: found no view with the path \/api\/v1\/wallet\/security, expected every wallet view$/,
  },
]

for (const { name, resource, from, to, expected } of CASES) {
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
