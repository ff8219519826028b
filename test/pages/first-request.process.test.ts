import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { plainSamples, type SampleLanguage } from '../../src/pages/reference/request-samples.ts'
import { outcomeOf } from '../support/run-program.ts'
import { succeeded } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** How each sample is run from its file, with what its own library needs and nothing else. */
const RUNS: {
  readonly [language in SampleLanguage]?: readonly [file: string, ...command: string[]]
} = {
  curl: ['sample.sh', 'sh'],
  javascript: ['sample.mjs', process.execPath],
  python: ['sample.py', 'python3'],
  go: ['main.go', 'go', 'run'],
}

const isMissing = (program: string): boolean =>
  spawnSync(program, [program === 'go' ? 'version' : '--version']).error !== undefined

const samplesOf = (origin: string) =>
  plainSamples({
    row: ENDPOINTS.status,
    url: origin + READ_PATHS.status,
    body: undefined,
    needsKey: false,
  })

for (const { language } of samplesOf('')) {
  const [file = '', program = '', ...args] = RUNS[language] ?? []
  const skip = program !== 'sh' && isMissing(program) ? `${program} is missing` : undefined
  test(`the first request in ${language} shows the data`, { skip }, async (t) => {
    const app = await runApp(t)
    const folder = temporaryFolder(t)
    const text = samplesOf(app.origin).find((each) => each.language === language)?.text ?? ''
    writeFileSync(path.join(folder, file), text)
    const env = { ...process.env, HOME: folder, GOCACHE: path.join(folder, 'cache') }
    const child = spawn(program, [...args, path.join(folder, file)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    assert.match(succeeded(await outcomeOf(child)), /operational/)
  })
}
