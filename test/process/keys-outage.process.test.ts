import assert from 'node:assert/strict'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { SELF } from '../support/keyed-app.ts'
import {
  becomes,
  livingPids,
  putKey,
  startKeyed,
  stopKeyed,
  type KeyedService,
} from '../support/keyed-service.ts'
import { outcomeOf } from '../support/received-response.ts'

const STATUS = '/api/v1/status'
const keyLine = (key: string) => [`X-SVC-Key: ${key}`]

/** Requests with a key are refused; anonymous ones are not affected. */
async function assertDown(running: KeyedService, key: string): Promise<void> {
  for (const target of [SELF, STATUS, '/api/v1/versions/none']) {
    const raw = await running.send('GET', target, keyLine(key))
    assert.equal(outcomeOf(raw), '503 KEYS_UNAVAILABLE', target)
    assert.match(raw.body, /"retryable":true/)
    assert.match(raw.headers.get('x-svc-signature') ?? '', /^[A-Za-z0-9+/]{86}==$/)
  }
  assert.equal(outcomeOf(await running.send('DELETE', SELF, keyLine(key))), '503 KEYS_UNAVAILABLE')
  assert.equal(outcomeOf(await running.send('GET', STATUS)), '200')
  assert.equal(outcomeOf(await running.send('GET', SELF)), '401 KEY_REQUIRED')
}

/** A reader of keys looks ten times a second, when it is asked, whether its files are in their place still. */
const NOTICED_AFTER_MS = 250

const SUFFIXES = ['', '-wal', '-shm'] as const

for (const workers of ['1', '2'] as const) {
  test(`with ${workers} serving, a moved or overwritten database is an outage that ends without a restart`, async (t) => {
    const running = await startKeyed(t, { env: { SVC_WORKERS: workers } })
    if (workers !== '1') await livingPids(running, Number(workers))
    const { file } = running
    const key = await putKey(file)
    for (let each = 0; each < 4; each += 1) assert.equal(await running.withKey(key), '200')
    const aside = (suffix: string) => path.join(running.folder, `aside${suffix}`)
    const there = SUFFIXES.filter((suffix) =>
      readdirSync(running.dataDir).includes(`service.sqlite${suffix}`),
    )
    for (const suffix of there) renameSync(file + suffix, aside(suffix))
    await sleep(NOTICED_AFTER_MS)
    await assertDown(running, key)
    for (const suffix of there) renameSync(aside(suffix), file + suffix)
    for (let each = 0; each < 4; each += 1) await becomes(running, key, '200')

    const good = path.join(running.folder, 'good.sqlite')
    const source = new DatabaseSync(file, { timeout: 5000 })
    source.prepare('VACUUM INTO ?').run(good)
    source.close()
    const other = path.join(running.folder, 'other')
    writeFileSync(other, 'These are notes and not a database. '.repeat(500))
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
    renameSync(other, file)
    await sleep(NOTICED_AFTER_MS)
    await assertDown(running, key)
    renameSync(good, file)
    for (let each = 0; each < 4; each += 1) await becomes(running, key, '200')
    await eventually('it is revoked', async () =>
      (await running.send('DELETE', SELF, keyLine(key))).status === 200 ? true : undefined,
    )
    await becomes(running, key, '401 KEY_INVALID')
    assert.equal(running.service.stderr(), '')
    await stopKeyed(running)
  })
}

test('a service that starts while another program locks its database refuses keys until the lock ends', async (t) => {
  const first = await startKeyed(t)
  const key = await putKey(first.file)
  await stopKeyed(first)
  using holder = new DatabaseSync(first.file)
  holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  const running = await startKeyed(t, { deployment: first })
  assert.equal(await running.withKey(key), '503 KEYS_UNAVAILABLE')
  assert.equal(outcomeOf(await running.send('GET', STATUS)), '200')
  holder.close()
  await becomes(running, key, '200')
  await stopKeyed(running)
})
