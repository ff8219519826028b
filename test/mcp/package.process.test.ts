import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { NODES } from '../support/nodes-on-path.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skip = existsSync('packages/mcp/node_modules')
  ? false
  : 'packages/mcp is not installed; run npm ci --prefix packages/mcp --ignore-scripts'
const run = promisify(execFile)

void test('the packed server runs by npx in an empty folder', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const [built, empty] = [path.join(folder, 'built'), path.join(folder, 'empty')]
  mkdirSync(built)
  mkdirSync(empty)
  const { buildMcp } = await import('../../scripts/build-mcp.ts')
  await buildMcp(built)
  const { messages } = await publint({ pkgDir: built, strict: true, pack: false })
  assert.deepEqual(messages, [])
  const { NODE_OPTIONS: _, ...env } = process.env
  const options = { cwd: built, env }
  await run('npm', ['pack', '--pack-destination', folder, '--ignore-scripts'], options)
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? 'missing'
  const args = ['--yes', '--offline', `--package=../${tarball}`, 'public-api-mcp', '--help']
  const { stdout } = await run('npx', args, { cwd: empty, env })
  assert.match(stdout, /^Usage: public-api-mcp URL/)
  assert.deepEqual(readdirSync(empty), [])
  assert.match(
    readFileSync(path.join(built, 'dist', 'LICENSES.txt'), 'utf8'),
    /@modelcontextprotocol\/sdk/,
  )
  for (const [version, node] of NODES) {
    const started = spawnSync(node, [path.join(built, 'dist', 'main.js'), 'http://127.0.0.1:9'], {
      input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`,
      encoding: 'utf8',
    })
    assert.match(started.stdout, /"name":"get_status"/, version)
  }
})
