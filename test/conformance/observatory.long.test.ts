import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { hasProgram } from '../caches/cache-process.ts'
import { PROXIES, startBehind } from '../deploy/behind-proxy.ts'
import * as foreign from './foreign-programs.ts'

// The package downloads the list of preloaded hosts after its installation. localhost is not on it.
if (foreign.skip === false) {
  writeFileSync(foreign.foreignFile('@mdn/mdn-http-observatory', 'conf', 'hsts-preload.json'), '{}')
}

const OBSERVATORY = '@mdn/mdn-http-observatory'

interface Scan {
  readonly scan: { readonly grade: string; readonly score: number; readonly testsFailed: number }
  readonly tests: { readonly [name: string]: { readonly pass: boolean; readonly result: string } }
}

for (const proxy of PROXIES) {
  const missing = hasProgram(proxy.program) ? foreign.skip : `${proxy.program} is not installed`
  test(`the HTTP Observatory gives A+ behind ${proxy.program}`, { skip: missing }, async (t) => {
    foreign.reportPackage(t, OBSERVATORY)
    const { http, https, ca } = await startBehind(t, proxy)
    const scanner = foreign.foreignFile(OBSERVATORY, 'src', 'scanner', 'index.js')
    const args = ['test/conformance/observatory.mjs', scanner, String(http), String(https)]
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca }
    const { code, stdout, stderr } = await foreign.runForeign(process.execPath, args, { env })
    assert.equal(code, 0, stderr)
    const { scan, tests } = JSON.parse(stdout) as Scan
    const failed = Object.entries(tests).filter(([, { pass }]) => !pass)
    t.diagnostic(`${scan.grade}, ${scan.score} points`)
    assert.deepEqual(failed, [])
    assert.equal(scan.grade, 'A+')
  })
}
