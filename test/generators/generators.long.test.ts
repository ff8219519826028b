import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { ENDPOINTS, type Endpoint } from '@public-api/contract/registry/endpoints'
import { build } from 'esbuild'
import { foreignFile, reportPackage, skip } from '../conformance/foreign-programs.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)
const HERE = import.meta.dirname
const TSC = path.join(HERE, 'node_modules/typescript/bin/tsc')
const OPENAPI_TYPESCRIPT = path.join(HERE, 'node_modules/openapi-typescript/bin/cli.js')
const HEY_API = path.join(HERE, 'node_modules/@hey-api/openapi-ts/bin/run.js')

const COMPILER_OPTIONS = {
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
}

/** Compiles files of a folder, strictly and with their imports, and returns the errors. */
async function compile(dir: string, files: readonly string[]): Promise<readonly string[]> {
  const project = path.join(dir, 'tsconfig.json')
  writeFileSync(project, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }))
  try {
    await run(process.execPath, [TSC, '-p', project], { cwd: dir })
    return []
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string }
    assert.ok(stdout !== undefined && stdout !== '', String(error))
    return stdout.split('\n').filter((line) => /^\S/.test(line))
  }
}

/** A program of a user: `read` uses the fields, the other ones misspell a field or a code. */
interface Consumer {
  readonly right: string
  readonly wrong: readonly string[]
}

const CONSUMERS: { readonly [generator: string]: Consumer } = {
  'openapi-typescript': {
    right: `
      import type { components, paths } from './schema.js'
      type Schemas = components['schemas']
      type Body = paths['/api/v1/status']['get']['responses']['200']['content']['application/json']
      type Refused = paths['/api/v1/status']['get']['responses']['401']['content']['application/json']
      type Joined = paths['/api/v1/early-access/register']['post']['responses']['200']['content']['application/json']
      export const states = (body: Body): string[] =>
        body.data.components.map((each: Schemas['StatusComponent']) => each.name + each.state)
      export const code = (body: Refused): 'KEY_INVALID' | 'KEY_EXPIRED' => body.error.code
      export const ticket = (body: Joined): string =>
        body.schema === 'svc.public.api.error.v1' ? body.error.code : body.data.ticket`,
    wrong: [
      `import type { components } from './schema.js'
       export const state = (body: components['schemas']['StatusResponse']) => body.data.sate`,
      `import type { components } from './schema.js'
       export const names = (body: components['schemas']['StatusResponse']) =>
         body.data.components.map((each) => each.nam)`,
      `import type { components } from './schema.js'
       export const isLimited = (body: components['schemas']['KeyInvalidOrKeyExpiredError']) =>
         body.error.code === 'RATE_LIMITED'`,
    ],
  },
  '@hey-api/openapi-ts': {
    right: `
      import { createClient } from './hey/client'
      import { status, versionById } from './hey/sdk.gen'
      import type { StatusComponent } from './hey/types.gen'
      export async function read(baseUrl: string): Promise<readonly string[]> {
        const client = createClient({ baseUrl })
        const { data: body } = await status({ client })
        if (body === undefined) throw new Error('no status')
        return body.data.components.map((each: StatusComponent) => each.id + ' ' + each.state)
      }
      export async function readMissing(baseUrl: string): Promise<string> {
        const client = createClient({ baseUrl })
        const { error } = await versionById({ client, path: { snapshotId: 'VS-9999' } })
        if (error === undefined) throw new Error('a version')
        return error.error.code
      }`,
    wrong: [
      `import type { StatusResponse } from './hey/types.gen'
       export const state = (body: StatusResponse) => body.data.sate`,
      `import type { StatusResponse } from './hey/types.gen'
       export const names = (body: StatusResponse) => body.data.components.map((each) => each.nam)`,
      `import type { KeyInvalidOrKeyExpiredError } from './hey/types.gen'
       export const isLimited = (body: KeyInvalidOrKeyExpiredError) =>
         body.error.code === 'RATE_LIMITED'`,
    ],
  },
}

