import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import { describeRetiredPin } from '@public-api/client-internal/retired-pin'
import { RETIRED_ON, rotatedSigning } from '../support/rotated-signing.ts'
import { runApp, TEST_NOW_MS, testSigning } from '../support/running-app.ts'
import { OTHER_TEST_SIGNING_KEY } from '../vectors/signing-key.ts'
import { verificationKeyOf } from './requested-responses.ts'
import { key } from './scripted-client.ts'

const otherKey = await verificationKeyOf(OTHER_TEST_SIGNING_KEY)

/** The error of a client whose pin the service does not sign with. */
async function errorOf(t: TestContext, signing: ReturnType<typeof testSigning>): Promise<unknown> {
  const { origin } = await runApp(t, { signing })
  const now = () => TEST_NOW_MS
  const client = createClient({ baseUrl: origin, pinnedKeyIds: [key.keyId], now })
  const error: unknown = await client.status().catch((reason: unknown) => reason)
  assert.match(String(error), /UNKNOWN_KEY/)
  return error
}

test('an outdated pin: when its key was retired, and which key signs now', async (t) => {
  assert.equal(
    await describeRetiredPin(await errorOf(t, rotatedSigning()), TEST_NOW_MS),
    `the service says that the pinned key ${key.keyId} was retired on ${RETIRED_ON} and the current one is ${otherKey.keyId}: check it against another source, such as \`svc verify --pin-from\``,
  )
})

test('on the first day: that its key is retired, though its last signatures count', async (t) => {
  for (const notAfter of [new Date(TEST_NOW_MS + 1).toISOString(), null]) {
    assert.match(
      String(await describeRetiredPin(await errorOf(t, rotatedSigning(notAfter)), TEST_NOW_MS)),
      new RegExp(
        `^the service says that the pinned key ${key.keyId} is retired and the current one is`,
      ),
    )
  }
})

test('nothing is said of a key that is not retired yet, or not listed, or of another error', async (t) => {
  const unlisted = await errorOf(t, testSigning(OTHER_TEST_SIGNING_KEY))
  assert.equal(await describeRetiredPin(unlisted, TEST_NOW_MS), undefined)
  const { signer, keys } = rotatedSigning(null)
  const isNext = keys.map(
    (each) => ({ ...each, status: each.status === 'retired' ? 'next' : each.status }) as const,
  )
  const announced = await errorOf(t, { signer, keys: isNext })
  assert.equal(await describeRetiredPin(announced, TEST_NOW_MS), undefined)
  assert.equal(await describeRetiredPin(new Error('other'), TEST_NOW_MS), undefined)
})
