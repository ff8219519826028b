import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { freePort, startCacheProcess } from '../caches/cache-process.ts'
import type { StartCache } from '../caches/cache-starter.ts'
import { createSimulatedClock } from '../caches/simulated-clock.ts'
import { nginxMissing, startNginx } from '../caches/start-nginx.ts'
import { startVarnish, varnishMissing } from '../caches/start-varnish.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import * as foreign from './foreign-programs.ts'

/**
 * Cases of the suite on which the responses of this service depend. It sends no other directives, no field Expires and no
 * Age, so that the rest says how the caches are, not how they are configured here.
 */
const RELIED_ON = [
  // A fresh response is reused, and `max-age=0` and `no-store` are never.
  'freshness-max-age',
  'freshness-max-age-0',
  'cc-resp-no-store',
  'cc-resp-no-store-fresh',
  'cc-resp-no-cache',
  'cc-resp-private-shared',
  ...[200, 301, 302, 308, 404, 410, 500, 503].map((status) => `status-${status}-stale`),
  // `Vary: Accept-Encoding`, `Accept`, `Accept-Signature` and `X-SVC-Key`.
  'vary-match',
  'vary-no-match',
  'vary-omit',
  'vary-omit-stored',
  'vary-2-match',
  'vary-2-no-match',
  'vary-2-match-omit',
  'vary-3-match',
  'vary-3-no-match',
  'vary-3-order',
  'vary-star',
  // A query is part of the target that is signed, and a response to a key holder is for no one else.
  'query-args-different',
  'other-authorization',
]

/** The results of the suite for a cache in front of its own origin: true, or what went wrong, by the name of the case. */
async function runSuite(
  t: TestContext,
  start: StartCache,
): Promise<Readonly<Record<string, unknown>>> {
  const folder = foreign.foreignFile('http-cache-tests')
  const port = await freePort()
  const settings = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => [
        [`npm_config_${name}`, value],
        [`npm_package_config_${name}`, value],
      ]),
    )
  const origin = {
    protocol: 'http',
    port: `${port}`,
    pidfile: path.join(temporaryFolder(t), 'pid'),
  }
  const command = 'cd "$1" && exec "$0" server/server.mjs'
  const args = ['-c', command, process.execPath, folder]
  await startCacheProcess(t, port, 'sh', args, settings(origin))
  const cache = await start(t, port, createSimulatedClock(t, Date.now()))
  const { code, stdout, stderr } = await foreign.runForeign(
    process.execPath,
    ['--no-warnings', 'cli.mjs'],
    {
      cwd: folder,
      env: { ...process.env, ...settings({ base: `http://127.0.0.1:${cache.port}`, id: '' }) },
    },
  )
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
}

for (const [name, start, missing] of [
  ['nginx', startNginx, nginxMissing],
  ['Varnish', startVarnish, varnishMissing],
] as const) {
  const skip = foreign.skip === false ? missing : foreign.skip
  test(
    `${name}, as documented, follows HTTP where this service relies on it`,
    { skip },
    async (t) => {
      foreign.reportPackage(t, 'http-cache-tests')
      const results = await runSuite(t, start)
      const passed = Object.values(results).filter((result) => result === true).length
      t.diagnostic(`${passed} of ${Object.keys(results).length} cases of the suite pass`)
      const failed = RELIED_ON.filter((id) => results[id] !== true)
      assert.deepEqual(
        failed.map((id) => [id, results[id]]),
        [],
      )
    },
  )
}
