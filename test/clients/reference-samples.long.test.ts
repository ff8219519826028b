import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
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
  makeGoWorkspace,
  missingProgram,
  missingPython,
  runCommand,
  runPython,
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
  // Python's own library shows the status of a refusal and not its body.
  if (name === 'preview') {
    assert.match(out + error, /PREVIEW_NOT_ENABLED|HTTP Error 403/, name)
  } else if (name === 'register') {
    // This service has no waitlist.
    assert.match(out + error, /REGISTRATION_UNAVAILABLE|HTTP Error 503/, name)
  } else {
    assert.equal(status, 0, `${name}: ${out}${error}`)
    assert.match(out, data, name)
  }
}

type Run = (name: string, text: string, env: NodeJS.ProcessEnv) => Promise<Ending>

/**
 * Runs the sample of every endpoint that has one in a language. Before the packages are published, samples use the language's own library.
 */
async function runSamples(
  t: TestContext,
  language: SampleLanguage,
  run: Run,
  data: RegExp,
  isPublished = true,
): Promise<readonly string[]> {
  const app: KeyedApp = await runKeyedApp(t, { parts: { clock: { nowMs: () => Date.now() } } })
  const names: string[] = []
  for (const [name, row] of Object.entries(ROWS)) {
    const sample = requestSamples(name, row, {
      origin: app.origin,
      keyId,
      commands: isPublished ? 'svc' : undefined,
    }).find((each) => each.language === language)
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

const inShell: Run = (_name, text, env) =>
  runCommand('sh', ['-c', text], { ...process.env, ...env })

const inPython: Run = (_name, text, env) => runPython(['-c', text], env)

const ALL = Object.keys(ROWS)
const READS = Object.entries(ROWS).flatMap(([name, { method }]) => (method === 'GET' ? name : []))

test('curl', { skip: missingProgram('curl') ?? false }, async (t) => {
  const names = await runSamples(t, 'curl', inShell, /^HTTP\/1\.1 20[01] /)
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
  const names = await runSamples(t, 'python', inPython, /\{/)
  assert.deepEqual(names, READS)
})

/** Runs a formatted Go program beside the client. */
function goRun(t: TestContext): Run {
  const { folder, env: goEnv } = makeGoWorkspace(t)
  return async (name, text, env) => {
    const place = path.join(folder, 'program', name)
    mkdirSync(place)
    writeFileSync(path.join(place, 'main.go'), `${text}\n`)
    const formatted = await runCommand('gofmt', ['-l', place], goEnv, folder)
    assert.deepEqual([formatted.status, formatted.out], [0, ''], name)
    return runCommand('go', ['run', `./program/${name}`], { ...goEnv, ...env }, folder)
  }
}

test('Go', { skip: missingProgram('go') ?? false }, async (t) => {
  assert.deepEqual(await runSamples(t, 'go', goRun(t), /\{/), READS)
})

const OWN_LIBRARIES: {
  readonly [language in SampleLanguage]?: {
    readonly missing: string | undefined
    readonly run: (t: TestContext) => Run
  }
} = {
  curl: { missing: missingProgram('curl'), run: () => inShell },
  javascript: {
    missing: undefined,
    run: (t) => {
      const folder = temporaryFolder(t)
      return (name, text, env) => {
        const file = path.join(folder, `${name}.mjs`)
        writeFileSync(file, text)
        return runCommand(process.execPath, [file], { ...process.env, ...env })
      }
    },
  },
  python: { missing: missingPython(), run: () => inPython },
  go: { missing: missingProgram('go'), run: goRun },
}

for (const [language, { missing, run }] of Object.entries(OWN_LIBRARIES)) {
  test(`${language}, with its own library`, { skip: missing ?? false }, async (t) => {
    const sent = runSamples(t, language as SampleLanguage, run(t), /\{/, false)
    assert.deepEqual(await sent, ALL)
  })
}

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
