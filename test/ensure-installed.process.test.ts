import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './support/temporary-folder.ts'

const SCRIPT = fileURLToPath(new URL('../scripts/ensure-installed.mjs', import.meta.url))
const LOCKED = {
  '': { name: 'service' },
  'node_modules/client': { link: true },
  'node_modules/needed': { version: '1.0.0' },
  'node_modules/native': { version: '2.0.0', optional: true },
  'node_modules/tester': { version: '3.0.0', dev: true },
}

/** A checkout whose npm notes its arguments and what it installed, or fails. */
function makeCheckout(t: TestContext, npmExitCode = 0) {
  const folder = temporaryFolder(t)
  const programs = path.join(folder, 'programs')
  const called = path.join(folder, 'called.txt')
  for (const made of ['scripts', 'programs', 'node_modules/.bin', 'node_modules/client']) {
    mkdirSync(path.join(folder, made), { recursive: true })
  }
  cpSync(SCRIPT, path.join(folder, 'scripts', 'ensure-installed.mjs'))
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: LOCKED }))
  // The Node of the platform, which the script looks for last.
  writeFileSync(path.join(folder, 'node_modules/.bin/node'), '')
  const npm = path.join(programs, 'npm')
  // A record of an installation without development packages would have others.
  const record = 'cp package-lock.json node_modules/.package-lock.json'
  const note = npmExitCode === 0 ? `case "$*" in *include=dev*) ${record} ;; esac` : ''
  writeFileSync(npm, `#!/bin/sh\necho "$*" >> '${called}'\n${note}\nexit ${npmExitCode}\n`)
  chmodSync(npm, 0o755)
  return {
    folder,
    /** What npm noted of what it installed. */
    noteInstalled(packages: object) {
      const file = path.join(folder, 'node_modules', '.package-lock.json')
      writeFileSync(file, JSON.stringify({ packages }))
    },
    run(...args: readonly string[]) {
      const script = path.join(folder, 'scripts', 'ensure-installed.mjs')
      const PATH = `${programs}${path.delimiter}${process.env.PATH ?? ''}`
      const options = { encoding: 'utf8', env: { ...process.env, PATH } } as const
      const { status, stderr } = spawnSync(process.execPath, [script, ...args], options)
      return {
        status,
        stderr,
        npmArguments: existsSync(called) ? readFileSync(called, 'utf8') : '',
      }
    },
  }
}

test('installs the locked packages once, and again when the lock file changes', (t) => {
  const { folder, run } = makeCheckout(t)
  const first = run()
  assert.equal(first.status, 0, first.stderr)
  assert.match(first.npmArguments, /^ci .*--include=dev .*--ignore-scripts\n$/)
  assert.equal(run().npmArguments, first.npmArguments, 'the second start asks npm for nothing')
  const packages = { ...LOCKED, 'node_modules/added': { version: '1.0.0' } }
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }))
  assert.equal(run().npmArguments, first.npmArguments.repeat(2))
})

test('npm ci --omit=dev installs enough for the service and not for the tests', (t) => {
  const { noteInstalled, run } = makeCheckout(t)
  const { '': _, 'node_modules/tester': __, 'node_modules/native': ___, ...runtime } = LOCKED
  noteInstalled(runtime)
  assert.deepEqual(run('--runtime'), { status: 0, stderr: '', npmArguments: '' })
  assert.notEqual(run().npmArguments, '')
})

test('after npm ci nothing is installed again', (t) => {
  const { noteInstalled, run } = makeCheckout(t)
  const { '': _, 'node_modules/native': __, ...installed } = LOCKED
  noteInstalled(installed)
  assert.deepEqual(run(), { status: 0, stderr: '', npmArguments: '' })
  noteInstalled({ ...installed, 'node_modules/tester': { version: '2.9.0' } })
  assert.notEqual(run().npmArguments, '', 'an older development package is replaced')
})

test('installs a missing or different package, an optional one only if it is older', (t) => {
  for (const installed of [
    {},
    { 'node_modules/needed': { version: '0.9.0' } },
    { 'node_modules/needed': { version: '1.0.0' }, 'node_modules/native': { version: '1.0.0' } },
  ]) {
    const { noteInstalled, run } = makeCheckout(t)
    noteInstalled(installed)
    assert.notEqual(run('--runtime').npmArguments, '', JSON.stringify(installed))
  }
  const { noteInstalled, run } = makeCheckout(t)
  noteInstalled({ 'node_modules/needed': { version: '1.0.0' } })
  assert.equal(run('--runtime').npmArguments, '')
})

