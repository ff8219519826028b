import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { formatKeyRecordJson, formatKeyRecordText } from '@public-api/cli/src/pinning/key-record.ts'
import { derivePublicSigningKey } from '../../../src/crypto/signing-keys.ts'
import { SYSTEM_CLOCK } from '../../../src/service/clock.ts'
import { serve } from '../../support/loopback-server.ts'
import { failedWith, succeeded, svc } from '../../support/run-svc.ts'
import { runApp, TEST_NOW_MS } from '../../support/running-app.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from '../../vectors/signing-key.ts'
import { useDnsServer, type Zone } from './dns-server.ts'

const KEY = derivePublicSigningKey(TEST_SIGNING_KEY).keyId
const OTHER = derivePublicSigningKey(OTHER_TEST_SIGNING_KEY).keyId
const NAME = '_public-api-key.api.example.org'
const FROM_DNS = ['--pin-from', 'dns:api.example.org']
const AT = ['--at', new Date(TEST_NOW_MS).toISOString()]

const recordOf = (...ids: readonly [string, string?]) => {
  const [kid, next] = ids
  return formatKeyRecordText(next === undefined ? { kid } : { kid, next })
}

const serveJson = async (t: TestContext, text: string) =>
  `${await serve(t, (_, response) => response.end(text))}/keys.json`

test('svc verify trusts the keys of a DNS record, and no other', async (t) => {
  const { origin } = await runApp(t)
  const zone: Zone = { records: { [NAME]: [recordOf(KEY)] }, isValidated: true }
  await useDnsServer(t, zone)
  const verify = () => svc('verify', `${origin}/api/v1/status`, ...FROM_DNS, ...AT)
  const trusted = await verify()
  assert.deepEqual([trusted.status, trusted.error], [0, ''])

  zone.records = { [NAME]: [recordOf(OTHER, KEY)] }
  assert.equal((await verify()).status, 0, 'the announced key is trusted too')

  zone.records = { [NAME]: [recordOf(OTHER)] }
  assert.equal((await verify()).status, 1)

  zone.records = {}
  const missing = failedWith(3, await verify())
  assert.match(missing, /expected a TXT record that begins with v=svc1, found none/)

  zone.records = { [NAME]: [recordOf(KEY)] }
  zone.isValidated = false
  const warned = await verify()
  assert.equal(warned.status, 0)
  assert.match(warned.error, /^warning: the DNS answer for .* was not authenticated by DNSSEC/)
})

test('svc verify trusts the keys of a file on another site', async (t) => {
  const { origin, port } = await runApp(t)
  const host = `127.0.0.1:${port}`
  const verify = (source: string) =>
    svc('verify', `${origin}/api/v1/status`, '--pin-from', source, ...AT)
  assert.equal(
    (await verify(await serveJson(t, formatKeyRecordJson({ kid: KEY }, host)))).status,
    0,
  )
  assert.equal(
    (await verify(await serveJson(t, formatKeyRecordJson({ kid: OTHER }, host)))).status,
    1,
  )
  const foreign = formatKeyRecordJson({ kid: KEY }, 'other.example.org')
  assert.equal((await verify(await serveJson(t, foreign))).status, 3)
})

test('svc audit remembers the source in its state file', async (t) => {
  const { origin } = await runApp(t, { clock: SYSTEM_CLOCK })
  const zone: Zone = { records: { [NAME]: [recordOf(KEY)] }, isValidated: true }
  await useDnsServer(t, zone)
  const state = path.join(temporaryFolder(t), 'state.json')
  const audit = (...options: readonly string[]) =>
    svc('audit', origin, '--state', state, ...options)
  succeeded(await audit(...FROM_DNS))
  assert.equal(
    (JSON.parse(readFileSync(state, 'utf8')) as { pinFrom: string }).pinFrom,
    FROM_DNS[1],
  )
  assert.equal((await audit()).status, 0)

  zone.records = { [NAME]: [recordOf(OTHER)] }
  assert.equal((await audit()).status, 1, 'the remembered source names another key')
  assert.equal((await audit('--pin', KEY)).status, 0, '--pin replaces it for one run')
  zone.records = {}
  assert.equal((await audit()).status, 3)
})

test('--pin and --pin-from exclude each other, and a saved response has no --pin-from', async (t) => {
  const { origin } = await runApp(t)
  const both = failedWith(
    2,
    await svc('verify', `${origin}/api/v1/status`, '--pin', KEY, ...FROM_DNS),
  )
  assert.match(both, /expected either --pin or --pin-from/)
  failedWith(2, await svc('verify', '/api/v1/status', '--headers', 'h', '--keys', 'k', ...FROM_DNS))
  failedWith(2, await svc('doctor', origin, '--pin-from', 'dns:127.0.0.1'))
})
