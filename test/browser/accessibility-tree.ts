import assert from 'node:assert/strict'
import type { Locale } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'

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

/** The nodes of the page that is open, from top to bottom. */
export async function treeOf(page: Page): Promise<readonly TreeNode[]> {
  return nodesOf(await page.locator('body').ariaSnapshot())
}

/** Controls, pictures, groups and headings without a name. */
export function namelessOf(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.filter(({ role, name }) => NAMED.includes(role) && name === '')
}

/** Fails unless the landmarks, the order of headings and the names of controls are those of an accessible page. */
export async function assertAccessibilityTree(
  page: Page,
  locale: Locale,
  path: string,
): Promise<void> {
  const { site } = TEXTS[locale]
  const nodes = await treeOf(page)
  for (const role of LANDMARKS) {
    assert.equal(nodes.filter((node) => node.role === role).length, 1, `${path}: ${role}`)
  }
  const navigations = nodes.filter(({ role }) => role === 'navigation')
  const names = navigations.map(({ name }) => name)
  assert.ok(names.includes(site.pages), `${path}: ${names.join(', ')}`)
  assert.ok(names.includes(site.languages), `${path}: ${names.join(', ')}`)
  assert.equal(new Set(names).size, names.length, `${path}: navigations have unique names`)
  const levels = nodes.flatMap(({ role, level }) => (role === 'heading' ? [level ?? 0] : []))
  assert.equal(levels[0], 1, `${path} begins with its h1`)
  for (const [index, level] of levels.entries()) {
    assert.ok(level <= (levels[index - 1] ?? 0) + 1, `${path}: ${levels.join(' ')}`)
  }
  assert.deepEqual(namelessOf(nodes), [], path)
  assert.ok(nodes.filter(({ role }) => role === 'link').length > PAGES.length, path)
}
