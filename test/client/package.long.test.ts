import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { build } from 'esbuild'
import { publint } from 'publint'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { installClient } from '../support/installed-client.ts'
import { NODES_OF_EACH_RUN } from '../support/nodes-on-path.ts'
import { runApp } from '../support/running-app.ts'
import { assertUse } from './installed-use.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const root = mkdtempSync(path.join(tmpdir(), 'client-package-'))
let [built, tarball, consumer] = ['', '', '']

before(async () => {
  ;({ built, tarball, consumer } = await installClient(root))
})

after(() => rmSync(root, { recursive: true, force: true }))

describe('the packed client', () => {
  test('has no dependency and contains only the files of its manifest', () => {
    const installed = path.join(consumer, 'node_modules')
    assert.deepEqual(
      readdirSync(installed).filter((name) => !name.startsWith('.')),
      ['@public-api'],
    )
    const files = readdirSync(path.join(installed, '@public-api', 'client'), {
      recursive: true,
      encoding: 'utf8',
    })
    for (const file of [
      'README.md',
      'LICENSE',
      'dist/client.min.js',
      'vectors/index.json',
      'vectors/README.md',
    ]) {
      assert.ok(files.includes(file), file)
    }
    assert.deepEqual(
      files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts')),
      [],
    )
    const scripts = files.filter((file) => file.endsWith('.js'))
    assert.deepEqual(
      scripts.filter((file) => /schemas|endpoints|errors/.test(file)),
      [],
    )
  })

  test('publint finds no problem', async () => {
    const { messages } = await publint({
      pkgDir: path.join(consumer, 'node_modules', '@public-api', 'client'),
      strict: true,
      pack: false,
    })
    assert.deepEqual(messages, [])
  })

  test('the types resolve under every module resolution that supports exports', async () => {
    const data = new Uint8Array(readFileSync(tarball))
    const result = await checkPackage(createPackageFromTarballData(data))
    assert.ok(result.types)
    // The package has no CommonJS on purpose: a require of it works in Node 20.19 and later, and 'node10' knows no exports.
    const problems = result.problems.filter(
      (problem) =>
        !('resolutionKind' in problem) ||
        (problem.resolutionKind !== 'node10' && problem.resolutionKind !== 'node16-cjs'),
    )
    assert.deepEqual(
      problems.filter(({ kind }) => kind !== 'CJSResolvesToESM'),
      [],
    )
  })

  // 6.5 kB at first. Since then: periods of keys, renewals by 304 (0.4 kB), options that are checked with their names (0.2 kB),
  // one buffer for a body with limits (0.2 kB), I-JSON, which every client reads alike (0.15 kB), and header fields that
  // proxies change (0.1 kB), entity tags from the bytes of a body (0.3 kB), asking past an old response of a cache (0.1 kB), and
  // steps of verification that report each (0.1 kB), each of which every client needs. A client that names mirrors or a store loads what reads them when
  // it is created: later, it could come from an origin that is away.
  test('createClient without copies is below 9 kB, with its dependencies', async () => {
    const resolveDir = path.join(ROOT, 'packages', 'client', 'src')
    const { outputFiles } = await build({
      stdin: { contents: "export { createClient } from './index.ts'", resolveDir },
      bundle: true,
      external: ['./copies/copies.ts'],
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      write: false,
    })
    const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
    assert.ok(bytes > 4000 && bytes < 9000, `${bytes} bytes`)
  })

  // Of these, readers that never go back to an older copy or another history have 2.2 kB.
  test('the bundle for browsers is below 13.6 kB and has what the first entry has', async () => {
    const file = path.join(built, 'dist', 'client.min.js')
    const bytes = gzipSync(readFileSync(file), { level: 9 }).length
    assert.ok(bytes < 13_600, `${bytes} bytes`)
    const bundle = (await import(file)) as object
    const entry = (await import(path.join(built, 'dist', 'client', 'index.js'))) as object
    assert.deepEqual(Object.keys(bundle).toSorted(), Object.keys(entry).toSorted())
  })
})

