import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { makeDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import {
  putKey,
  revokeKey,
  rowsIn,
  startKeyed,
  stopKeyed,
  writeHashSecrets,
} from '../support/keyed-service.ts'
import { outcomeOf } from '../support/received-response.ts'
import { TEST_HASH_SECRET } from '../support/stored-keys.ts'

const DAY_MS = 86_400_000
const OLDEST = 'hash-secret-from-before-the-one-before'
const OLD = 'hash-secret-from-before-the-rotation'
const NEW = 'hash-secret-from-after-the-rotation-'
const STATUS = '/api/v1/status'
const changed = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')

async function secretIdOf(file: string, key: string): Promise<string | undefined> {
  const rows = await rowsIn(file)
  return rows.find(({ keyId }) => keyId === sliceKeyId(key))?.secretId
}

test('a rotation with overlap: rehashes a used key, which outlives the old secret', async (t) => {
  const deployment = makeDeployment(t)
  writeHashSecrets(deployment, OLD)
  const before = await startKeyed(t, { deployment })
  const { file } = before
  const [used, usedToo, unused, wronged, revoked] = [
    await putKey(file, { hashSecret: OLD }),
    await putKey(file, { hashSecret: OLD }),
    await putKey(file, { hashSecret: OLD }),
    await putKey(file, { hashSecret: OLD }),
    await putKey(file, { hashSecret: OLD }),
  ]
  const expired = await putKey(file, { hashSecret: OLD, ttlDays: 1, nowMs: Date.now() - DAY_MS })
  await revokeKey(file, revoked)
  for (const key of [used, usedToo, unused]) assert.equal(await before.withKey(key), '200')
  const oldId = await secretIdOf(file, used)
  await stopKeyed(before)

  writeHashSecrets(deployment, NEW, [OLD])
  const overlap = await startKeyed(t, { deployment })
  const made = await putKey(file, { hashSecret: NEW })
  const newId = await secretIdOf(file, made)
  assert.notEqual(newId, oldId)
  const atFirst = await rowsIn(file)
  // None of these proves the key, so none of them may change its row.
  for (const key of [used, usedToo, unused, wronged]) {
    assert.equal(await overlap.withKey(changed(key)), '401 KEY_INVALID')
    assert.equal(await overlap.withKey(key.slice(0, 21) + made.slice(21)), '401 KEY_INVALID')
  }
  assert.equal(await overlap.withKey(revoked), '401 KEY_INVALID')
  assert.equal(await overlap.withKey(expired), '401 KEY_EXPIRED')
  assert.deepEqual(await rowsIn(file), atFirst)

  assert.equal(await overlap.withKey(used), '200')
  assert.equal(
    outcomeOf(await overlap.send('GET', STATUS, [`Authorization: Bearer ${usedToo}`])),
    '200',
  )
  assert.equal(await overlap.withKey(made), '200')
  await eventually('both are rehashed', async () =>
    (await secretIdOf(file, used)) === newId && (await secretIdOf(file, usedToo)) === newId
      ? true
      : undefined,
  )
  const rows = await rowsIn(file)
  for (const [at, row] of rows.entries()) {
    const old = atFirst[at]
    assert.ok(old)
    const isUsed = [used, usedToo].some((key) => sliceKeyId(key) === row.keyId)
    const { keyHash, secretId, ...facts } = row
    const { keyHash: oldHash, secretId: oldSecretId, ...oldFacts } = old
    assert.deepEqual(facts, oldFacts, 'nothing but the hash changes')
    assert.equal(!Buffer.from(keyHash).equals(oldHash), isUsed)
    assert.equal(secretId !== oldSecretId, isUsed)
  }
  assert.equal(await overlap.withKey(used), '200', 'under the new hash too')
  await stopKeyed(overlap)

  writeHashSecrets(deployment, NEW)
  const after = await startKeyed(t, { deployment })
  for (const key of [used, usedToo, made]) assert.equal(await after.withKey(key), '200')
  for (const key of [unused, wronged, revoked, expired]) {
    assert.equal(await after.withKey(key), '401 KEY_INVALID')
  }
  assert.deepEqual(await rowsIn(file), rows)
  await stopKeyed(after)

  // The overlap was too short for this one; with the old secret back it is as good as ever.
  writeHashSecrets(deployment, NEW, [OLD])
  const again = await startKeyed(t, { deployment })
  assert.equal(await again.withKey(unused), '200')
  await eventually('it is rehashed', async () =>
    (await secretIdOf(file, unused)) === newId ? true : undefined,
  )
  assert.equal(await again.withKey(revoked), '401 KEY_INVALID')
  await stopKeyed(again)
})

test("a stop right after a key's first use in a rotation waits until it is rehashed", async (t) => {
  const deployment = makeDeployment(t)
  writeHashSecrets(deployment, NEW, [OLD])
  const running = await startKeyed(t, { deployment })
  const key = await putKey(running.file, { hashSecret: OLD })
  const made = await putKey(running.file, { hashSecret: NEW })
  assert.equal(await running.withKey(key), '200')
  const ending = await running.service.stop()
  assert.equal(await secretIdOf(running.file, key), await secretIdOf(running.file, made))
  assert.deepEqual(ending, { code: 0, signal: null })
  assert.equal(running.service.stderr(), '')
})

test('a rotation by variables, over two secrets and several workers, with many concurrent uses of one key', async (t) => {
  const deployment = makeDeployment(t)
  writeHashSecrets(deployment, TEST_HASH_SECRET)
  const first = await startKeyed(t, { deployment })
  const { file } = first
  const keys = [
    await putKey(file, { hashSecret: OLDEST }),
    await putKey(file, { hashSecret: OLD }),
    await putKey(file, { hashSecret: NEW }),
  ]
  const stranger = await putKey(file, { hashSecret: TEST_HASH_SECRET })
  assert.equal(await first.withKey(stranger), '200')
  for (const key of keys) assert.equal(await first.withKey(key), '401 KEY_INVALID')
  await stopKeyed(first)
  const running = await startKeyed(t, {
    deployment,
    env: {
      SVC_WORKERS: '2',
      SVC_API_KEY_HASH_SECRET: NEW,
      SVC_API_KEY_HASH_SECRET_PREVIOUS: ` ${OLD}\n${OLDEST} `,
    },
  })
  const newId = await secretIdOf(file, keys[2] ?? '')
  for (const key of keys) {
    const responses = await Promise.all(Array.from({ length: 20 }, () => running.withKey(key)))
    assert.deepEqual(new Set(responses), new Set(['200']))
    await eventually('it is rehashed', async () =>
      (await secretIdOf(file, key)) === newId ? true : undefined,
    )
    assert.equal(await running.withKey(key), '200')
  }
  assert.equal(
    await running.withKey(stranger),
    '401 KEY_INVALID',
    'a file is no more when a variable is there',
  )
  assert.ok(
    running.service.lines().every(({ level }) => level === 'info'),
    running.service.stdout(),
  )
})
