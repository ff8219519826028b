import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { key } from '../client/scripted-client.ts'
import { RETIRED_ON, rotatedSigning } from '../support/rotated-signing.ts'
import { svc } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { liveDependencies } from './verifying/live-app.ts'

const PIN = ['--pin', key.keyId]
const ADVICE = new RegExp(
  `he service says that the pinned key ${key.keyId} was retired on ${RETIRED_ON} and the current one is [\\w-]{43}: check it against another source, such as \`svc verify --pin-from\``,
)

test('the commands that take a pin say when its key was retired', async (t) => {
  const { origin } = await runApp(t, { ...liveDependencies(), signing: rotatedSigning() })
  for (const args of [
    ['verify', origin + READ_PATHS.status],
    ['audit', origin],
    ['watch', origin],
  ]) {
    const { status, error } = await svc(...args, ...PIN)
    assert.equal(status, 1)
    assert.match(error, /UNKNOWN_KEY/)
    assert.match(error, ADVICE)
  }
  const { out } = await svc('verify', origin + READ_PATHS.status, ...PIN, '--json')
  const { fault } = JSON.parse(out) as { readonly fault: { readonly retiredPin: string } }
  assert.match(fault.retiredPin, ADVICE)
})
