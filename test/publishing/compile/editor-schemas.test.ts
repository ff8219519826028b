import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { createExample } from '@public-api/contract/documents/examples'
import { isTranslatedName, TRANSLATED_SCHEMAS } from '@public-api/contract/registry/resource-names'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import { createContentReference } from '../../../scripts/content-reference.ts'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { createSchemaFiles } from '../../../src/publishing/compile/editor-schemas.ts'
import { createStarterContent } from '../../../src/publishing/compile/starter-content.ts'
import { formatMistake } from '../../../src/publishing/rules/content-mistake.ts'
import { contentSchema } from '../../../src/publishing/rules/content-schemas.ts'
import { parseYamlSource } from '../../../src/publishing/rules/yaml-source.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { FIXTURE_NOW_MS, writeContent } from '../content-fixture.ts'

const ROOT = path.join(import.meta.dirname, '..', '..', '..')

const ajv = new Ajv({ strict: false })
ajvFormats.default(ajv, ['date', 'date-time', 'uri'])
const schemas = createSchemaFiles()

/** Whether an editor would accept a file. */
function accepts(schemaFile: string, yaml: string): boolean {
  const schema = schemas.get(`.schemas/${schemaFile}`)
  assert.ok(schema !== undefined, schemaFile)
  const { value: source, mistakes } = parseYamlSource('f.yaml', yaml)
  assert.ok(source !== undefined, mistakes.map(formatMistake).join('\n'))
  return ajv.compile(JSON.parse(schema) as object)(source.value)
}

test('new content passes its editor schemas, and the check after its placeholders are replaced', async (t) => {
  const folder = temporaryFolder(t)
  const files = createStarterContent(FIXTURE_NOW_MS)
  for (const [name, text] of files) {
    writeContent(
      folder,
      name,
      text.replaceAll('example.org', 'tides.example').replaceAll('TODO ', ''),
    )
  }
  const { mistakes, resources } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.deepEqual(mistakes.map(formatMistake), [])
  assert.ok(resources.has('site/organization'))
  for (const [name, text] of files) {
    if (!name.endsWith('.yaml')) continue
    const schema = /^# yaml-language-server: \$schema=\.schemas\/(.+)\n/.exec(text)?.[1] ?? ''
    assert.ok(files.has(`.schemas/${schema}`), `${name} names the schema ${schema}`)
    assert.ok(accepts(schema, text), name)
    assert.ok(!accepts(schema, `${text}unknown: 1\n`), `${name} with an unknown field`)
  }
})

test('every field of new content has a comment', () => {
  for (const [name, text] of createStarterContent(FIXTURE_NOW_MS)) {
    if (!name.endsWith('.yaml')) continue
    const lines = text.split('\n')
    for (const [index, line] of lines.entries()) {
      // The first field of an item is its id.
      if (!/^[ #]*[A-Za-z]+:(?: |$)/.test(line) || line.includes('- id:')) continue
      if (/^\s*# [A-Z]/.test(line) || line.startsWith('# yaml-language-server')) continue
      assert.match(lines[index - 1] ?? '', /#/, `${name}:${index + 1}: ${line}`)
    }
  }
})

test('the schemas accept the content of this project, imports and overlays', () => {
  for (const name of Object.keys(TRANSLATED_SCHEMAS).filter(isTranslatedName)) {
    // Files that this project does not have.
    if (name.startsWith('site/')) continue
    assert.ok(
      accepts(`${name}.json`, readFileSync(path.join(ROOT, 'content', `${name}.yaml`), 'utf8')),
      name,
    )
  }
  const head = 'summary: S\nupdatedAt: 2026-01-01T00:00:00Z\n'
  assert.ok(accepts('changelog.json', `${head}releasesFrom: { file: CHANGELOG.md }\n`))
  assert.ok(!accepts('changelog.json', head))
  assert.ok(
    !accepts(
      'changelog.json',
      `${head}unreleased: []\nreleases: []\nreleasesFrom: { file: C.md }\n`,
    ),
  )
  assert.ok(
    accepts('roadmap.json', `${head}itemsFrom: { file: r.csv, columns: { id: Id, title: T } }\n`),
  )
  assert.ok(
    !accepts('roadmap.json', `${head}itemsFrom: { file: r.csv, columns: { id: Id, titel: T } }\n`),
  )
  assert.ok(accepts('translations/roadmap.json', 'items:\n  - { id: a, title: T }\n'))
  assert.ok(accepts('translations/roadmap.json', 'items:\n  a: { title: T }\n'))
  assert.ok(!accepts('translations/roadmap.json', 'items:\n  a: { horizon: now }\n'))
})

test('the reference names every field, and its examples have the described shape', () => {
  const reference = createContentReference()
  for (const name of Object.keys(TRANSLATED_SCHEMAS).filter(isTranslatedName)) {
    const schema = contentSchema(name)
    assert.equal(schemaMistake(schema, createExample(schema, '$', [])), undefined, name)
    for (const field of Object.keys(schema.properties ?? {})) {
      assert.ok(reference.includes(`| \`${field}\` |`), `${name}: ${field}`)
    }
  }
})

test('every invented text of new content is a mistake in one list', async (t) => {
  const folder = temporaryFolder(t)
  for (const [name, text] of createStarterContent(FIXTURE_NOW_MS)) writeContent(folder, name, text)
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.deepEqual(
    mistakes.filter(({ found }) => !found.startsWith('the placeholder ')),
    [],
  )
  const fields = new Set(mistakes.map(({ file, field }) => `${path.basename(file)} ${field}`))
  for (const field of [
    'organization.yaml name',
    'organization.yaml url',
    'organization.yaml description',
    'organization.yaml contact.email',
    'organization.yaml privacy.controller',
    'organization.yaml privacy.address',
    'organization.yaml privacy.retention',
    'development-queue.yaml summary',
    'roadmap.yaml summary',
    'changelog.yaml summary',
    'status.yaml summary',
    'status.yaml components[0].name',
    'architecture.yaml components[0].role',
  ]) {
    assert.ok(fields.has(field), field)
  }
})

test('every field of every schema has a description', () => {
  interface Schema {
    readonly description?: string
    readonly properties?: { readonly [name: string]: Schema }
    readonly items?: Schema
    readonly additionalProperties?: Schema | boolean
    readonly oneOf?: readonly Schema[]
  }
  const missing: string[] = []
  function visit({ properties = {}, items, additionalProperties, oneOf = [] }: Schema, at: string) {
    for (const [name, field] of Object.entries(properties)) {
      if ((field.description ?? '') === '') missing.push(`${at}.${name}`)
      visit(field, `${at}.${name}`)
    }
    if (items !== undefined) visit(items, `${at}[]`)
    if (typeof additionalProperties === 'object') visit(additionalProperties, `${at}{}`)
    for (const each of oneOf) visit(each, at)
  }
  for (const [file, text] of schemas) visit(JSON.parse(text) as Schema, file)
  assert.deepEqual(missing, [])
})
