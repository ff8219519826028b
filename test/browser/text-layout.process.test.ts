import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { browserMissing, type TestFonts, useBrowser } from '../support/browser.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'
import { useFileScope } from '../support/test-scope.ts'

const BROWSERS = {
  wide: useBrowser({ fonts: 'wide' }),
  narrow: useBrowser({ fonts: 'narrow' }),
} satisfies { readonly [fonts in TestFonts]: unknown }
const FONTS = ['wide', 'narrow'] as const
const CONTENTS = SITE_VARIANTS.filter(([name]) => /published|example/.test(name))

/** A phone, as the sizes of pages are stated for. */
const PHONE = { width: 360, height: 780 }

/** WCAG 1.4.12: the spacing that readers may set without losing text. */
const TEXT_SPACING =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }'

const scope = useFileScope()
let running: Promise<readonly RunningApp[]> | undefined

/** A page, and an app for each content, which the tests share so that each page is rendered once. */
async function openContents(t: TestContext, fonts: TestFonts) {
  const { page } = await BROWSERS[fonts].openPage(t, { viewport: PHONE, bypassCSP: true })
  const apps = await (running ??= Promise.all(CONTENTS.map(([, parts]) => runApp(scope, parts))))
  return { page, origins: apps.map(({ origin }) => origin) }
}

/** Texts of pictures that leave their box or their picture, or cover another text. */
function misplacedTexts(page: Page): Promise<readonly string[]> {
  return page.locator('.picture svg').evaluateAll((pictures) =>
    pictures.flatMap((picture) => {
      const boxes = [
        ...picture.querySelectorAll<SVGGraphicsElement>('rect:not(.picture-paper)'),
      ].map((rect) => rect.getBBox())
      boxes.push((picture as SVGSVGElement).viewBox.baseVal)
      const texts = [...picture.querySelectorAll('text')].map((text) => ({
        said: text.textContent.trim(),
        area: text.getBBox(),
      }))
      return texts.flatMap(({ said, area }, index) => {
        const [left, right] = [area.x, area.x + area.width]
        const middle = area.y + area.height / 2
        const around = boxes.filter(
          ({ x, y, width, height }) =>
            left + 1 > x && left < x + width && middle > y && middle < y + height,
        )
        const isOutside = around.some(({ x, width }) => right > x + width + 1)
        const covered = texts
          .slice(index + 1)
          .filter(
            ({ area: other }) =>
              Math.min(right, other.x + other.width) - Math.max(left, other.x) > 1 &&
              Math.min(area.y + area.height, other.y + other.height) - Math.max(area.y, other.y) >
                area.height / 3,
          )
        return [
          ...(isOutside
            ? [
                `leaves its box: ${said} ${Math.max(...around.map(({ x, width }) => right - x - width))}`,
              ]
            : []),
          ...covered.map((other) => `covers: ${said} / ${other.said}`),
        ]
      })
    }),
  )
}

for (const fonts of FONTS) {
  test(
    `pictures have room for a reader's text spacing, ${fonts} fonts`,
    { skip: browserMissing },
    async (t) => {
      const { page, origins } = await openContents(t, fonts)
      for (const origin of origins) {
        for (const path of [
          '',
          'history',
          'status',
          'roadmap',
          'architecture',
          'wallet',
          'verify',
        ]) {
          // The fonts have neither Thai nor Chinese letters.
          await page.goto(origin + pathOfPage('en', path))
          assert.deepEqual(await misplacedTexts(page), [], path)
          await page.addStyleTag({ content: TEXT_SPACING })
          assert.deepEqual(await misplacedTexts(page), [], `${path} with spacing`)
        }
      }
    },
  )

  test(`no code is broken at a hyphen, ${fonts} fonts`, { skip: browserMissing }, async (t) => {
    const { page, origins } = await openContents(t, fonts)
    for (const path of ['reference/early-access', 'errors', 'verify', 'history/VS-0002']) {
      await page.goto((origins[0] ?? '') + pathOfPage('en', path))
      for (const width of [PHONE.width, 1280]) {
        await page.setViewportSize({ width, height: PHONE.height })
        assert.deepEqual(await brokenCodes(page), [], `${path}, ${width} px wide`)
      }
    }
  })
}

/** Codes that continue on the next line after a hyphen. A hash may end a line anywhere. */
function brokenCodes(page: Page): Promise<readonly string[]> {
  return page.locator('code').evaluateAll((codes) => {
    for (const details of document.querySelectorAll('details')) details.open = true
    const topOf = (node: Node, index: number): number => {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + 1)
      return range.getBoundingClientRect().top
    }
    return codes.flatMap((code) => {
      if (getComputedStyle(code).wordBreak === 'break-all' || code.closest('pre')) return []
      const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const { currentNode: node } = texts
        for (const { index } of (node.nodeValue ?? '').matchAll(/-(?=.)/g)) {
          if (topOf(node, index + 1) > topOf(node, index) + 3) return [code.textContent]
        }
      }
      return []
    })
  })
}

/** Screens of a phone that a page may take. The example has 21 versions. */
const MAX_SCREENS = { errors: 15, wallet: 7.2, history: 12 }

test('long pages take few screens of a phone', { skip: browserMissing }, async (t) => {
  const { page, origins } = await openContents(t, 'wide')
  for (const origin of origins) {
    for (const [path, most] of Object.entries(MAX_SCREENS)) {
      for (const locale of LOCALES) {
        await page.goto(origin + pathOfPage(locale, path))
        const height = await page.evaluate(() => document.documentElement.scrollHeight)
        assert.ok(height <= most * PHONE.height, `${locale} ${path}: ${height / PHONE.height}`)
      }
    }
  }
})
