import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { GO_CLIENT, missingProgram, openGoFolder, runCommand } from '../docs/verifiers.ts'
import { runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skip = missingProgram('go') ?? false
const go = openGoFolder()
after(() => go.close())

void test('the Go client passes gofmt, go vet and its own tests', { skip }, async () => {
  const formatted = await runCommand('gofmt', ['-l', '.'], go.env, GO_CLIENT)
  assert.deepEqual([formatted.status, formatted.out], [0, ''], formatted.error)
  const vetted = await runCommand('go', ['vet', './...'], go.env, GO_CLIENT)
  assert.equal(vetted.status, 0, vetted.error)
  const tested = await runCommand('go', ['test', '-count=1', './...'], go.env, GO_CLIENT)
  assert.equal(tested.status, 0, tested.out)
  assert.match(tested.out, /^ok\s+publicapi\s/m)
})

void test('the snippet of the README runs', { skip }, async (t) => {
  const app = await runApp(t, { clock: { nowMs: Date.now } })
  const readme = readFileSync(path.join(GO_CLIENT, 'README.md'), 'utf8')
  const snippet = (/^```go\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? '')
    .replace('https://api.example.org', app.origin)
    .replace(/kPrK_\w{38}/, derivePublicSigningKey(TEST_SIGNING_KEY).keyId)
    .replaceAll(/^(\w+, err := .*\n(?:\t.*\n|\}\)\n)*)/gm, '$1if err != nil {\npanic(err)\n}\n')
  const folder = temporaryFolder(t)
  mkdirSync(path.join(folder, 'program'))
  writeFileSync(path.join(folder, 'go.work'), 'go 1.19\n\nuse (\n\t./program\n\t./client\n)\n')
  symlinkSync(GO_CLIENT, path.join(folder, 'client'))
  writeFileSync(path.join(folder, 'program', 'go.mod'), 'module program\n\ngo 1.19\n')
  writeFileSync(
    path.join(folder, 'program', 'main.go'),
    `package main\n\nimport (\n"context"\n"fmt"\n\n"publicapi"\n)\n\nfunc main() {\n${snippet}}\n`,
  )
  const { GOFLAGS: _, ...env } = go.env
  const { status, out, error } = await runCommand('go', ['run', './program'], env, folder)
  assert.deepEqual([status, out], [0, 'operational\n'], error)
})
