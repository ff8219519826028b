import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { runApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skip =
  hasProgram('vnu') && hasProgram('java') ? undefined : 'the Nu Html Checker (vnu) is not installed'

/**
 * The checker guesses the language of a text, and takes Chinese pages full of names and paths for English. The slash of a
 * void element is what the formatter of the sources writes.
 */
const IGNORED = /appears to be written|Trailing slash on void elements/

/** Pages that the table does not list: of one version, of what changed since, and of an unknown path. */
const UNLISTED = ['history/VS-0001', 'history/since/VS-0001', 'no-such-page']

/** Errors and warnings of the checker, each with its file and line. */
function faultsIn(folder: string): readonly string[] {
  const options = { encoding: 'utf8', maxBuffer: 100e6 } as const
  const { status, stdout, stderr } = spawnSync(
    'vnu',
    ['--stdout', '--format', 'gnu', folder],
    options,
  )
  assert.ok(status === 0 || status === 1, stderr)
  return stdout.split('\n').filter((line) => line !== '' && !IGNORED.test(line))
}

/** Every page of every variant in every locale, with a name for a file. */
async function allPages(t: TestContext): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>()
  for (const [index, [, dependencies]] of SITE_VARIANTS.entries()) {
    const app = await runApp(t, dependencies)
    for (const locale of LOCALES) {
      for (const place of [...PAGES.map((page) => page.path), ...UNLISTED]) {
        const url = pathOfPage(locale, place)
        const name = `${index}${url.replaceAll('/', '_')}.html`
        pages.set(name, await (await app.fetch(url)).text())
      }
    }
  }
  return pages
}

test('every page obeys the strict rules of html-validate', async (t) => {
  for (const [name, text] of await allPages(t)) {
    assert.deepEqual(await htmlFaults(text), [], name)
    // It finds a second one and skipped levels.
    assert.match(text, /<h1\b/, name)
  }
})

test('every page is valid for the Nu Html Checker', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  for (const [name, text] of await allPages(t)) writeFileSync(path.join(folder, name), text)
  assert.deepEqual(faultsIn(folder), [])
})

test('the Nu Html Checker finds a fault', { skip }, (t) => {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'page.html')
  writeFileSync(
    file,
    '<!DOCTYPE html><html lang="en"><title>a</title><pre aria-label="b">c</pre></html>',
  )
  assert.match(faultsIn(folder).join('\n'), /aria-label/)
})

const DUMPS = [
  ['lynx', '-dump', '-stdin', '-force_html', '-assume_charset=utf-8', '-display_charset=utf-8'],
  ['w3m', '-dump', '-T', 'text/html', '-I', 'UTF-8', '-O', 'UTF-8'],
] as const
const letters = (text: string): string => text.replaceAll(/\s/g, '')

for (const [program, ...args] of DUMPS) {
  test(
    `${program} shows none of the texts that are for scripts`,
    { skip: !hasProgram(program) && `${program} is not installed` },
    async (t) => {
      const dump = (input: string) => letters(spawnSync(program, args, { input }).stdout.toString())
      let count = 0
      for (const [name, page] of await allPages(t)) {
        const found = page.matchAll(/<script type="application\/json"[^>]*>([^<]*)<\/script>/g)
        const texts = Array.from(found, ([, text = '']) => letters(text).slice(0, 40))
        // Of one variant, because these texts are the same in all.
        if (!name.startsWith('0_') || texts.length === 0) continue
        count += texts.length
        const shown = dump(page)
        assert.ok(shown.length > 100, name)
        for (const text of texts) assert.ok(!shown.includes(text), `${name}: ${text}`)
        // In a template, as they once were, they are shown.
        const older = dump(page.replaceAll(/<(\/?)script\b/g, '<$1template'))
        assert.ok(
          texts.some((text) => older.includes(text)),
          name,
        )
      }
      assert.ok(count > 30, String(count))
    },
  )
}