test('installs a package of this repository that has no link yet', (t) => {
  const { folder, noteInstalled, run } = makeCheckout(t)
  const { '': _, ...installed } = LOCKED
  noteInstalled(installed)
  rmSync(path.join(folder, 'node_modules/client'), { recursive: true })
  assert.notEqual(run('--runtime').npmArguments, '')
})

test('the first start installs what the service runs on, and the tests install the rest', (t) => {
  const { run } = makeCheckout(t)
  const first = run('--runtime')
  assert.match(first.npmArguments, /^ci .*--omit=dev .*--ignore-scripts\n$/)
  assert.match(run().npmArguments, /\nci .*--include=dev .*\n$/)
})

test('reports a failed installation, exits with 1 and tries again next time', (t) => {
  const { run } = makeCheckout(t, 7)
  const { status, stderr } = run()
  assert.equal(status, 1)
  assert.match(stderr, /npm ci failed \(it exited with 7\)\. Expected: npm on the PATH/)
  assert.equal(run().npmArguments.split('\n').length, 3)
})

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: { readonly [name: string]: string }
}

test('no script needs one that npm skips with ignore-scripts', () => {
  for (const folder of ['.', 'packages/client', 'packages/cli', 'packages/mcp']) {
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      readonly scripts: object
    }
    const names = Object.keys(manifest.scripts)
    assert.deepEqual(
      names.filter((name) => /^(?:pre|post)/.test(name)),
      [],
    )
  }
  const { 'test:node24': _, ...others } = scripts
  for (const [name, script] of Object.entries(others)) {
    assert.match(
      script,
      /^\(node scripts\/ensure-installed\.mjs\b[^)]*\) && (?:exec node |oxfmt$)/,
      name,
    )
  }
})

test('a script runs on the Node that was installed just before it', (t) => {
  const folder = temporaryFolder(t)
  const [before, bin] = ['programs', 'node_modules/.bin'].map((name) => path.join(folder, name))
  assert.ok(before !== undefined && bin !== undefined)
  for (const made of [before, bin, path.join(folder, 'scripts')]) {
    mkdirSync(made, { recursive: true })
  }
  symlinkSync(process.execPath, path.join(before, 'node'))
  const install = `import fs from 'node:fs'
    fs.writeFileSync('node_modules/.bin/node', '#!/bin/sh\\necho new "$@"', { mode: 0o755 })`
  writeFileSync(path.join(folder, 'scripts', 'ensure-installed.mjs'), install)
  const PATH = [bin, before, process.env.PATH].join(path.delimiter)
  for (const shell of ['sh', 'bash']) {
    rmSync(path.join(bin, 'node'), { force: true })
    const { stdout, error } = spawnSync(shell, ['-c', scripts['start'] ?? ''], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH },
    })
    if (error !== undefined) continue
    assert.match(stdout, /^new --max-semi-space-size=\d+ .* src\/main\.mjs\n$/, shell)
  }
})

test('a bare npm ci runs no install script of a dependency', { timeout: 600_000 }, (t) => {
  const folder = temporaryFolder(t)
  const npm = (cwd: string, ...args: readonly string[]) => {
    const env = { ...process.env, npm_config_cache: path.join(folder, 'cache') }
    const options = { cwd, encoding: 'utf8', env } as const
    const { status, stdout, stderr } = spawnSync('npm', [...args, '--offline'], options)
    assert.equal(status, 0, stderr)
    return stdout
  }
  assert.match(npm(process.cwd(), 'config', 'get', 'ignore-scripts'), /^true$/m)
  for (const other of ['bench', 'packages/mcp']) {
    assert.match(readFileSync(path.join(other, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m)
  }
  const write = (name: string, manifest: object): string => {
    mkdirSync(path.join(folder, name), { recursive: true })
    writeFileSync(path.join(folder, name, 'package.json'), JSON.stringify(manifest))
    return path.join(folder, name)
  }
  const ran = path.join(folder, 'ran')
  const curious = write('curious', {
    name: 'curious',
    version: '1.0.0',
    scripts: { postinstall: `echo ran >> '${ran}'` },
  })
  npm(curious, 'pack', '--pack-destination', folder)
  const dependencies = { curious: 'file:../curious-1.0.0.tgz' }
  const project = write('project', { name: 'project', version: '1.0.0', dependencies })
  npm(project, 'install', '--package-lock-only')
  cpSync('.npmrc', path.join(project, '.npmrc'))
  npm(project, 'ci')
  assert.ok(existsSync(path.join(project, 'node_modules', 'curious', 'package.json')))
  assert.ok(!existsSync(ran))
})
