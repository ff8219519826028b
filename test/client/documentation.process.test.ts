// isolated: runs the compiler
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { buildClient } from '../../scripts/build-client.ts'

// What an editor shows: the declarations of the package as it is published. The compiler writes each declaration at the
// start of a line, so lines are enough to find them.

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:class|function\*?|interface|type|const) (?<name>\w+)/
const MEMBER = /^\s+(?:static |get |readonly )*(?<name>'[^']+'|\w+)\??(?:[:<(])/

/** A declaration or a member, with the comment before it. */
interface Declared {
  readonly file: string
  readonly name: string
  readonly comment: string
  readonly isFunction: boolean
}

/** Everything that a file of declarations declares. Parameters of methods are part of their method. */
function declarationsIn(file: string, text: string): readonly Declared[] {
  const declared: Declared[] = []
  let comment = ''
  let isInComment = false
  let parentheses = 0
  let isTable = false
  for (const line of text.split('\n')) {
    if (isInComment || /^\s*\/\*\*/.test(line)) {
      comment = isInComment ? `${comment}\n${line}` : line
      isInComment = !line.includes('*/')
      continue
    }
    const declaration = DECLARATION.exec(line)
    // The rows of a table are values of the package, and their names the members of a documented type.
    if (declaration !== null) isTable = line.includes(' const ')
    const isMember = declaration === null && parentheses === 0 && !isTable
    const { name } = (declaration ?? (isMember ? MEMBER.exec(line) : null))?.groups ?? {}
    if (name !== undefined && name !== 'constructor') {
      declared.push({ file, name, comment, isFunction: /^export .*\bfunction\b/.test(line) })
    }
    parentheses += line.split('(').length - line.split(')').length
    comment = ''
  }
  return declared
}

/** Modules whose types no export of the package leads to. */
const INTERNAL = new Set([
  'client/history/audit-round.d.ts',
  'client/copies/copy-proof.d.ts',
  'client/for-each-some.d.ts',
  'client/node/durable-file.d.ts',
  'client/read-body.d.ts',
  'client/trusted-keys.d.ts',
  'contract/terms/headers.d.ts',
  'contract/http/signature.d.ts',
  'contract/terms/locales.d.ts',
])

let dist = ''
let declared: readonly Declared[] = []

const folder = mkdtempSync(path.join(tmpdir(), 'client-documentation-'))
after(() => rmSync(folder, { recursive: true }))

before(async () => {
  await buildClient(folder)
  dist = path.join(folder, 'dist')
  declared = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts') && !INTERNAL.has(file))
    .flatMap((file) => declarationsIn(file, readFileSync(path.join(dist, file), 'utf8')))
})

test('every type and every field has a doc comment', () => {
  assert.ok(declared.length > 400, `${declared.length} declarations`)
  // Functions that only the package itself calls need none; the others are in the next test.
  const bare = declared.filter(({ comment, isFunction }) => comment === '' && !isFunction)
  assert.deepEqual(
    bare.map(({ file, name }) => `${file}: ${name}`),
    [],
  )
})

test('every function and class has an example', async () => {
  const entries = ['index', 'audit', 'write', 'node/index']
  const bare: string[] = []
  for (const entry of entries) {
    const module = (await import(path.join(dist, 'client', `${entry}.js`))) as object
    for (const name of Object.keys(module)) {
      const found = declared.filter(
        (each) => each.name === name && each.comment.includes('@example'),
      )
      if (found.length === 0) bare.push(`${entry}: ${name}`)
    }
  }
  assert.deepEqual(bare, [])
})
