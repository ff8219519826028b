import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { test } from 'node:test'
import { hasProgram } from '../caches/cache-process.ts'
import { outcomeOf, SVC } from '../support/run-program.ts'
import { PROXIES, startBehind } from './behind-proxy.ts'

function httpVersionOf(port: number, ca: string): Promise<string | undefined> {
  const session = connectHttp2(`https://localhost:${port}`, { ca: readFileSync(ca) })
  return new Promise((resolve, reject) => {
    session.once('error', reject)
    session.once('connect', () => {
      resolve(session.alpnProtocol)
      session.close()
    })
  })
}

for (const proxy of PROXIES) {
  const missing = hasProgram(proxy.program) ? undefined : `${proxy.program} is not installed`
  test(`svc doctor finds nothing behind ${proxy.program}`, { skip: missing }, async (t) => {
    const { https, http, keyId, ca } = await startBehind(t, proxy)
    const args = ['doctor', `https://localhost:${https}`, '--pin', keyId, '--json']
    const child = spawn(process.execPath, [SVC, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
    })
    const { status, out, error } = await outcomeOf(child)
    assert.notEqual(out, '', error)
    const { errors, warnings } = JSON.parse(out) as {
      readonly errors: number
      readonly warnings: number
    }
    assert.deepEqual({ errors, warnings }, { errors: 0, warnings: 0 }, out + error)
    assert.equal(status, 0, error)

    assert.equal(await httpVersionOf(https, ca), 'h2')
    const redirect = await fetch(`http://localhost:${http}/en?a=1`, { redirect: 'manual' })
    assert.equal(redirect.status, 308)
    const location = new URL(redirect.headers.get('location') ?? '')
    assert.equal(`${location.protocol}${location.pathname}${location.search}`, 'https:/en?a=1')
  })
}

test('the TLS configuration of nginx has every cache directive of docs/caches', () => {
  const directivesOf = (file: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^(?:proxy_|gzip|map|default off)/.test(line))
  const full = new Set(directivesOf('deploy/nginx/public-api.conf'))
  const missing = directivesOf('docs/caches/nginx.conf').filter((line) => !full.has(line))
  assert.deepEqual(missing, [
    // The first proxy replaces what a client sent.
    'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  ])
})
