import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { loadCommand } from '@public-api/cli-kit/run-program'
import { COMMANDS } from '../../src/cli/program.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const UNITS = 'deploy/systemd'
const SERVICES = readdirSync(UNITS).filter((name) => name.endsWith('.service'))
const missing = hasProgram('systemd-analyze') ? undefined : 'systemd-analyze is not installed'

/** The exposure that the units must not exceed (0 is safe, 10 is open). */
const MAX_EXPOSURE = 3

test('systemd rates the exposure of each unit at 3 or less', { skip: missing }, () => {
  for (const unit of SERVICES) {
    const { stdout, stderr } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--no-pager', path.join(UNITS, unit)],
      { encoding: 'utf8' },
    )
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
    assert.ok(Number(exposure) <= MAX_EXPOSURE, `${unit}: ${exposure} ${stderr}`)
  }
})

test('systemd finds no mistake in the units', { skip: missing }, (t) => {
  const folder = temporaryFolder(t)
  cpSync(UNITS, folder, { recursive: true })
  const units = readdirSync(UNITS).filter((name) => /\.(?:service|timer)$/.test(name))
  for (const unit of units) {
    const file = path.join(folder, unit)
    // The programs of an installation are not on this machine.
    const text = readFileSync(file, 'utf8').replaceAll(
      /\/opt\/public-api\/\S*(?:node\b|\.sh\b)/g,
      '/bin/true',
    )
    writeFileSync(file, text)
  }
  const files = units.map((unit) => path.join(folder, unit))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], {
    encoding: 'utf8',
  })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
})

test('the unit starts the service as npm start does', () => {
  const unit = readFileSync(path.join(UNITS, 'public-api.service'), 'utf8')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: { readonly start: string }
  }
  const args = scripts.start.replace(/^.* exec node /, '')
  assert.ok(unit.includes(`ExecStart=/opt/public-api/node_modules/.bin/node ${args}\n`))
})

test('the unit of the copy passes the options of the operator to svc site', async () => {
  const unit = readFileSync(path.join(UNITS, 'public-api-copy.service'), 'utf8')
  // An unset variable adds no argument, and a set one is split at its spaces (systemd.service(5)).
  assert.match(unit, / site \/srv\/public-api-copy --now \$\{SVC_BASE_URL\} \$COPY_OPTIONS\n/)
  const [, options = ''] = /COPY_OPTIONS=(--pin [^\n]*)\.\n/.exec(unit) ?? []
  const docs = readFileSync('docs/copy.md', 'utf8')
  assert.ok(docs.includes(`\`COPY_OPTIONS=${options}\``))
  const { command } = await import('../../src/cli/site.ts')
  const named = options.split(' ').filter((each) => each.startsWith('--'))
  assert.deepEqual(named, ['--pin', '--base-url'])
  for (const name of named) assert.ok(Object.hasOwn(command.options, name.slice(2)), name)
})

test('the installed svc runs each command on the database as the user of the service', async () => {
  const wrapper = readFileSync(path.join(UNITS, 'svc'), 'utf8')
  const [, listed = ''] = /^ {2}([\w |-]+)\) as_service=yes ;;$/m.exec(wrapper) ?? []
  const asService = new Set(listed.split(' | '))
  for (const [name, [, entry]] of Object.entries(COMMANDS)) {
    const command = await loadCommand(entry)
    const actions =
      'actions' in command ? Object.values(command.actions) : [[name, command] as const]
    const loaded = await Promise.all(actions.map(async ([, each]) => loadCommand(each)))
    const worksOnDatabase = loaded.some((each) => 'options' in each && 'database' in each.options)
    if (worksOnDatabase) assert.ok(asService.has(name), name)
  }
  for (const name of asService) assert.ok(Object.hasOwn(COMMANDS, name), name)
})

test('no unit writes the releases as another user than who owns them', () => {
  const writers = SERVICES.flatMap((unit) => {
    const text = readFileSync(path.join(UNITS, unit), 'utf8')
    const writes = /^ReadWritePaths=.*\/srv\/public-api(?: |$)/m.test(text)
    const [, user] = /^User=(.*)$/m.exec(text) ?? []
    return writes ? [`${unit} as ${user}`] : []
  })
  // The first is the owner by its name; where the second pulls, docs/publishing-from-git.md makes its user the owner.
  assert.deepEqual(writers, [
    'public-api-cosign@.service as %i',
    'public-api-pull.service as public-api',
  ])
  const pulling = readFileSync('docs/publishing-from-git.md', 'utf8')
  assert.match(pulling, /install -d -o public-api -g public-api \/srv\/public-api\n/)
})

test('what the guides give ssh is where the units read it', () => {
  const guides = { copy: 'docs/copy.md', pull: 'docs/publishing-from-git.md' }
  for (const [name, guide] of Object.entries(guides)) {
    const unit = readFileSync(path.join(UNITS, `public-api-${name}.service`), 'utf8')
    // The home of their user.
    assert.match(unit, /^InaccessiblePaths=.*-\/var\/lib\/public-api$/m)
    assert.match(unit, /^ReadOnlyPaths=.* \/etc\/public-api(?: |$)/m)
    const given = /ssh -i (\S+) -o UserKnownHostsFile=([\w./-]+)/.exec(readFileSync(guide, 'utf8'))
    const folders = given?.slice(1).map((file) => path.dirname(file))
    assert.deepEqual(folders, ['/etc/public-api', '/etc/public-api'], guide)
  }
})
