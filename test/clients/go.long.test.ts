import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import {
  GO_CLIENT,
  makeGoWorkspace,
  missingProgram,
  openGoFolder,
  PYTHON,
  runCommand,
} from '../docs/verifiers.ts'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { succeeded } from '../support/run-svc.ts'
import { runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MODULE =
  /^module (.*)$/m.exec(readFileSync(path.join(GO_CLIENT, 'go.mod'), 'utf8'))?.[1] ?? ''
/** Packs a folder below another one, with the names that Go expects. */
const ZIP = `
import pathlib, sys, zipfile
target, root, name = sys.argv[1:]
with zipfile.ZipFile(target, "w") as packed:
    for file in sorted(pathlib.Path(root, name).rglob("*")):
        if file.is_file():
            packed.write(file, file.relative_to(root))
`
const skip = missingProgram('go') ?? false
const go = openGoFolder()
after(() => go.close())

void test('the Go client passes gofmt, go vet and its own tests', { skip }, async () => {
  const formatted = await runCommand('gofmt', ['-l', '.'], go.env, GO_CLIENT)
  assert.deepEqual([formatted.status, formatted.out], [0, ''], formatted.error)
  succeeded(await go.run(['vet', './...']))
  assert.match(succeeded(await go.run(['test', '-count=1', './...'])), /^ok\s+\S+\/clients\/go\s/m)
})

/** Where .ci/run unpacks it. The client's own Go may be older and counts such witnesses as absent. */
const { GO_1_27 } = process.env
void test(
  'the vectors of the log with ML-DSA-44, checked by Go 1.27',
  { skip: GO_1_27 === undefined && 'GO_1_27 does not name a Go 1.27' },
  async () => {
    const env = { ...go.env, GOROOT: GO_1_27 }
    const command = path.join(GO_1_27 ?? '', 'bin/go')
    const args = ['test', '-count=1', '-v', '-run', '^TestLogVectors$', '.']
    assert.match(succeeded(await runCommand(command, args, env, GO_CLIENT)), /^ok /m)
  },
)

void test('the snippet of the README runs', { skip }, async (t) => {
  const app = await runApp(t, { clock: { nowMs: Date.now } })
  const blocks = documentedBlocks('clients/go/README.md', 'Read')
  const statement = blocks.find(({ text }) => text.startsWith('import '))?.text ?? ''
  const snippet = (blocks.find(({ text }) => text.startsWith('client'))?.text ?? '')
    .replace('https://api.example.org', app.origin)
    .replace(/kPrK_\w{38}/, derivePublicSigningKey(TEST_SIGNING_KEY).keyId)
    .replaceAll(/^(\w+, err := .*\n(?:\t.*\n|\}\)\n)*)/gm, '$1if err != nil {\npanic(err)\n}\n')
  const { folder, env } = makeGoWorkspace(t)
  writeFileSync(
    path.join(folder, 'program', 'main.go'),
    `package main\n\nimport (\n"context"\n"fmt"\n)\n\n${statement}\nfunc main() {\n${snippet}}\n`,
  )
  const { status, out, error } = await runCommand('go', ['run', './program'], env, folder)
  assert.deepEqual([status, out], [0, 'operational\n'], error)
})

void test('the command of the README runs in an empty folder', { skip }, async (t) => {
  const app = await runApp(t, { clock: { nowMs: Date.now } })
  const [block] = documentedBlocks('clients/go/README.md', 'publicapi')
  const command = block?.text.trimEnd() ?? ''
  const folder = temporaryFolder(t)
  // What a proxy of modules serves for a release.
  const served = path.join(folder, 'proxy', MODULE, '@v')
  const version = 'v0.1.0'
  mkdirSync(served, { recursive: true })
  writeFileSync(path.join(served, 'list'), `${version}\n`)
  writeFileSync(path.join(served, `${version}.info`), JSON.stringify({ Version: version }))
  copyFileSync(path.join(GO_CLIENT, 'go.mod'), path.join(served, `${version}.mod`))
  const copy = path.join(folder, `${MODULE}@${version}`)
  cpSync(GO_CLIENT, copy, { recursive: true })
  const zip = ['-c', ZIP, path.join(served, `${version}.zip`), folder, `${MODULE}@${version}`]
  assert.equal((await runCommand(PYTHON, zip)).status, 0)
  const empty = path.join(folder, 'empty')
  mkdirSync(empty)
  const [, ...args] = command
    .replace('https://api.example.org', app.origin)
    .replace(/kPrK_\w{38}/, derivePublicSigningKey(TEST_SIGNING_KEY).keyId)
    .split(' ')
  const env = {
    ...go.env,
    GOFLAGS: '-modcacherw',
    GONOSUMDB: '*',
    GOPROXY: `file://${path.join(folder, 'proxy')}`,
  }
  const { status, out, error } = await runCommand('go', args, env, empty)
  assert.equal(status, 0, error)
  assert.match(out, /^\{"ok":true,/)
  assert.match(error, /^Verified: GET \/api\/v1\/status, status 200, /m)
})
