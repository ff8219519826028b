import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LIMITS, SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/terms/limits'

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
}

const architecture = read('ARCHITECTURE.md')
const operating = read('docs/operating.md')
const security = read('SECURITY.md')

void test('figures in prose match the tables', () => {
  const { registrationPerActor, registrationGlobal, maxBodyBytes, maxActiveKeys } = LIMITS
  assert.equal(registrationPerActor.windowSeconds, 60)
  assert.equal(registrationGlobal.windowSeconds, 60)
  assert.ok(
    security.includes(
      `${registrationPerActor.requests} a minute per actor, ${registrationGlobal.requests} a minute in total`,
    ),
  )
  assert.ok(security.includes(`verifiers refuse more than ${SIGNATURE_MAX_AGE_SECONDS} s`))
  assert.ok(architecture.includes(`more than ${maxBodyBytes} bytes`))
  assert.ok(
    operating.includes(`No more than ${maxActiveKeys.toLocaleString('en')} keys are active`),
  )

  const listener = read('src/http/connection/listener.ts')
  const seconds = (name: string) =>
    Number(new RegExp(`${name} = ([\\d_]+)`).exec(listener)?.[1]?.replaceAll('_', '')) / 1000
  assert.ok(
    security.includes(
      `${seconds('HEADERS_TIMEOUT_MS')} s for headers, ${seconds('REQUEST_TIMEOUT_MS')} s for a request`,
    ),
  )
  assert.ok(operating.includes(`stay open for ${seconds('KEEP_ALIVE_TIMEOUT_MS')} s`))
})

void test('SECURITY.md names every dependency that runs, and the Node version in use', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  const [, section = ''] = security.split('## Dependencies at run time')
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'))
  const names = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]
    .filter((name) => !name.startsWith('node-') && !name.startsWith('@public-api/'))
    // Several packages of one project are listed under its name.
    .map((name) => /^@([\w-]+)\//.exec(name)?.[1] ?? name)
  const words = new Set(section.match(/[\w-]+/g))
  assert.deepEqual(
    names.filter((name) => !words.has(name)),
    [],
  )

  assert.ok(nodes.length > 0)
  for (const [, version] of nodes)
    assert.ok(read('README.md').includes(`npm brings the Node ${version.split('.')[0] ?? ''} `))
})
