import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inspectConfig, FORMER_VARIABLES } from '../../src/config.ts'

const ROOT_DIR = fileURLToPath(new URL('../../', import.meta.url))

function read(file: string): string {
  return readFileSync(path.join(ROOT_DIR, file), 'utf8')
}

const page = read('docs/operating.md')

/** First cells of the table that stands next under this heading, and the text of the whole rows. */
function rowsUnder(heading: string): readonly { readonly first: string; readonly row: string }[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^\| (`.*?) \|.*$/gm)].map(([row, first = '']) => ({ first, row }))
}

function inCodeMarks(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
}

void test('the tables of the operating page match the variables that are read', () => {
  const asked = new Set<string>()
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        if (typeof name === 'string') asked.add(name)
        return undefined
      },
    },
  )
  assert.deepEqual(inspectConfig(environment, ROOT_DIR).mistakes, [])
  // Read to be refused.
  for (const former of Object.keys(FORMER_VARIABLES)) asked.delete(former)

  const documented = [...rowsUnder('Variables'), ...rowsUnder('Secrets')].flatMap(({ first }) =>
    inCodeMarks(first),
  )
  // The two of hosted challenges are in the row of the variable that needs them.
  const needed = ['SVC_CHALLENGE_SITE_KEY', 'SVC_CHALLENGE_SECRET']
  assert.deepEqual([...documented, ...needed].toSorted(), [...asked].toSorted())
  const named = page.match(/\bSVC_[A-Z_]*[A-Z]\b/g) ?? []
  assert.deepEqual(
    named.filter((name) => !asked.has(name)),
    [],
  )
})

void test('the operating page lists every log line that needs a person, as the code writes it', () => {
  const sources = readdirSync(path.join(ROOT_DIR, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => read(path.join('src', file)))
    .join('\n')
  // What the start says of the newest version, which commands say too.
  const notices = read('packages/contract/registry/release-notices.ts')
  const texts = `${sources}\n${notices}`
  const lines = rowsUnder('What to watch').flatMap(({ first }) => inCodeMarks(first))
  assert.ok(lines.length > 15, `${lines.length}`)
  for (const line of lines) {
    // Where the page has … the code has a value.
    for (const part of line.split('…')) assert.ok(texts.includes(part.trim()), line)
  }

  const errors = [...sources.matchAll(/\.error\(\s*\{[^}]*\},\s*['`]([^'`]+)/g)]
  assert.ok(errors.length >= 9, `${errors.length}`)
  const undocumented = errors
    .map(([, message = '']) => message)
    .filter((message) => !lines.some((line) => message.startsWith(line.split('…')[0] ?? '')))
  assert.deepEqual(undocumented, [])
})

void test('production is started with the flags of npm start', () => {
  const manifest = JSON.parse(read('package.json')) as { scripts: { start: string } }
  const [, flags = ''] = / exec node (.+) src\/main\.mjs$/.exec(manifest.scripts.start) ?? []
  assert.match(flags, /^--/)
  assert.ok(page.includes(`node_modules/.bin/node ${flags} src/main.mjs`))
})
