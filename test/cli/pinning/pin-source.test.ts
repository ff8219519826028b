import assert from 'node:assert/strict'
import { type RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { formatKeyRecordJson, formatKeyRecordText } from '@public-api/cli/src/pinning/key-record.ts'
import {
  findKeyRecord,
  parsePinSource,
  readKeyRecord,
} from '@public-api/cli/src/pinning/pin-source.ts'
import { serve } from '../../support/loopback-server.ts'
import { useDnsServer, type Zone } from './dns-server.ts'

const HOST = 'api.example.org'
const NAME = `_public-api-key.${HOST}`
const [KID, NEXT] = ['a'.repeat(43), '-_'.repeat(21) + 'b']
const RECORD = { kid: KID, next: NEXT, log: 'api.example.org/log+23e81afd+AYqI4910CfGV' }

const read = (text = `dns:${HOST}`) => readKeyRecord(parsePinSource(text), HOST)

/** The read fails, and establishes nothing. */
async function failsWith(reading: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(
    reading,
    (error: Error & { readonly code?: string; readonly more?: object }) => {
      assert.match(error.code ?? '', /^(?:NO_KEY_RECORD|KEY_RECORD_UNREACHABLE)$/)
      assert.deepEqual(error.more, { exitCode: 3 })
      assert.match(error.message, message)
      return true
    },
  )
}

test('reads the key IDs of a validated TXT record without a warning', async (t) => {
  const text = formatKeyRecordText(RECORD)
  await useDnsServer(t, { records: { [NAME]: ['owner=someone', text] }, isValidated: true })
  assert.deepEqual(await read(), { record: RECORD, keyIds: [KID, NEXT], warning: undefined })
})

test('warns of a response that the resolver did not validate', async (t) => {
  await useDnsServer(t, { records: { [NAME]: [`v=svc1; kid=${KID}`] } })
  const { keyIds, warning } = await read()
  assert.deepEqual(keyIds, [KID])
  assert.match(warning ?? '', /was not authenticated by DNSSEC on its way from 127\.0\.0\.1:\d+/)
})

test('reads a record of several strings, and one that needs TCP', async (t) => {
  const zone: Zone = { records: { [NAME]: [['v=svc1; ', `kid=${KID}`]] }, isTruncated: true }
  await useDnsServer(t, zone)
  assert.deepEqual((await read()).keyIds, [KID])
  zone.isTruncated = false
  assert.deepEqual((await read()).keyIds, [KID])
})

test('reads each time: a record that changes is seen', async (t) => {
  const zone: Zone = { records: { [NAME]: [`v=svc1; kid=${KID}; next=${NEXT}`] } }
  await useDnsServer(t, zone)
  assert.deepEqual((await read()).keyIds, [KID, NEXT])
  zone.records = { [NAME]: [`v=svc1; kid=${NEXT}`] }
  assert.deepEqual((await read()).keyIds, [NEXT])
})

test('ignores a datagram with another ID', async (t) => {
  await useDnsServer(t, {
    records: { [NAME]: [`v=svc1; kid=${KID}`] },
    forged: `v=svc1; kid=${NEXT}`,
  })
  assert.deepEqual((await read()).keyIds, [KID])
})

test('a missing, ambiguous or malformed record establishes nothing', async (t) => {
  const zone: Zone = { records: {} }
  await useDnsServer(t, zone)
  await failsWith(
    read(),
    /^_public-api-key\.api\.example\.org: expected a TXT record that begins with v=svc1/,
  )
  const one = `v=svc1; kid=${KID}`
  for (const [records, message] of [
    [['owner=someone'], /expected a TXT record/],
    [[one, `v=svc1; kid=${NEXT}`], /expected one TXT record with v=svc1, found 2/],
    [['v=svc1'], /malformed; expected kid to be a key ID/],
    [['v=svc1; kid=short'], /malformed; expected kid/],
    [[`v=svc2; kid=${KID}`], /malformed; expected v=svc1/],
    [[`${one}; kid=${NEXT}`], /malformed; expected kid once/],
    [[`${one}; next=`], /malformed; expected next/],
    [[`${one}; log=no key`], /malformed; expected log/],
    [[`${one}; nonsense`], /malformed; expected name=value/],
  ] as const) {
    zone.records = { [NAME]: records }
    await failsWith(read(), message)
  }
  zone.errorCode = 2
  await failsWith(read(), /the DNS lookup failed \(127\.0\.0\.1:\d+: it reported the DNS error 2\)/)
})

const serveFile = async (t: TestContext, listener: RequestListener) =>
  `${await serve(t, listener)}/keys.json`

test('reads the key IDs of a JSON file of another site', async (t) => {
  const url = await serveFile(t, (_, response) => response.end(formatKeyRecordJson(RECORD, HOST)))
  assert.deepEqual(await read(url), { record: RECORD, keyIds: [KID, NEXT], warning: undefined })
})

test('a file that is missing, foreign, malformed or moved establishes nothing', async (t) => {
  let send: RequestListener = (_, response) => response.writeHead(404).end()
  const url = await serveFile(t, (request, response) => send(request, response))
  await failsWith(read(url), /expected status 200, found 404/)
  for (const [body, message] of [
    ['<html>', /expected a JSON object/],
    ['[]', /expected host to be api\.example\.org/],
    ['null', /malformed; expected a JSON object/],
    [formatKeyRecordJson(RECORD, 'other.example.org'), /expected host to be api\.example\.org/],
    [JSON.stringify({ v: 'svc1', host: HOST, kid: 5 }), /expected kid/],
    [' '.repeat(20_000), /expected at most 16384 bytes/],
  ] as const) {
    send = (_, response) => response.end(body)
    await failsWith(read(url), message)
  }
  send = (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end()
  await failsWith(read(url), /redirect/)
  send = (_, response) => response.destroy()
  await failsWith(read(url), /socket|closed|reset|hang up/i)
})

test('accepts only sources that an attacker of the path cannot replace', () => {
  assert.deepEqual(parsePinSource('dns:API.Example.org'), { kind: 'dns', host: HOST })
  assert.deepEqual(parsePinSource('https://example.org/keys.json'), {
    kind: 'web',
    url: 'https://example.org/keys.json',
  })
  for (const text of [
    'dns:',
    'dns:127.0.0.1',
    'dns:a b.org',
    'dns:localhost',
    'http://example.org/k',
    'ftp://x',
    'x',
  ]) {
    assert.throws(() => parsePinSource(text), /--pin-from expects dns:HOST/, text)
  }
})

test('svc doctor knows whether a key record is in DNS, unless DNS does not respond', async (t) => {
  const zone: Zone = { records: { [NAME]: [formatKeyRecordText(RECORD)] } }
  await useDnsServer(t, zone)
  assert.equal(await findKeyRecord(`https://${HOST}`), true)
  assert.equal(await findKeyRecord('https://other.example.org'), false)
  assert.equal(await findKeyRecord('http://127.0.0.1:8080'), undefined)
  zone.errorCode = 2
  assert.equal(await findKeyRecord(`https://${HOST}`), undefined)
})
