import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn, type PageElement } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'
import { OUTAGE_STATUS, TROUBLE_NOW_MS } from '../support/trouble-content.ts'

/** Headings of results that a script shows, and of instructions for browsers without scripts. */
function isConditional(element: PageElement | null): boolean {
  if (element === null) return false
  const isOwn = /^(?:template|noscript)$/.test(element.tagName) || element.hasAttribute('hidden')
  return isOwn || isConditional(element.parentElement)
}

const OUTAGE = {
  releases: releasesOf({ status: OUTAGE_STATUS }),
  clock: { nowMs: () => TROUBLE_NOW_MS },
}

/** Selectors of what the style sheet hides from eyes and leaves to screen readers, whether focused or not. */
const HIDDEN = Array.from(
  readFileSync(`${import.meta.dirname}/../../src/pages/style.css`, 'utf8').matchAll(
    /([^{}]+)\{[^{}]*clip-path: inset\(50%\)/g,
  ),
  ([, selector = '']) => selector.replaceAll(/\/\*.*?\*\//gs, '').trim(),
).filter((selector) => !selector.includes(':'))
const FOCUSABLE = 'a, button, input, select, textarea, summary, [tabindex]'

/** The id of a heading, or of the list item that it is the heading of. */
function placeOf(heading: PageElement): string | undefined {
  const places = [heading, heading.parentElement, heading.parentElement?.parentElement]
  return (
    places
      .map((element) => element && attributeOf(element, 'id'))
      .find((id) => typeof id === 'string') ?? undefined
  )
}

/** Why a heading needs no link to itself; undefined if it needs one. */
function excuseOf(heading: PageElement, path: string): string | undefined {
  if (isConditional(heading)) return 'a script shows it'
  if ((attributeOf(heading, 'class') ?? '') === 'hidden-text') return 'only screen readers read it'
  const isOfEndpoint = path.startsWith('reference/') && heading.tagName === 'h3'
  if (isOfEndpoint && heading.hasAttribute('id')) return 'the script of the page adds the link'
  const [link] = heading.querySelectorAll('a')
  const leads = link !== undefined && !attributeOf(link, 'href')?.startsWith('#')
  return leads && placeOf(heading) !== undefined ? 'it leads to a page of its own' : undefined
}

for (const [name, parts] of [
  ...SITE_VARIANTS.filter(([each]) => /published|example/.test(each)),
  ['an outage', OUTAGE] as const,
]) {
  test(`${name}: headings link to themselves, at the same place in every language`, async (t) => {
    const app = await runApp(t, parts)
    const excuses = new Set<string>()
    for (const path of [...PAGES.map((page) => page.path), 'history/VS-0002']) {
      const places = new Set<string>()
      for (const locale of LOCALES) {
        const { all, ids } = parsePage(await (await app.fetch(pathOfPage(locale, path))).text())
        for (const hidden of HIDDEN.flatMap((selector) => all(selector))) {
          const reached = hidden.querySelectorAll(FOCUSABLE).map(textIn)
          assert.deepEqual(reached, [], `${locale} ${path}: the keyboard reaches a hidden element`)
        }
        const links = all('main a.anchor')
        const targets = links.map((link) => (attributeOf(link, 'href') ?? '').slice(1))
        for (const target of targets)
          assert.ok(ids.includes(target), `${locale} ${path}: ${target}`)
        assert.equal(new Set(targets).size, targets.length)
        places.add(targets.join())
        for (const heading of all('main *').filter(({ tagName }) => /^h[2-4]$/.test(tagName))) {
          const excuse = excuseOf(heading, path)
          if (excuse !== undefined) excuses.add(excuse)
          const [link] = heading.querySelectorAll('a.anchor')
          const target = link && attributeOf(link, 'href')
          const isLinked = target !== undefined && target === `#${placeOf(heading)}`
          assert.ok(isLinked || excuse !== undefined, `${locale} ${path}: ${textIn(heading)}`)
        }
      }
      assert.equal(places.size, 1, path)
    }
    assert.equal(excuses.size, parts === OUTAGE ? 4 : 3)
  })
}
