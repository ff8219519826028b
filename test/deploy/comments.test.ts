import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const FILES = readdirSync('deploy', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => path.join(parentPath, name))

/** Names of files in text: paths, and words with the ending of a file of deploy/. */
const NAMES =
  /(?:\.{1,2}\/|\/opt\/public-api\/|\b(?:deploy|docs|src)\/)[\w@./-]*\w|(?<![\w/.-])[\w@.-]+\.(?:conf|env|json|md|mjs|service|sh|timer|ya?ml)\b|\b(?:Caddyfile|Containerfile)\b/g

/** Folders that the operator creates beside the compose files. */
const OF_OPERATOR = new Set(['./secrets/service', './releases'])

/** Where a comment of `file` says that another file is. */
function placesOf(name: string, file: string): readonly string[] {
  const folder = path.dirname(file)
  // An instance of a unit: public-api-expire@365.timer.
  const unit = name.replace(/@\w+\./, '@.')
  if (name.startsWith('.')) return [path.join(folder, name)]
  return [name.replace('/opt/public-api/', ''), path.join(folder, unit)]
}

test('comments in deploy/ name files that exist', () => {
  const names: string[] = []
  const missing: string[] = []
  for (const file of FILES) {
    for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
      const [comment = ''] = /(?:^|\s)(?:#|\/\/)\s.*|^Documentation=.*/.exec(line) ?? []
      for (const [name] of comment.matchAll(NAMES)) {
        if (OF_OPERATOR.has(name)) continue
        names.push(name)
        // The workflows of a forge are copied into the organization's repository.
        if (!placesOf(name, file).some((place) => existsSync(place))) {
          missing.push(`${file}:${index + 1}: ${name}`)
        }
      }
    }
  }
  assert.deepEqual(missing, [])
  assert.ok(names.length > 15, `${names.length} names`)
})

test('the operating page says of each file in deploy/ how it was checked', () => {
  const page = readFileSync('docs/operating.md', 'utf8')
  const table = page.split('\n').filter((line) => /^\| \[.*\]\(\.\.\/deploy\//.test(line))
  const rows = table.map((line) => ({
    places: [...line.matchAll(/\]\(\.\.\/(deploy\/[^)]+)\)/g)].map(([, place = '']) => place),
    checkedBy: line.split('|').at(-2)?.trim() ?? '',
  }))
  for (const { checkedBy } of rows) assert.ok(checkedBy.length > 10)
  const isListed = (file: string) =>
    rows.some(({ places }) => places.some((place) => `${file}/`.startsWith(`${place}/`)))
  assert.deepEqual(
    FILES.filter((file) => !isListed(file)),
    [],
  )
})
