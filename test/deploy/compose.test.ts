import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { inspectConfig } from '../../src/config.ts'

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly read_only?: boolean
  readonly user?: string
}

const FILE = 'deploy/container/compose.yaml'
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
    assert.deepEqual(Object.keys(needed), ['postgres', 'valkey'])
    const url = environment['SVC_DATABASE_URL']?.replace(/\$\{[^}]*\}/, 'secret') ?? ''
    const { mistakes } = inspectConfig({ ...environment, SVC_DATABASE_URL: url }, '/')
    assert.deepEqual(mistakes, [])
  }
})

test('the parts that services name exist', () => {
  assert.deepEqual(Object.keys(services).toSorted(), [
    'node-1',
    'node-2',
    'postgres',
    'proxy',
    'valkey',
  ])
  assert.deepEqual(Object.keys(volumes), ['postgres', 'caddy'])
  assert.deepEqual(Object.keys(networks), ['internal'])
  const proxy = readFileSync('deploy/container/Caddyfile', 'utf8')
  assert.match(proxy, /reverse_proxy node-1:8080 node-2:8080/)
})
