import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { compileContent } from '../../src/publishing/compile/compile-content.ts'
import { formatMistake } from '../../src/publishing/rules/content-mistake.ts'
import {
  FIXTURE_NOW_MS,
  HEAD,
  makeContent,
  ORGANIZATION as PLAIN,
  writeContent,
} from './content-fixture.ts'

const ORGANIZATION = `${PLAIN}logo: { file: logo.svg, alt: A wave }
`
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><path d="M0 0"/></svg>'
const CSV = 'key,summary\nA-1,Asks reports@tides.example\n'
const SETTINGS = `allowedTexts:
  - { text: reports@tides.example, rule: email-address, reason: The published contact }
`
const QUEUE = `${HEAD}itemsFrom:
  file: queue.csv
  columns: { id: key, title: summary, summary: summary }
  defaults: { kind: feature, state: queued, since: 2026-01-01 }
`
const OVERLAY = 'summary: ข้อความ\n'

/** A valid folder with everything that files refer to in each other. */
function makeLinkedContent(t: TestContext): string {
  const folder = makeContent(t)
  const files = {
    'organization.yaml': ORGANIZATION,
    'logo.svg': SVG,
    'queue.csv': CSV,
    'publishing.yaml': SETTINGS,
    'development-queue.yaml': QUEUE,
    'th/status.yaml': OVERLAY,
    'th/organization.yaml': 'name: หอสังเกตการณ์\n',
  }
  for (const [name, text] of Object.entries(files)) writeContent(folder, name, text)
  return folder
}

async function mistakesOf(folder: string): Promise<readonly string[]> {
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  return mistakes.map((each) => formatMistake(each).slice(folder.length + 1))
}

test('content whose files refer to each other is valid', async (t) => {
  assert.deepEqual(await mistakesOf(makeLinkedContent(t)), [])
})

/** One edit of a file, and the only mistake that it leads to. */
const CASES: readonly (readonly [title: string, file: string, text: string, mistake: RegExp])[] = [
  [
    'an invalid link of the organization',
    'organization.yaml',
    ORGANIZATION.replace('links: []', 'links: [{ id: a, title: A, url: "http://tides.example" }]'),
    /^organization\.yaml:6:33: links\[0\]\.url: found "http:/,
  ],
  [
    'a logo without a text',
    'organization.yaml',
    ORGANIZATION.replace(', alt: A wave', ''),
    /^organization\.yaml:12:7: logo\.alt: found nothing/,
  ],
  [
    'a syntax error in the organization',
    'organization.yaml',
    ORGANIZATION.replace('url: https', 'url:https'),
    /^organization\.yaml:2:1: found a colon without a space/,
  ],
  [
    'a logo of a wrong kind',
    'organization.yaml',
    ORGANIZATION.replace('logo.svg', 'logo.gif'),
    /^organization\.yaml:12:15: logo\.file: found "logo\.gif", expected text of the form/,
  ],
  [
    'a logo that cannot be used',
    'logo.svg',
    SVG.replace('<path', '<script/><path'),
    /^logo\.svg:1:\d+: found the element script/,
  ],
  [
    'a syntax error in the settings',
    'publishing.yaml',
    `${SETTINGS}  -{`,
    /^publishing\.yaml:3:\d+: found /,
  ],
  [
    'an entry without a reason',
    'publishing.yaml',
    SETTINGS.replace(', reason: The published contact', ''),
    /^publishing\.yaml:2:5: allowedTexts\[0\]\.reason: found nothing/,
  ],
  [
    'a mapping of an import that is incomplete',
    'development-queue.yaml',
    QUEUE.replace(', title: summary', ''),
    /^development-queue\.yaml:5:12: itemsFrom\.columns\.title: found nothing/,
  ],
  ['an import with a broken row', 'queue.csv', `${CSV}A-2\n`, /^queue\.csv:3:1: found invalid CSV/],
  [
    'a file that is translated and has a mistake',
    'status.yaml',
    'state: operational\n- broken\n',
    /^status\.yaml:2:1: found /,
  ],
]

for (const [title, file, text, mistake] of CASES) {
  test(`${title} is the only mistake`, async (t) => {
    const folder = makeLinkedContent(t)
    writeFileSync(path.join(folder, file), text)
    const mistakes = await mistakesOf(folder)
    assert.equal(mistakes.length, 1, mistakes.join('\n'))
    assert.match(mistakes[0] ?? '', mistake)
  })
}

test('a file with a mistyped name is one mistake, and not a missing file too', async (t) => {
  const folder = makeLinkedContent(t)
  renameSync(path.join(folder, 'status.yaml'), path.join(folder, 'statuss.yaml'))
  const mistakes = await mistakesOf(folder)
  assert.equal(mistakes.length, 1, mistakes.join('\n'))
  assert.match(mistakes[0] ?? '', /^statuss\.yaml:1:1: found an unknown file, .*status\.yaml/)
})
