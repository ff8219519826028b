import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { environmentOf, NPX } from '../support/nodes-on-path.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Why the server cannot be packed; false if it can. */
export const skip = existsSync('packages/mcp/node_modules')
  ? false
  : 'packages/mcp is not installed; run npm ci --prefix packages/mcp --ignore-scripts'
const run = promisify(execFile)

/** Packs the server, and asserts that each of these Nodes runs it by npx in an empty folder. */
export async function assertPackedServer(
  t: TestContext,
  nodes: ReadonlyMap<string, string>,
): Promise<void> {
  const folder = temporaryFolder(t)
  const [built, empty] = [path.join(folder, 'built'), path.join(folder, 'empty')]
  mkdirSync(built)
  mkdirSync(empty)
  const { BUILDS } = await import('../../scripts/build-package.ts')
  await BUILDS.mcp(built)
  const { messages } = await publint({ pkgDir: built, strict: true, pack: false })
  assert.deepEqual(messages, [])
  const env = environmentOf(process.execPath)
  await run('npm', ['pack', '--pack-destination', folder, '--ignore-scripts'], { cwd: built, env })
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? 'missing'
  const data = new Uint8Array(readFileSync(path.join(folder, tarball)))
  // A command has no types that could resolve wrongly.
  assert.equal((await checkPackage(createPackageFromTarballData(data))).types, false)
  assert.match(
    readFileSync(path.join(built, 'dist', 'LICENSES.txt'), 'utf8'),
    /@modelcontextprotocol\/server/,
  )
  // The SDK bundles a validator whose license it does not have.
  assert.doesNotMatch(readFileSync(path.join(built, 'dist', 'main.js'), 'utf8'), /\bajv\b/i)
  const args = [NPX, '--yes', '--offline', `--package=../${tarball}`, 'public-api-mcp']
  for (const [version, node] of nodes) {
    const started = spawnSync(node, [...args, 'http://127.0.0.1:9'], {
      cwd: empty,
      env: environmentOf(node),
      input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`,
      encoding: 'utf8',
    })
    assert.match(started.stdout, /"name":"get_status"/, `${version}: ${started.stderr}`)
  }
  assert.deepEqual(readdirSync(empty), [])
}
