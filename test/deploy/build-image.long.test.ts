import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { inspectConfig } from '../../src/config.ts'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** What build.sh itself calls. */
const TOOLS = ['bash', 'env', 'sh', 'dirname', 'git', 'tar', 'mktemp', 'rm', 'chmod', 'cat', 'test']
const PATHS = ['/usr/bin', '/bin']

/** A PATH with the given builders, which record their calls. A builder that does not work fails at everything. */
function makeTools(t: TestContext, builders: { readonly [name: string]: string }) {
  const folder = temporaryFolder(t)
  const bin = path.join(folder, 'bin')
  const calls = path.join(folder, 'calls')
  mkdirSync(bin)
  for (const name of TOOLS) {
    const target = PATHS.map((each) => path.join(each, name)).find((each) => existsSync(each))
    if (target !== undefined) symlinkSync(target, path.join(bin, name))
  }
  const add = (name: string, script: string) => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(bin, name), 0o755)
  }
  add('npm', `echo "npm $*" >> '${calls}'`)
  for (const [name, version] of Object.entries(builders)) {
    const record = `if [ "$1" = build ]; then echo "${name} $*" >> '${calls}'; fi`
    add(
      name,
      version === '' ? 'exit 1' : `${record}\nif [ "$1" = --version ]; then echo '${version}'; fi`,
    )
  }
  return {
    bin,
    read: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
  }
}

function build(
  t: TestContext,
  builders: { readonly [name: string]: string },
  more: readonly string[] = [],
  env = {},
) {
  const { bin, read } = makeTools(t, builders)
  const args = ['deploy/container/build.sh', 'public-api:local', ...more]
  const options = { env: { PATH: bin, ...env }, encoding: 'utf8', timeout: 30_000 } as const
  const { status, stderr, stdout } = spawnSync('bash', args, options)
  return { status, stderr, stdout, calls: read() }
}

const [PODMAN, DOCKER, BUILDAH] = [
  'podman version 5.4.2',
  'Docker version 28.2.2',
  'buildah version 1.39',
]
/** Only in the Docker format: the health check is not part of the OCI format. */
const FORMAT = / --format docker /

for (const [title, builders, used, hasFormat] of [
  [
    'podman before the others',
    { podman: PODMAN, docker: DOCKER, buildah: BUILDAH },
    'podman',
    true,
  ],
  ['docker', { docker: DOCKER }, 'docker', false],
  ['podman that is called docker', { docker: PODMAN }, 'docker', true],
  ['buildah if docker has no daemon', { docker: '', buildah: BUILDAH }, 'buildah', true],
] as const) {
  test(`build.sh uses ${title}`, (t) => {
    const { status, stdout, stderr, calls } = build(t, builders, ['HEAD', '--no-cache'])
    assert.equal(status, 0, stderr)
    const [installed = '', built = '', ...others] = calls
    assert.match(installed, /^npm ci --prefix \S+ --omit=dev --ignore-scripts/)
    assert.deepEqual(others, [])
    assert.match(
      built,
      new RegExp(
        `^${used} build --file \\S+/deploy/container/Containerfile --tag public-api:local `,
      ),
    )
    assert.equal(FORMAT.test(built), hasFormat, built)
    assert.match(built, / --no-cache \S+$/)
    assert.match(stdout, new RegExp(`^Building public-api:local of HEAD with ${used}$`, 'm'))
  })
}

test('build.sh says what is missing, and takes the builder of BUILDER', (t) => {
  const none = build(t, { docker: '' })
  assert.equal(none.status, 1)
  assert.match(none.stderr, /build\.sh: neither podman, docker nor buildah works here/)
  assert.deepEqual(none.calls, [])
  const chosen = build(t, { podman: PODMAN, docker: DOCKER }, [], { BUILDER: 'docker' })
  assert.match(chosen.calls[1] ?? '', /^docker build /)
})

test('docker run on the operating page starts the node of compose.single.yaml', (t) => {
  const [, block] = documentedBlocks('docs/operating.md', 'In a container')
  const [command = ''] = /^docker run [\s\S]*?public-api:local$/m.exec(block?.text ?? '') ?? []
  const folder = temporaryFolder(t)
  const script = `docker() { printf '%s\\n' "$@"; }\n${command}\n`
  const { stdout } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' })
  const args = stdout.trim().split('\n')
  assert.equal(args.at(-1), 'public-api:local')
  const valuesOf = (option: string) => args.filter((_, index) => args[index - 1] === option)

  const { services } = parse(readFileSync('deploy/container/compose.single.yaml', 'utf8')) as {
    readonly services: {
      readonly node: {
        readonly environment: { readonly [name: string]: string }
        readonly volumes: readonly string[]
        readonly user: string
        readonly cap_drop: readonly string[]
        readonly security_opt: readonly string[]
        readonly tmpfs: readonly string[]
        readonly read_only: boolean
      }
    }
  }
  const { environment, volumes, user, tmpfs, ...node } = services.node
  const given = Object.fromEntries(
    valuesOf('--env').map((each) => each.split('=') as [string, string]),
  )
  assert.deepEqual(given, environment)
  assert.deepEqual(inspectConfig(given, '/').mistakes, [])
  const mounts = (each: string) => each.split(':').slice(1).join(':')
  assert.deepEqual(valuesOf('--volume').map(mounts), volumes.map(mounts))
  assert.deepEqual(valuesOf('--user'), [user])
  assert.deepEqual(valuesOf('--tmpfs'), tmpfs)
  assert.deepEqual(valuesOf('--cap-drop'), node.cap_drop)
  assert.deepEqual(valuesOf('--security-opt'), node.security_opt)
  assert.equal(args.includes('--read-only'), node.read_only)
})
