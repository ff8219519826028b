import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { inspectConfig } from '../../src/config.ts'
import { hasProgram } from '../caches/cache-process.ts'

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly read_only?: boolean
  readonly user?: string
}

const FILE = 'deploy/container/compose.yaml'
const SINGLE_FILE = 'deploy/container/compose.single.yaml'
const { services, volumes, networks } = parse(readFileSync(FILE, 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: object
  readonly networks: object
}

test('two nodes run read-only and as non-root, with variables that the service accepts', () => {
  for (const name of ['node-1', 'node-2']) {
    const {
      environment = {},
      depends_on: needed = {},
      read_only: isReadOnly,
      user,
    } = services[name] ?? {}
    assert.equal(isReadOnly, true)
    assert.equal(user, '65532:65532')
    assert.deepEqual(Object.keys(needed), ['postgres'])
    const url = environment['SVC_DATABASE_URL']?.replace(/\$\{[^}]*\}/, 'secret') ?? ''
    const { mistakes } = inspectConfig({ ...environment, SVC_DATABASE_URL: url }, '/')
    assert.deepEqual(mistakes, [])
  }
})

test('the parts that services name exist', () => {
  assert.deepEqual(Object.keys(services).toSorted(), ['node-1', 'node-2', 'postgres', 'proxy'])
  assert.deepEqual(Object.keys(volumes), ['postgres', 'caddy'])
  assert.deepEqual(Object.keys(networks), ['internal'])
  const proxy = readFileSync('deploy/container/Caddyfile', 'utf8')
  assert.match(proxy, /reverse_proxy node-1:8080 node-2:8080/)
})

test(
  'docker-compose accepts the files',
  { skip: hasProgram('docker-compose') ? false : 'docker-compose is not installed' },
  () => {
    const env = { ...process.env, POSTGRES_PASSWORD: 'secret' }
    const options = { env, encoding: 'utf8' } as const
    const config = spawnSync('docker-compose', ['--file', FILE, 'config'], options)
    assert.equal(config.status, 0, config.stderr)
    const resolved = parse(config.stdout) as { readonly services: object }
    assert.deepEqual(Object.keys(resolved.services), Object.keys(services).toSorted())
    const single = ['--file', SINGLE_FILE, 'config', '--services']
    const one = spawnSync('docker-compose', single, options)
    assert.deepEqual(one.stdout.trim().split('\n').toSorted(), ['node', 'proxy'], one.stderr)
    const { POSTGRES_PASSWORD: _, ...without } = env
    const refused = spawnSync('docker-compose', ['--file', FILE, 'config'], { env: without })
    assert.match(refused.stderr.toString(), /set POSTGRES_PASSWORD/)
  },
)
