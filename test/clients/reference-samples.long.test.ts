import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import {
  requestSamples,
  type SampleLanguage,
  TOKEN_PLACEHOLDER,
} from '../../src/pages/reference/request-samples.ts'
import { TEST_TOKEN } from '../../src/service/challenge/challenge.ts'
import {
  GO_CLIENT,
  missingProgram,
  missingPython,
  openGoFolder,
  PYTHON,
  PYTHON_ENV,
  runCommand,
  type Ending,
} from '../docs/verifiers.ts'
import { installClient } from '../support/installed-client.ts'
import { runKeyedApp, type KeyedApp } from '../support/keyed-app.ts'
import { TEST_SIGNING_KEY } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// The samples of the reference as a reader copies them, against a running service.

const ROWS: Registry = ENDPOINTS
const keyId = derivePublicSigningKey(TEST_SIGNING_KEY).keyId

/** How the sample of an endpoint ends: its output, and the code of the error if it is refused. */
function requireEnding(name: string, { status, out, error }: Ending, data: RegExp): void {
  if (name === 'preview') {
    assert.match(out + error, /PREVIEW_NOT_ENABLED/, name)
  } else if (name === 'register') {
    // This service has no waitlist.
    assert.match(out + error, /REGISTRATION_UNAVAILABLE/, name)
  } else {
    assert.equal(status, 0, `${name}: ${out}${error}`)
    assert.match(out, data, name)
  }
}

/** Runs the sample of every endpoint that has one in a language. */
async function runSamples(
  t: TestContext,
  language: SampleLanguage,
  run: (name: string, text: string, env: NodeJS.ProcessEnv) => Promise<Ending>,
  data: RegExp,
): Promise<readonly string[]> {
  const app: KeyedApp = await runKeyedApp(t, { parts: { clock: { nowMs: () => Date.now() } } })
  const names: string[] = []
  for (const [name, row] of Object.entries(ROWS)) {
    const sample = requestSamples(name, row, { origin: app.origin, keyId, commands: 'svc' }).find(
      (each) => each.language === language,
    )
    if (sample === undefined) continue
    names.push(name)
    const env = { API_KEY: await app.makeKey({ nowMs: Date.now() }) }
    requireEnding(
      name,
      await run(name, sample.text.replace(TOKEN_PLACEHOLDER, TEST_TOKEN), env),
      data,
    )
  }
  return names
}

const ALL = Object.keys(ROWS)
const READS = Object.entries(ROWS).flatMap(([name, { method }]) => (method === 'GET' ? name : []))

test('curl', { skip: missingProgram('curl') ?? false }, async (t) => {
  const names = await runSamples(
    t,
    'curl',
    (_name, text, env) => runCommand('sh', ['-c', text], { ...process.env, ...env }),
    /^HTTP\/1\.1 20[01] /,
  )
  assert.deepEqual(names, ALL)
})

test('JavaScript, with the package', async (t) => {
  const { consumer } = await installClient(temporaryFolder(t))
  const names = await runSamples(
    t,
    'javascript',
    (name, text, env) => {
      const file = path.join(consumer, `${name}.js`)
      writeFileSync(file, text)
      return runCommand(process.execPath, [file], { ...process.env, ...env }, consumer)
    },
    /\{/,
  )
  assert.deepEqual(names, ALL)
})

test('Python', { skip: missingPython() ?? false }, async (t) => {
  const names = await runSamples(
    t,
    'python',
    (_name, text, env) => runCommand(PYTHON, ['-c', text], { ...PYTHON_ENV, ...env }),
    /\{/,
  )
  assert.deepEqual(names, READS)
})

test('Go', { skip: missingProgram('go') ?? false }, async (t) => {
  const go = openGoFolder()
  t.after(() => go.close())
  const folder = temporaryFolder(t)
  mkdirSync(path.join(folder, 'program'))
  writeFileSync(path.join(folder, 'go.work'), 'go 1.19\n\nuse (\n\t./program\n\t./client\n)\n')
  symlinkSync(GO_CLIENT, path.join(folder, 'client'))
  writeFileSync(path.join(folder, 'program', 'go.mod'), 'module program\n\ngo 1.19\n')
  const { GOFLAGS: _, ...goEnv } = go.env
  const names = await runSamples(
    t,
    'go',
    async (name, text, env) => {
      const place = path.join(folder, 'program', name)
      mkdirSync(place)
      writeFileSync(path.join(place, 'main.go'), `${text}\n`)
      const formatted = await runCommand('gofmt', ['-l', place], goEnv, folder)
      assert.deepEqual([formatted.status, formatted.out], [0, ''], name)
      return runCommand('go', ['run', `./program/${name}`], { ...goEnv, ...env }, folder)
    },
    /\{/,
  )
  assert.deepEqual(names, READS)
})

test('svc', async (t) => {
  const svc = `svc() { '${process.execPath}' '${path.resolve('src/cli/svc.ts')}' "$@"; }\n`
  const names = await runSamples(
    t,
    'svc',
    (_name, text, env) => runCommand('sh', ['-c', svc + text], { ...process.env, ...env }),
    /Verified: signed by/,
  )
  assert.deepEqual(
    names,
    READS.filter((name) => name !== 'keySelf'),
  )
})
