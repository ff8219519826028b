import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { INSTALLED, LOCKED_PACKAGES } from './support/production-packages.ts'
import { cleanEnvironment } from './support/run-svc.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

/** Where npm finds a package that another one requires: in the nearest node_modules folder. */
function locationOf(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const location = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (location in LOCKED_PACKAGES) return location
    if (!folder.includes('/node_modules/')) return from === '' ? undefined : locationOf('', name)
  }
}

/** The packages that the root's dependencies require, without optional peers. */
function requiredLocations(): ReadonlySet<string> {
  const found = new Set<string>([''])
  for (const location of found) {
    // A package of the checkout is a link.
    const { link, resolved = '' } = LOCKED_PACKAGES[location] ?? {}
    const { dependencies = {}, optionalDependencies = {} } =
      LOCKED_PACKAGES[link ? resolved : location] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = locationOf(location, name)
      if (next !== undefined) found.add(next)
    }
  }
  found.delete('')
  return found
}

test('npm ci --omit=dev installs only what the dependencies require', (t) => {
  const folder = temporaryFolder(t)
  for (const file of ['package.json', 'package-lock.json', 'packages']) {
    cpSync(file, path.join(folder, file), { recursive: true })
  }
  // npm test may have been called with --silent, which this npm would inherit.
  const options = ['--omit=dev', '--ignore-scripts', '--offline', '--dry-run', '--loglevel=notice']
  const output = execFileSync('npm', ['ci', ...options], { cwd: folder, encoding: 'utf8' })
  const added = [...output.matchAll(/^add (\S+) /gm)].map(([, name]) => name ?? '')
  const names = new Set(
    [...requiredLocations()].map((location) => location.split('node_modules/').at(-1)),
  )
  const extra = added.filter((name) => !names.has(name) && !name.startsWith('@public-api/'))
  assert.ok(added.length > 20)
  assert.deepEqual(extra, [])
})

/** The bytes of the packages that `npm ci --omit=dev --omit=optional` installs. */
function slimInstallBytes(): number {
  const locations = [...requiredLocations()].filter(
    (location) => LOCKED_PACKAGES[location]?.optional !== true,
  )
  return locations
    .flatMap((location) =>
      readdirSync(location, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .filter((file) => !path.relative(location, file).includes('node_modules')),
    )
    .reduce((sum, file) => sum + statSync(file).size, 0)
}

test('without the optional packages, what is installed is below 50 MB', () => {
  const bytes = slimInstallBytes()
  assert.ok(bytes > 10e6 && bytes < 50e6, `${bytes} bytes`)
})

/** A copy of the repository with the packages of a production install without the optional ones: no Node, no libsodium. */
function makeInstall(t: TestContext): string {
  const folder = temporaryFolder(t)
  const copied = ['package.json', 'packages', 'src', 'locales', 'assets', 'content', 'releases']
  for (const each of copied) {
    cpSync(each, path.join(folder, each), {
      recursive: true,
      filter: (source) => !/\/(?:dist|vectors|node_modules)$/.test(source),
    })
  }
  for (const [name, location] of INSTALLED) {
    if (LOCKED_PACKAGES[location]?.optional) continue
    const link = path.join(folder, 'node_modules', name)
    mkdirSync(path.dirname(link), { recursive: true })
    const isOwn = location.startsWith('packages/')
    symlinkSync(isOwn ? path.join(folder, location) : path.resolve(location), link)
  }
  return folder
}

// Reads the commands from the program's own tables, and runs each with --help and without arguments.
const RUN_EVERY_COMMAND = `
import { COMMANDS, runCommandLine } from './src/cli/program.ts'

const lines = []
async function runEach(commands, words) {
  for (const [name, [, entry]] of Object.entries(commands)) {
    const command = typeof entry === 'function' ? (await entry()).command : entry
    const names = [...words, name]
    for (const args of [[...names, '--help'], names]) {
      const run = { args: args.join(' '), output: '' }
      const add = (line) => { run.output += line + '\\n' }
      // A command that serves until it is stopped has started by then.
      const served = new Promise((resolve) => setTimeout(resolve, 3000, 0))
      run.status = await Promise.race([runCommandLine(args, { out: add, error: add }), served])
      lines.push(run)
    }
    if (command.actions !== undefined) await runEach(command.actions, names)
  }
}
const commands = { ...COMMANDS }
await runEach(commands, [])
console.error(JSON.stringify(lines))
process.exit()
`

interface CommandRun {
  readonly args: string
  readonly status: number
  readonly output: string
}

test('every command and every help runs on a production install', (t) => {
  const folder = makeInstall(t)
  const script = path.join(folder, 'run-every-command.mjs')
  writeFileSync(script, RUN_EVERY_COMMAND)
  const { stderr, error } = spawnSync(process.execPath, ['--no-warnings', script], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(error, undefined)
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  assert.match(last, /^\[/, stderr)
  const runs = JSON.parse(last) as readonly CommandRun[]
  assert.ok(runs.length > 60, `${runs.length} runs`)
  for (const { args, status, output } of runs) {
    if (args.endsWith(' --help')) assert.equal(status, 0, `svc ${args}: ${output}`)
    assert.ok([0, 1, 2, 3].includes(status), `svc ${args} exits with ${status}`)
    assert.doesNotMatch(output, /Cannot find (?:package|module)|ERR_MODULE|TypeError/, args)
  }
})