test('clients generated from the served document', async (t) => {
  const app = await runApp(t)
  // Below this folder, so that generated code finds the modules it imports.
  const dir = mkdtempSync(path.join(HERE, '.generated-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const document = path.join(dir, 'openapi.json')
  writeFileSync(document, await (await app.fetch('/api/v1/openapi.json')).text())
  await run(process.execPath, [OPENAPI_TYPESCRIPT, document, '-o', path.join(dir, 'schema.d.ts')])
  await run(process.execPath, [HEY_API, '-i', document, '-o', path.join(dir, 'hey'), '--silent'])

  for (const [generator, { right, wrong }] of Object.entries(CONSUMERS)) {
    const name = generator.replaceAll(/\W/g, '-')
    await t.test(`${generator}: a program that uses it compiles strictly`, async () => {
      writeFileSync(path.join(dir, `${name}.ts`), right)
      assert.deepEqual(await compile(dir, [`${name}.ts`]), [])
    })
    await t.test(`${generator}: a misspelled field or code is a compile error`, async () => {
      const files = wrong.map((_, index) => `${name}-${index}.ts`)
      for (const [index, file] of files.entries()) {
        writeFileSync(path.join(dir, file), wrong[index] ?? '')
      }
      const errors = await compile(dir, files)
      assert.deepEqual(
        errors.map((error) => /^([\w.-]+)\(.*error TS(?:2339|2367|2551):/.exec(error)?.[1]),
        files,
      )
    })
  }

  await t.test('@hey-api/openapi-ts: calls the running service', async () => {
    const outfile = path.join(dir, 'client.mjs')
    const entry = path.join(dir, '-hey-api-openapi-ts.ts')
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
    })
    const client = (await import(pathToFileURL(outfile).href)) as {
      read(baseUrl: string): Promise<readonly string[]>
      readMissing(baseUrl: string): Promise<string>
    }
    assert.deepEqual(await client.read(app.origin), ['read-api operational'])
    assert.equal(await client.readMissing(app.origin), 'VERSION_NOT_FOUND')
  })
})

interface Schema {
  parse(value: unknown): unknown
  safeParse(value: unknown): { readonly success: boolean }
}

test('the zod schemas of orval load, and parse what the service sends', { skip }, async (t) => {
  reportPackage(t, 'orval')
  const app = await runApp(t, { releases: publishedReleases() })
  const dir = temporaryFolder(t)
  const [document, generated, outfile] = ['openapi.json', 'schemas.ts', 'schemas.mjs'].map((name) =>
    path.join(dir, name),
  ) as [string, string, string]
  writeFileSync(document, await (await app.fetch('/api/v1/openapi.json')).text())
  const orval = foreignFile('orval', 'dist', 'bin', 'orval.js')
  const args = ['--input', document, '--output', generated, '--client', 'zod']
  await run(process.execPath, [orval, ...args], { cwd: dir })
  await build({
    entryPoints: [generated],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    nodePaths: [foreignFile('')],
  })
  const schemas = (await import(pathToFileURL(outfile).href)) as { readonly [name: string]: Schema }
  let parsed = 0
  for (const [name, row] of Object.entries<Endpoint>(ENDPOINTS)) {
    const target = row.path.replace(/\{.*\}/, row.parameter?.example ?? '')
    const response = await app.fetch(target, { method: row.method })
    const schema = schemas[`${name}Response`]
    if (response.status !== 200 || row.success?.envelope === 'none') continue
    const body = (await response.json()) as object
    assert.ok(schema !== undefined, name)
    schema.parse(body)
    assert.equal(schema.safeParse({ ...body, data: 'text' }).success, false, name)
    parsed += 1
  }
  assert.ok(parsed > 10, String(parsed))
})

test('no enumeration is of a type that openapi-python-client refuses', async (t) => {
  const served = await runApp(t)
  const document: unknown = await (await served.fetch('/api/v1/openapi.json')).json()
  const odd: string[] = []
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { enum: values, type } = value as { readonly enum?: unknown; readonly type?: unknown }
    if (Array.isArray(values) && !['string', 'integer'].includes(String(type))) odd.push(place)
    for (const [name, member] of Object.entries(value)) visit(member, `${place}/${name}`)
  }
  visit((document as { readonly components: { readonly schemas: unknown } }).components.schemas, '')
  assert.deepEqual(odd, [])
})
