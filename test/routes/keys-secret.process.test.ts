import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import { formsOfKey, GOOD_KEY_REQUEST, KEYS, runKeyedApp, SELF } from '../support/keyed-app.ts'
import { ask, envelopeOf, type ReceivedResponse } from '../support/received-response.ts'

/** All that a folder's files hold. Another process reads them, so that no lock of this one's database is dropped. */
function readFolder(folder: string): string {
  const files = readdirSync(folder).map((name) => path.join(folder, name))
  return execFileSync('cat', files, { maxBuffer: 2 ** 28 }).toString('latin1')
}

function wordsOf(response: ReceivedResponse): string {
  const headers = ['etag', 'link', 'x-svc-signature', 'content-digest', 'x-request-id', 'location']
  return `${response.bytes.toString('latin1')} ${headers.map((name) => response.header(name)).join(' ')}`
}

test("a key's secret is in the response that issues it and nowhere else", async (t) => {
  let isFailing = false
  const failing = <Value>(call: () => Promise<Value>): Promise<Value> =>
    isFailing ? Promise.reject(new StorageError('IO', 'service.sqlite')) : call()
  const app = await runKeyedApp(t, {
    store: (store) => ({
      ...store,
      find: (keyId) => failing(() => store.find(keyId)),
      revoke: (keyId, nowMs) => failing(() => store.revoke(keyId, nowMs)),
      add: (key, maxActive) => failing(() => store.add(key, maxActive)),
    }),
    parts: {
      extraHandlers: {
        time() {
          throw new Error('so that something is logged')
        },
      },
    },
  })
  const issued: string[] = []
  const others: string[] = []
  for (const label of ['one', 'two', 'three']) {
    const response = await app.post({ ...GOOD_KEY_REQUEST, label })
    assert.equal(response.status, 201)
    const key = String(envelopeOf(response).data['key'])
    assert.equal(response.bytes.toString().split(key).length, 2, 'once in its own response')
    assert.ok(!wordsOf(response).replace(key, '').includes(key.slice(21)))
    issued.push(key)
  }
  const wrong = issued.map((key) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A'))
  for (const key of [...issued, ...wrong]) {
    for (const headers of [
      { 'X-SVC-Key': key },
      { Authorization: `Bearer ${key}` },
      { Authorization: `Bearer ${key}`, 'X-SVC-Key': 'another' },
      { Authorization: `Basic ${btoa(`key:${key}`)}` },
      { 'If-None-Match': `"${key}"`, 'X-SVC-Key': key },
    ] as readonly { readonly [name: string]: string }[]) {
      for (const target of [SELF, '/api/v1/status', `/api/v1/time?key=${key}`, `/api/v1/${key}`]) {
        others.push(wordsOf(await ask(app, target, { headers })))
      }
    }
    others.push(wordsOf(await app.post({ ...GOOD_KEY_REQUEST, label: key })))
    others.push(wordsOf(await app.post({ ...GOOD_KEY_REQUEST, [key]: key })))
    others.push(wordsOf(await app.post({ challengeToken: key })))
    others.push(wordsOf(await app.post(`{"key":"${key}"`)))
    isFailing = true
    for (const method of ['GET', 'DELETE']) {
      const headers = { 'X-SVC-Key': key }
      others.push(wordsOf(await ask(app, SELF, { method, headers })))
    }
    others.push(wordsOf(await app.post({ ...GOOD_KEY_REQUEST })))
    isFailing = false
    others.push(wordsOf(await ask(app, `/${key}`)))
    others.push(wordsOf(await ask(app, KEYS, { method: 'PATCH', body: key })))
  }
  const [first = '', second = ''] = issued
  // A row that is revoked, and one that is removed, leave nothing behind either.
  others.push(wordsOf(await ask(app, SELF, { method: 'DELETE', headers: { 'X-SVC-Key': first } })))
  app.clock.ms += 91 * 86_400_000
  others.push(wordsOf(await ask(app, SELF, { headers: { 'X-SVC-Key': second } })))

  const folder = path.dirname(app.file)
  const log = inspect(app.log, { depth: null, maxStringLength: null, maxArrayLength: null })
  const places = { files: readFolder(folder), log, responses: others.join('\n') }
  await app.store.purge(app.clock.ms, 1000)
  const afterPurge = readFolder(folder)
  assert.ok(
    readdirSync(folder).some((name) => name.endsWith('-wal')),
    'the log of the database too',
  )
  assert.ok(app.log.length > 0)
  for (const key of issued) {
    assert.ok(places.files.includes(sliceKeyId(key)), 'the database has the id')
    for (const [form, text] of Object.entries(formsOfKey(key))) {
      for (const [place, held] of Object.entries({ ...places, afterPurge })) {
        assert.ok(!held.includes(text), `${place}: ${form} of a key`)
      }
    }
  }
})
