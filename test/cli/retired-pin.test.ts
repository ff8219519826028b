import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { key } from '../client/scripted-client.ts'
import { RETIRED_ON, rotatedSigning } from '../support/rotated-signing.ts'
import { failedWith, svc } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
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
    const error = failedWith(1, await svc(...args, ...PIN))
    assert.match(error, /UNKNOWN_KEY/)
    assert.match(error, ADVICE)
  }
  const { out } = await svc('verify', origin + READ_PATHS.status, ...PIN, '--json')
  const { fault } = JSON.parse(out) as { readonly fault: { readonly retiredPin: string } }
  assert.match(fault.retiredPin, ADVICE)
})

test('svc verify with a key file says that the file has the pinned key as retired', async (t) => {
  const { origin } = await runApp(t, { ...liveDependencies(), signing: rotatedSigning() })
  const folder = temporaryFolder(t)
  const [keys, body, head] = ['keys.json', 'body', 'head'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string]
  const read = async (target: string) => {
    const response = await fetch(origin + target)
    return [response.headers, await response.text()] as const
  }
  writeFileSync(keys, (await read(READ_PATHS.signingKey))[1])
  const [headers, text] = await read(READ_PATHS.status)
  writeFileSync(body, text)
  writeFileSync(
    head,
    `HTTP/1.1 200 OK\r\n${Array.from(headers, (field) => `${field.join(': ')}\r\n`).join('')}`,
  )
  const ofFile = new RegExp(`^T${ADVICE.source.replace('service', 'key file')}`, 'm')
  for (const more of [[], ['--headers', head, '--body', body]]) {
    const error = failedWith(
      1,
      await svc('verify', origin + READ_PATHS.status, '--keys', keys, ...more, ...PIN),
    )
    assert.match(error, ofFile)
  }
})