const TYPESCRIPT = `
import { ApiResponseError, createClient, VerificationError, verifyResponse, type Client, type Status, type Verified } from '@public-api/client'
import { auditHistory, history, HistoryError, type HeadStore } from '@public-api/client/audit'
import { createFileHeadStore, createFileResponseStore } from '@public-api/client/node'
import { keySelf, register, revokeKeySelf } from '@public-api/client/write'

const client: Client = createClient({
  baseUrl: 'https://a.test',
  fetch,
  pinnedKeyIds: [],
  mirrors: ['https://b.test/'],
  store: createFileResponseStore('responses'),
})
const store: HeadStore = createFileHeadStore('head.json')

export async function use(): Promise<string | number> {
  const status = await client.status({ signal: AbortSignal.timeout(1000) })
  const state: 'operational' | 'degraded' | 'partial_outage' | 'major_outage' | 'maintenance' = status.data.state
  const typed: Status = (await client.get('/api/v1/status?a=1')).data
  // @ts-expect-error A target that is not a literal path has unknown data.
  const unknown: Status = (await client.get('/api/v1/' + typed.state)).data
  const whole: Verified<{ readonly hash: string }> = await client.versionById('VS-0001')
  // @ts-expect-error Unknown member.
  status.data.nothing
  // @ts-expect-error An id must be given.
  client.versionById()
  // @ts-expect-error Unknown endpoint.
  client.register()
  const challengeToken = 'token'
  const result = await register(client, { email: 'a@b.test', consent: true, challengeToken })
  if (result.outcome === 'WAITING') result.data.ticket.slice(1)
  // @ts-expect-error A duplicate has no ticket.
  else result.data.ticket
  // @ts-expect-error Only true is consent.
  await register(client, { email: 'a@b.test', consent: false, challengeToken })
  // @ts-expect-error Unknown interest.
  await register(client, { email: 'a@b.test', consent: true, challengeToken, interests: ['x'] })
  const apiKey = 'svk_…'
  const remaining: number = (await keySelf(client, { apiKey })).data.quota.remaining
  const revokedAt: string = (await revokeKeySelf(client, { apiKey })).data.revokedAt
  for await (const { data } of history(client)) if (data.note === revokedAt) return remaining
  try {
    const { head } = await auditHistory({ client, store })
    return head.sequence
  } catch (error) {
    if (error instanceof ApiResponseError && error.code === 'RATE_LIMITED') return error.status
    // @ts-expect-error Unknown code.
    if (error instanceof ApiResponseError && error.code === 'NO_SUCH_CODE') return 0
    if (error instanceof VerificationError && error.code === 'STALE') return error.message
    if (error instanceof HistoryError) return error.evidence.responses.length
  }
  await verifyResponse({ ...whole.response, keys: await client.keys(), nowMs: 0 })
  return state
}
`

describe('installed without a network', () => {
  for (const [module, moduleResolution, lib] of [
    ['nodenext', 'nodenext', 'dom'],
    ['esnext', 'bundler', 'dom'],
    ['esnext', 'bundler', 'webworker'],
  ] as const) {
    test(`it type-checks for a consumer whose resolution is ${moduleResolution} and whose lib is ${lib}`, async () => {
      const folder = path.join(consumer, `${moduleResolution}-${lib}`)
      mkdirSync(folder)
      writeFileSync(path.join(folder, 'use.ts'), TYPESCRIPT)
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'es2022',
        lib: ['es2022', lib],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: false,
      }
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
      const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
      try {
        await run(process.execPath, [tsc, '-p', folder])
      } catch (error) {
        assert.fail((error as { stdout?: string }).stdout ?? String(error))
      }
    })
  }

  for (const [version, program] of NODES_OF_EACH_RUN) {
    test(`reads, audits and passes every vector on Node ${version}`, (t) =>
      assertUse(t, consumer, program))
  }
})

test('the README’s first example runs unchanged and prints the state', async (t) => {
  const app = await runApp(t, { clock: { nowMs: () => Date.now() } })
  const examples = documentedBlocks('packages/client/README.md')
    .filter(({ language }) => language === 'js')
    .map(({ text }) => text)
  assert.ok(examples.length >= 4)
  // With the installation before it and the start after it, these are five lines.
  assert.equal(examples[0]?.trim().split('\n').length, 3)
  const folder = path.join(consumer, 'examples')
  mkdirSync(folder)
  symlinkSync(path.join(consumer, 'node_modules'), path.join(folder, 'node_modules'))
  const outputs: string[] = []
  for (const [index, code] of examples.entries()) {
    // These need files: evidence, or a policy and a proof.
    if (/verifyEvidence\(|openPolicy\(/.test(code)) continue
    const file = path.join(folder, `${index}.js`)
    writeFileSync(file, code.replaceAll('https://api.example.org', app.origin))
    outputs.push((await run(process.execPath, [file], { cwd: folder })).stdout)
  }
  assert.deepEqual(outputs, [
    'operational\n',
    'operational\n',
    'VS-0002 2\n',
    `VS-0002 1\nVS-0001 ${SNAPSHOT_NAMES.length}\n`,
    'operational origin\n',
  ])
})
