import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/registry/locales'
import type { HtmlElement } from 'html-validate'
import { PAGES } from '../../src/pages/page-table.ts'
import { pathOfPage } from '../../src/pages/page.ts'
import { attributeOf, parsePage } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'

/** Headings of results that a script shows, and of instructions for browsers without scripts. */
function isConditional(element: HtmlElement | null): boolean {
  if (element === null) return false
  const { tagName, parent } = element
  const isOwn = /^(?:template|noscript|details)$/.test(tagName) || element.hasAttribute('hidden')
  return isOwn || element.hasAttribute('data-browser') || isConditional(parent)
}

for (const [name, parts] of SITE_VARIANTS.filter(([each]) => /published|example/.test(each))) {
  test(`${name}: headings link to themselves, at the same place in every language`, async (t) => {
    const app = await runApp(t, parts)
    for (const path of [...PAGES.map((page) => page.path), 'history/VS-0002']) {
      const places = new Set<string>()
      for (const locale of LOCALES) {
        const { all, ids } = parsePage(await (await app.fetch(pathOfPage(locale, path))).text())
        const links = all('main a.anchor')
        const targets = links.map((link) => (attributeOf(link, 'href') ?? '').slice(1))
        for (const target of targets)
          assert.ok(ids.includes(target), `${locale} ${path}: ${target}`)
        assert.equal(new Set(targets).size, targets.length)
        places.add(targets.join())
        const without = all('main *').filter(
          (heading) =>
            // The pages of the reference link to endpoints.
            (path.startsWith('reference/') ? /^h2$/ : /^h[23]$/).test(heading.tagName) &&
            !isConditional(heading) &&
            !heading.childElements.some(({ tagName }) => tagName === 'a'),
        )
        assert.deepEqual(
          without.map(({ textContent }) => textContent),
          [],
          `${locale} ${path}`,
        )
      }
      assert.equal(places.size, 1, path)
    }
  })
}
