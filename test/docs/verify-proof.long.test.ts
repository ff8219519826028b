import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { describeProofVerifier } from './proof-verifier-behavior.ts'
import { goProofVerifier, missingProgram, openGoFolder, runCommand } from './verifiers.ts'

const go = openGoFolder()

after(() => go.close())

describeProofVerifier(goProofVerifier(go))

test('gofmt accepts the programs in Go', { skip: missingProgram('gofmt') }, async () => {
  const { out } = await runCommand('gofmt', ['-l', 'docs/verifying'])
  assert.equal(out, '')
})
