import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { apiKeyIdOf } from '@public-api/contract/keys/api-key'
import { makeDeployment } from '../support/deployment.ts'
import { putKey } from '../support/keyed-service.ts'
import { databaseFileOf, say } from '../support/registering-service.ts'
import { succeeded } from '../support/run-svc.ts'
import { startService } from '../support/service-process.ts'
import {
  keys,
  LONG_AGO_MS,
  makeKeysDeployment,
  ONE_OF_EACH,
  readKeys,
  storedKey,
} from './keys/keys-fixture.ts'

async function revokedAt(database: string, keyId: string): Promise<number | null | undefined> {
  return (await readKeys(database)).find((key) => key.keyId === keyId)?.revokedAtMs
}

test('revokes a key and reports which one and when', async (t) => {
  const { folder, database } = await makeKeysDeployment(t, ONE_OF_EACH)
  const startMs = Date.now()
  const { status, out, error } = await keys(folder, ['revoke', '0000000000000001'])
  assert.deepEqual([status, error], [0, ''])
  const moment =
    /^Revoked the key 0000000000000001 \(key 1\) in \S+service\.sqlite at (\S+Z); its next request is refused\.\n$/.exec(
      out,
    )?.[1] ?? ''
  const revokedAtMs = Date.parse(moment)
  assert.ok(revokedAtMs >= startMs && revokedAtMs <= Date.now(), out)
  assert.equal(await revokedAt(database, '0000000000000001'), revokedAtMs)

  const again = succeeded(await keys(folder, ['revoke', '0000000000000001', '--json']))
  assert.deepEqual(JSON.parse(again), {
    ok: true,
    keyId: '0000000000000001',
    label: 'key 1',
    status: 'revoked',
    revokedAt: moment,
    wasRevoked: true,
  })
  assert.equal(await revokedAt(database, '0000000000000001'), revokedAtMs)
})

test('an already revoked key is unchanged', async (t) => {
  const { folder, database } = await makeKeysDeployment(t, ONE_OF_EACH)
  assert.deepEqual(await keys(folder, ['revoke', '0000000000000003']), {
    status: 0,
    out: `The key 0000000000000003 (key 3) in ${database} has been revoked since 2020-01-31T12:30:15.250Z; nothing was changed.\n`,
    error: '',
  })
  assert.equal(await revokedAt(database, '0000000000000003'), LONG_AGO_MS)
})

test('reads the id from standard input, with white space and capitals', async (t) => {
  const { folder, database } = await makeKeysDeployment(t, [
    storedKey(1, { keyId: '0123456789abcdef' }),
  ])
  const out = succeeded(
    await keys(folder, ['revoke', '--json'], {
      input: '\n 0123456789ABCDEF \n',
    }),
  )
  assert.match(out, /"keyId":"0123456789abcdef".*"wasRevoked":false/)
  assert.ok(Number(await revokedAt(database, '0123456789abcdef')) > LONG_AGO_MS)
  const two = await keys(folder, ['revoke', '-'], { input: '0123456789abcdef\n0123456789abcdee\n' })
  assert.equal(two.status, 2)
  assert.match(two.error, /expected one key ID on standard input/)
})

test('an unknown key: exit code 1, and the name of the database', async (t) => {
  const { folder, database } = await makeKeysDeployment(t, ONE_OF_EACH)
  const { status, out, error } = await keys(folder, ['revoke', 'ffffffffffffffff', '--json'])
  assert.equal(status, 1)
  assert.equal(error, `error: no key ffffffffffffffff in ${database}\n`)
  assert.deepEqual(JSON.parse(out), {
    ok: false,
    code: 'UNKNOWN_KEY',
    message: `no key ffffffffffffffff in ${database}`,
  })
  assert.deepEqual(await readKeys(database), ONE_OF_EACH)
})

test('every process of a running service refuses the key from its next request on, and no other', async (t) => {
  const deployment = makeDeployment(t)
  const { folder } = deployment
  const service = startService(t, folder, { SVC_WORKERS: '2' })
  const { port } = await service.serving()
  const secretFile = path.join(deployment.secretsDir, 'key-hash-secret.txt')
  const hashSecret = readFileSync(secretFile, 'utf8').trim()
  const database = databaseFileOf(deployment)
  const leaked = await putKey(database, { label: 'leaked', hashSecret })
  const other = await putKey(database, { label: 'other', hashSecret })
  /** Asks over several connections, which both workers take up. */
  const ask = async (key: string) => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () =>
        say(port, { target: '/api/v1/keys/self', headers: { Authorization: `Bearer ${key}` } }),
      ),
    )
    return [...new Set(responses.map(({ status, code }) => code ?? status))]
  }
  assert.deepEqual([await ask(leaked), await ask(other)], [[200], [200]])

  const listed = await keys(folder, ['list'])
  assert.deepEqual(
    [listed.status, listed.error],
    [0, `2 keys in ${database}: 2 active, 0 expired, 0 revoked.\n`],
  )
  for (const key of [leaked, other]) {
    assert.ok(listed.out.includes(apiKeyIdOf(key) ?? 'no id'))
    assert.ok(!listed.out.includes(key.slice(21)))
  }

  succeeded(await keys(folder, ['revoke', apiKeyIdOf(leaked) ?? '']))
  assert.deepEqual([await ask(leaked), await ask(other)], [['KEY_INVALID'], [200]])

  // Purged as well, it is refused as before.
  assert.match((await keys(folder, ['purge-expired', '--older-than', '0'])).out, /^Deleted 1 key /)
  assert.deepEqual([await ask(leaked), await ask(other)], [['KEY_INVALID'], [200]])
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
})
