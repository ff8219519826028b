import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { publint } from 'publint'
import { buildCli } from '../../scripts/build-cli.ts'
import { key } from '../client/scripted-client.ts'
import { NODES } from '../support/nodes-on-path.ts'
import { runApp } from '../support/running-app.ts'
import { liveDependencies } from './verifying/live-app.ts'

const root = mkdtempSync(path.join(tmpdir(), 'cli-package-'))
const built = path.join(root, 'built')
const consumer = path.join(root, 'consumer')
let tarball = ''
const program = path.join(consumer, 'node_modules', '.bin', 'svc')

interface Ended {
  readonly status: number
  readonly out: string
  readonly error: string
}

function run(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  const { NODE_OPTIONS: _, ...env } = process.env
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env }, (failure, out, error) => {
      const status = failure === null ? 0 : Number(failure.code)
      resolve({ status, out, error })
    })
  })
}

async function npm(args: readonly string[], cwd: string): Promise<void> {
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, error } = await run('npm', [...args, ...options], cwd)
  assert.equal(status, 0, error)
}

before(async () => {
  mkdirSync(built)
  mkdirSync(consumer)
  await buildCli(built)
  await npm(['pack', '--pack-destination', root], built)
  tarball = path.join(root, readdirSync(root).find((file) => file.endsWith('.tgz')) ?? 'missing')
  await npm(['init', '-y'], consumer)
  await npm(['install', tarball], consumer)
})

after(() => rmSync(root, { recursive: true, force: true }))

describe('the packed commands', () => {
  test('install from one tarball without any other package', () => {
    const installed = readdirSync(path.join(consumer, 'node_modules'))
    assert.deepEqual(
      installed.filter((name) => !name.startsWith('.')),
      ['@public-api'],
    )
    const folder = path.join(consumer, 'node_modules', '@public-api', 'cli')
    assert.deepEqual(readdirSync(folder).toSorted(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
    ])
    const text = readdirSync(path.join(folder, 'dist'))
      .map((file) => readFileSync(path.join(folder, 'dist', file), 'utf8'))
      .join('\n')
    // A static import of what Node 20 lacks fails before any command runs.
    assert.doesNotMatch(text, /import\s*\{[^}]*zstd[^}]*\}/)
  })

  test('run by npx in an empty folder', async () => {
    const empty = path.join(root, 'empty')
    mkdirSync(empty)
    const args = ['--yes', '--offline', `--package=${tarball}`, 'svc', 'verify', '--help']
    const { status, out } = await run('npx', args, empty)
    assert.equal(status, 0)
    assert.match(out, /^Usage: svc verify /)
    assert.deepEqual(readdirSync(empty), [])
  })

  // The package has commands and nothing to import, so it has no types that could resolve wrongly.
  test('publint finds no problem', async () => {
    const { messages } = await publint({ pkgDir: built, strict: true, pack: false })
    assert.deepEqual(messages, [])
  })

  for (const [nodeVersion, node] of NODES) {
    test(`verify, audit and doctor work with Node ${nodeVersion}, without a warning`, async (t) => {
      const { origin } = await runApp(t, liveDependencies())
      const svc = (...args: readonly string[]) => run(node, [program, ...args], consumer)
      const version = await svc('--version')
      assert.deepEqual([version.status, version.out, version.error], [0, '0.1.0\n', ''])
      const verified = await svc('verify', `${origin}/api/v1/status`, '--pin', key.keyId)
      assert.deepEqual([verified.status, verified.error], [0, ''])
      const audited = await svc(
        'audit',
        origin,
        '--pin',
        key.keyId,
        '--state',
        `${nodeVersion}.json`,
      )
      assert.deepEqual([audited.status, audited.error], [0, ''])
      assert.match(audited.out, /^The history is valid\./)
      const examined = await svc('doctor', origin, '--pin', key.keyId, '--json')
      assert.equal(examined.error.replace(/^error: .*\n/, ''), '')
      assert.equal((JSON.parse(examined.out) as { origin: string }).origin, origin)
      const unknown = await svc('publish')
      assert.equal(unknown.status, 2)
    })
  }
})
