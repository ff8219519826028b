import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '../../src/contract/locales.ts'
import { PAGES } from '../../src/pages/page-table.ts'
import { pathOfPage } from '../../src/pages/page.ts'
import { TEXTS } from '../../src/pages/texts.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { publishedReleases } from '../support/site-variants.ts'
import { runApp } from '../support/running-app.ts'

const browser = useBrowser()

/** A node of the tree that screen readers read. */
interface TreeNode {
  readonly role: string
  readonly name: string
  readonly level: number | undefined
  readonly depth: number
}

/** The nodes of an ARIA snapshot such as `  - heading "Status" [level=1]`, from top to bottom. */
function nodesOf(snapshot: string): readonly TreeNode[] {
  return snapshot.split('\n').flatMap((line) => {
    const found =
      /^(?<indent> *)- '?(?<role>[a-z]+)(?: (?<name>"(?:[^"\\]|\\.)*"|\/.*\/))?(?<rest>.*)$/.exec(
        line,
      )
    const { indent = '', role = '', name = '""', rest = '' } = found?.groups ?? {}
    if (role === '' || role === 'text') return []
    const level = /\[level=(\d)\]/.exec(rest)?.[1]
    return [
      {
        role,
        name: name.slice(1, -1),
        level: level === undefined ? undefined : Number(level),
        depth: indent.length,
      },
    ]
  })
}

const LANDMARKS = ['banner', 'main', 'contentinfo']
/** Roles that need a name: what one can operate, pictures and groups, and headings. */
const NAMED = `link button textbox searchbox checkbox radio combobox spinbutton
  img heading navigation region dialog`.split(/\s+/)

for (const locale of LOCALES) {
  test(
    `the accessibility tree in ${locale}: landmarks, order of headings, names of controls`,
    { skip: browserMissing },
    async (t) => {
      const app = await runApp(t, { releases: publishedReleases() })
      const { page } = await browser.openPage(t, { viewport: { width: 1280, height: 900 } })
      const { site } = TEXTS[locale]
      for (const { path } of [...PAGES, { path: 'no-such-page' }]) {
        const url = pathOfPage(locale, path)
        await page.goto(app.origin + url)
        const nodes = nodesOf(await page.locator('body').ariaSnapshot())
        for (const role of LANDMARKS) {
          assert.equal(nodes.filter((node) => node.role === role).length, 1, `${url}: ${role}`)
        }
        const navigations = nodes.filter(({ role }) => role === 'navigation')
        const names = navigations.map(({ name }) => name)
        assert.ok(names.includes(site.pages), `${url}: ${names.join(', ')}`)
        assert.ok(names.includes(site.languages), `${url}: ${names.join(', ')}`)
        assert.equal(new Set(names).size, names.length, `${url}: navigations have unique names`)

        const levels = nodes.flatMap(({ role, level }) => (role === 'heading' ? [level ?? 0] : []))
        assert.equal(levels[0], 1, `${url} begins with its h1`)
        for (const [index, level] of levels.entries()) {
          assert.ok(level <= (levels[index - 1] ?? 0) + 1, `${url}: ${levels.join(' ')}`)
        }
        const nameless = nodes.filter(({ role, name }) => NAMED.includes(role) && name === '')
        assert.deepEqual(nameless, [], url)
        assert.ok(nodes.filter(({ role }) => role === 'link').length > PAGES.length, url)
      }
    },
  )
}

test('the tree reports a control without a name', { skip: browserMissing }, async (t) => {
  const app = await runApp(t)
  const { page } = await browser.openPage(t)
  await page.goto(`${app.origin}/en`)
  await page.evaluate(() => {
    document.querySelector('main')?.insertAdjacentHTML('beforeend', '<button></button><h4>a</h4>')
  })
  const nodes = nodesOf(await page.locator('body').ariaSnapshot())
  assert.ok(nodes.some(({ role, name }) => role === 'button' && name === ''))
  assert.ok(nodes.some(({ role, level }) => role === 'heading' && level === 4))
})
