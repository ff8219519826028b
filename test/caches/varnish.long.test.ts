import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { describeCache, startCacheRig, type StartedCache } from './cache-behavior.ts'
import { configuredFrom, freePort, hasProgram, startCacheProcess } from './cache-process.ts'
import { askCache, mergedResponse } from './cache-reader.ts'
import { simulatedClockMissing, type SimulatedClock } from './simulated-clock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const DOCUMENTED = new URL('../../docs/caches/default.vcl', import.meta.url)

const startVarnish = async (
  t: TestContext,
  servicePort: number,
  clock: SimulatedClock,
  edits: { readonly [documented: string]: string } = {},
): Promise<StartedCache> => {
  const folder = temporaryFolder(t)
  const port = await freePort()
  const file = path.join(folder, 'default.vcl')
  const vcl = configuredFrom(readFileSync(DOCUMENTED, 'utf8'), {
    '"8080"': `"${servicePort}"`,
    ...edits,
  })
  writeFileSync(file, vcl)
  const args = ['-F', '-n', path.join(folder, 'work'), '-a', `127.0.0.1:${port}`, '-f', file]
  const small = ['-s', 'malloc,32m', '-j', 'none', '-p', 'thread_pools=1']
  await startCacheProcess(t, port, 'varnishd', [...args, ...small], clock.env)
  return { port }
}

const missing = hasProgram('varnishd') ? simulatedClockMissing : 'varnishd is not installed'

describe('behind Varnish', () => describeCache(startVarnish, { skip: missing }))

test(
  'without the rules for its own 304 a browser’s cache would end up with a signature of other bytes',
  { skip: missing },
  async (t) => {
    const rig = await startCacheRig(t, (...started) =>
      startVarnish(...started, { 'sub vcl_deliver {': 'sub vcl_deliver { return (deliver);' }),
    )
    const target = '/api/v1/status'
    // What a browser got before Varnish was there, or from another Varnish beside this one.
    const held = await askCache(rig.service.port, target)
    await rig.ask(target)
    const headers = { 'If-None-Match': held.header('etag') ?? '' }
    const notModified = await rig.ask(target, { headers })
    assert.equal(notModified.status, 304)
    assert.equal(await rig.judge(mergedResponse(held, notModified)), 'DIGEST')
  },
)
