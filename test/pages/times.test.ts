import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { defaultTreeAdapter } from 'parse5'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { releasesOf } from '../support/made-content.ts'
import { PageElement, parsePage } from '../support/page-markup.ts'
import { readSitemap } from '../support/read-sitemap.ts'
import { runApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'
import {
  OUTAGE_STATUS,
  pastIncident,
  PLANNED_MAINTENANCE,
  TROUBLE_NOW_MS,
} from '../support/trouble-content.ts'

/** What a text says of an instant: a time of day, or the form of the JSON. */
const INSTANT = /\d{1,2}:\d\d|\d{4}-\d\d-\d\dT/

/** In texts of the example's operator, and of a schema. */
const OF_CONTENT = /0[26]:00 UTC|1970-01-01T00:00:00Z/

/** Parts with values of data and programs, and texts that scripts show. */
const OTHERS = new Set(['code', 'pre', 'script', 'template', 'svg', 'textarea', 'title'])

/** The text nodes of a page that readers see, each with the element around it. */
function* textsIn(element: PageElement): Generator<readonly [text: string, around: PageElement]> {
  for (const child of element.childNodes) {
    if (defaultTreeAdapter.isTextNode(child)) yield [child.value, element]
    else if (child instanceof PageElement && !OTHERS.has(child.tagName)) yield* textsIn(child)
  }
}

/** Whether an element is a time in UTC, in its place after the one of the visitor. */
function isOfComponent(element: PageElement): boolean {
  const utc = element.parentElement
  const [own, second] =
    utc?.parentElement?.childNodes.filter((each) => each instanceof PageElement) ?? []
  return (
    element.tagName === 'time' &&
    element.hasAttribute('datetime') &&
    utc?.parentElement?.attribute('class')?.split(' ')[0] === 'when' &&
    own?.attribute('class') === 'local' &&
    second === utc
  )
}

const TROUBLE = {
  releases: releasesOf({
    status: {
      ...OUTAGE_STATUS,
      incidents: [
        ...OUTAGE_STATUS.incidents,
        pastIncident(0, 'payments'),
        pastIncident(40, 'payments'),
      ],
      maintenances: [...(OUTAGE_STATUS.maintenances ?? []), PLANNED_MAINTENANCE],
    },
  }),
  clock: { nowMs: () => TROUBLE_NOW_MS },
}

for (const [name, parts] of [
  ...SITE_VARIANTS.slice(1, 2),
  ...SITE_VARIANTS.slice(3),
  ['an outage', TROUBLE] as const,
]) {
  test(`every page states instants in one component, the visitor's first: ${name}`, async (t) => {
    const app = await runApp(t, parts)
    const read = async (path: string) => (await app.fetch(path)).text()
    const sitemap = await readSitemap(read)
    const listed = Array.from(
      sitemap.matchAll(/<loc>(?:https?:\/\/[^/]*)([^<]*)<\/loc>/g),
      ([, path]) => path ?? '',
    )
    const paths = LOCALES.flatMap((locale) => PAGES.map(({ path }) => pathOfPage(locale, path)))
    const faults: string[] = []
    let count = 0
    for (const path of new Set([...paths, ...listed])) {
      const [body] = parsePage(await read(path)).all('body')
      assert.ok(body, path)
      for (const [text, around] of textsIn(body)) {
        if (!INSTANT.test(text) || OF_CONTENT.test(text)) continue
        if (!isOfComponent(around)) faults.push(`${path}: ${text.trim()}`)
        count += 1
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(count > 20)
  })
}

test('a service that runs for months says what one says that starts then', async (t) => {
  const ended = { ...PLANNED_MAINTENANCE, id: 'ended', state: 'completed' as const }
  const status = {
    ...OUTAGE_STATUS,
    incidents: [...OUTAGE_STATUS.incidents, pastIncident(1, 'payments')],
    maintenances: [ended],
  }
  const releases = releasesOf({ status })
  const [running, started] = [await runApp(t, { releases }), await runApp(t, { releases })]
  running.clock.ms = TROUBLE_NOW_MS
  // The signed example of the verify page has another request ID each time.
  const read = async (app: typeof running, path: string) =>
    (await (await app.fetch(path)).text()).replaceAll(/[\w+/-]{22,}=*/g, '')
  const listed = await readSitemap((path) => read(running, path))
  const files = LOCALES.flatMap((locale) =>
    ['', '/status', '/status.md', '/search.json', '/search-events.json', '/maintenance.ics'].map(
      (file) => `/${locale}${file}`,
    ),
  )
  const before = new Map<string, string>()
  for (const path of files) before.set(path, await read(running, path))
  running.clock.ms += 120 * 86_400_000
  started.clock.ms = running.clock.ms
  for (const path of files) {
    assert.equal(await read(running, path), await read(started, path), path)
  }
  for (const file of ['search.json', 'maintenance.ics'])
    assert.notEqual(await read(running, `/en/${file}`), before.get(`/en/${file}`), file)
  const later = await readSitemap((path) => read(running, path))
  assert.equal(later, await readSitemap((path) => read(started, path)))
  assert.notEqual(later, listed)
})
