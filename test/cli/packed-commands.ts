import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { BUILDS } from '../../scripts/build-package.ts'
import { key } from '../client/scripted-client.ts'
import { environmentOf, NPX } from '../support/nodes-on-path.ts'
import { failedWith, succeeded } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { liveDependencies } from './verifying/live-app.ts'

interface Ended {
  readonly status: number
  readonly out: string
  readonly error: string
}

function run(
  file: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = environmentOf(process.execPath),
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env }, (failure, out, error) => {
      const status = failure === null ? 0 : Number(failure.code)
      resolve({ status, out, error })
    })
  })
}

async function npm(args: readonly string[], cwd: string): Promise<void> {
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  succeeded(await run('npm', [...args, ...options], cwd))
}

/** The commands as a user has them. */
export interface PackedCommands {
  /** The folder that the package is packed from. */
  readonly built: string
  /** A project with the package installed. */
  readonly consumer: string
  tarball: string
}

/** Packs and installs the commands before the tests of the calling file, without a network. */
export function usePackedCommands(): PackedCommands {
  const root = mkdtempSync(path.join(tmpdir(), 'cli-package-'))
  const [built, consumer] = [path.join(root, 'built'), path.join(root, 'consumer')]
  const packed = { built, consumer, tarball: '' }
  before(async () => {
    mkdirSync(built)
    mkdirSync(consumer)
    await BUILDS.cli(built)
    await npm(['pack', '--pack-destination', root], built)
    const file = readdirSync(root).find((each) => each.endsWith('.tgz'))
    packed.tarball = path.join(root, file ?? 'missing')
    await npm(['init', '-y'], consumer)
    await npm(['install', packed.tarball], consumer)
  })
  after(() => rmSync(root, { recursive: true, force: true }))
  return packed
}

/** Declares what each of these Nodes must do with the commands. */
export function testNodes(packed: PackedCommands, nodes: ReadonlyMap<string, string>): void {
  for (const [nodeVersion, node] of nodes) {
    test(`the command of the README runs by npx in an empty folder with Node ${nodeVersion}`, async (t) => {
      const { origin } = await runApp(t, liveDependencies())
      const readme = readFileSync('packages/cli/README.md', 'utf8')
      const [, command = ''] = /^npx @public-api\/cli (.*)$/m.exec(readme) ?? []
      const args = command
        .replace('https://api.example.org', origin)
        .replace(/kPrK_\w{38}/, key.keyId)
        .split(' ')
      const empty = temporaryFolder(t)
      const npx = [NPX, '--yes', '--offline', `--package=${packed.tarball}`, 'svc']
      const out = succeeded(await run(node, [...npx, ...args], empty, environmentOf(node)))
      assert.match(out, new RegExp(`^Verified: signed by ${key.keyId}`, 'm'))
      assert.deepEqual(readdirSync(empty), [])
    })

    test(`verify, audit and doctor work with Node ${nodeVersion}, without a warning`, async (t) => {
      const { origin } = await runApp(t, liveDependencies())
      const program = path.join(packed.consumer, 'node_modules', '.bin', 'svc')
      const svc = (...args: readonly string[]) => run(node, [program, ...args], packed.consumer)
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
      const policy = path.join(packed.consumer, 'policy')
      writeFileSync(
        policy,
        'log api.example.org/log+23e81afd+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c\nquorum none\n',
      )
      const mirrored = await svc('mirror', origin, `${nodeVersion}-mirror`, '--policy', policy)
      assert.notEqual(mirrored.status, 0)
      assert.match(mirrored.error, /^error: .*\n$/)
      assert.equal(mirrored.error.includes('Node 22.13 or newer'), nodeVersion.startsWith('v20.'))
      failedWith(2, await svc('publish'))
    })
  }
}
