import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import { parseJsonFeed } from 'feedsmith'
import { FEED_NAMES, componentFeed, feedPath } from '../../src/pages/addresses.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { fullContent, releasesOf } from '../support/made-content.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import * as foreign from './foreign-programs.ts'

const made = fullContent((nth) => `Text <${nth}> & 中文 ก.`)
const [{ id: component } = { id: '' }] = made.status.components
/** Every second incident and maintenance names the first component. */
const naming = <Event extends { readonly components: readonly string[] }>(
  items: readonly Event[],
) => items.map((item, nth) => (nth % 2 === 0 ? { ...item, components: [component] } : item))
const content = {
  ...made,
  status: {
    ...made.status,
    incidents: naming(made.status.incidents),
    maintenances: naming(made.status.maintenances ?? []),
  },
}
const NAMES = [...FEED_NAMES, componentFeed(component)]
const start = (t: TestContext) =>
  runApp(t, { releases: releasesOf(content, { previous: (resources) => resources }) })

const missing = (program: string): string | false =>
  hasProgram(program) ? false : `${program} is not installed`
const missingModule = (name: string): string | false =>
  spawnSync('/usr/bin/python3', ['-c', `import ${name}`]).status === 0
    ? false
    : `the Python module ${name} is not installed`

/** What a program prints for a feed on its standard input. */
async function pipe(program: string, args: readonly string[], input: string): Promise<string> {
  const command = `printf %s "$INPUT" | "$0" "$@"`
  const env = { ...process.env, INPUT: input, LC_ALL: 'C.UTF-8' }
  const { code, stdout, stderr } = await foreign.runForeign(
    'sh',
    ['-c', command, program, ...args],
    {
      env,
    },
  )
  assert.equal(code, 0, stderr)
  return stdout
}

interface Item {
  readonly id: string
  readonly title: string
  readonly url: string
}

/** Items of a JSON Feed, as feedsmith reads them. */
function itemsOf(text: string): readonly Item[] {
  const { items = [] } = parseJsonFeed(text)
  return items.map(({ id = '', title = '', url = '' }) => ({ id, title, url }))
}

const sorted = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).toSorted()

test('newsboat stores every entry of each feed', { skip: missing('newsboat') }, async (t) => {
  await foreign.reportDebian(t, 'newsboat')
  const app = await start(t)
  for (const locale of LOCALES) {
    for (const name of NAMES) {
      const items = itemsOf(await (await app.fetch(feedPath(locale, 'json', name))).text())
      assert.ok(items.length > 2, name)
      // An entry that is in two feeds is stored once, so each has a store of its own.
      const folder = temporaryFolder(t)
      const [urls = '', cache = ''] = ['urls', 'cache.db'].map((file) => path.join(folder, file))
      writeFileSync(urls, `${app.origin}${feedPath(locale, 'atom', name)}\n`)
      const env = { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8' }
      const args = ['-C', '/dev/null', '-u', urls, '-c', cache, '-x', 'reload']
      const { code, stdout, stderr } = await foreign.runForeign('newsboat', args, { env })
      assert.equal(code, 0, stdout + stderr)
      const stored = new DatabaseSync(cache, { readOnly: true })
      const found = stored.prepare('SELECT guid AS id, title, url FROM rss_item').all()
      stored.close()
      assert.deepEqual(sorted(found), sorted(items), `${locale} ${name}`)
    }
  }
})

test('the JSON feeds are valid by a published schema', { skip: foreign.skip }, async (t) => {
  foreign.reportPackage(t, 'jsonfeed-schema')
  const file = foreign.foreignFile('jsonfeed-schema', 'schema-v1.1.json')
  const ajv = ajvFormats.default(new Ajv({ allErrors: true }))
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object)
  const app = await start(t)
  for (const [locale, name] of LOCALES.flatMap((each) => NAMES.map((of) => [each, of] as const))) {
    const feed = await (await app.fetch(feedPath(locale, 'json', name))).json()
    assert.ok(validate(feed), `${locale} ${name}: ${ajv.errorsText(validate.errors)}`)
    const { items } = feed as { readonly items: readonly object[] }
    assert.equal(
      validate({ ...(feed as object), items: [...items, { title: 'Without an ID' }] }),
      false,
    )
  }
})

const FEEDPARSER = `
import feedparser, json, sys
feed = feedparser.parse(sys.stdin.buffer.read())
print(json.dumps([feed.bozo, feed.version, [[e.id, e.title, e.link] for e in feed.entries]]))
`

test(
  'feedparser and sfeed read the Atom feeds without a complaint',
  { skip: missing('sfeed') || missingModule('feedparser') },
  async (t) => {
    await foreign.reportDebian(t, 'python3-feedparser')
    await foreign.reportDebian(t, 'sfeed')
    const app = await start(t)
    for (const [locale, name] of LOCALES.flatMap((each) =>
      NAMES.map((of) => [each, of] as const),
    )) {
      const text = await (await app.fetch(feedPath(locale, 'atom', name))).text()
      const items = itemsOf(await (await app.fetch(feedPath(locale, 'json', name))).text())
      const parsed: unknown = JSON.parse(await pipe('/usr/bin/python3', ['-c', FEEDPARSER], text))
      const entries = items.map(({ id, title, url }) => [id, title, url])
      assert.deepEqual(parsed, [false, 'atom10', entries])
      const rows = (await pipe('sfeed', [], text)).trimEnd().split('\n')
      assert.deepEqual(
        rows.map((row) => row.split('\t')[5]),
        items.map(({ id }) => id),
      )
    }
  },
)

const ICALENDAR = `
import icalendar, json, sys
calendar = icalendar.Calendar.from_ical(sys.stdin.buffer.read())
events = calendar.walk("VEVENT")
problems = [str(error) for part in calendar.walk() for error in part.errors]
print(json.dumps([problems, [[str(e["UID"]), e["DTSTART"].dt.isoformat(), str(e["SUMMARY"])] for e in events]]))
`

test(
  'icalendar reads the calendar of maintenance',
  { skip: missingModule('icalendar') },
  async (t) => {
    await foreign.reportDebian(t, 'python3-icalendar')
    const app = await start(t)
    for (const locale of LOCALES) {
      const text = await (await app.fetch(`/${locale}/maintenance.ics`)).text()
      const [problems, events] = JSON.parse(
        await pipe('/usr/bin/python3', ['-c', ICALENDAR], text),
      ) as readonly [readonly string[], readonly (readonly string[])[]]
      assert.deepEqual(problems, [])
      const { maintenances } = content.status
      const coming = maintenances.filter(({ state }) =>
        ['scheduled', 'in_progress'].includes(state),
      )
      assert.equal(events.length, coming.length)
      for (const [uid = '', startsAt = '', summary = ''] of events) {
        const found = maintenances.find(({ id }) => uid === `maintenance-${id}@127.0.0.1`)
        assert.equal(Date.parse(startsAt), Date.parse(found?.startsAt ?? ''), uid)
        assert.ok(summary.includes(found?.title ?? 'missing'), summary)
      }
    }
  },
)
