import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeCache, startCacheRig } from './cache-behaviour.ts'
import { nginxMissing, startNginx } from './start-nginx.ts'

describe('behind nginx', () => describeCache(startNginx, { skip: nginxMissing }))

test(
  'with proxy_cache_revalidate on the proof is lost, and clients refuse what nginx renewed',
  { skip: nginxMissing },
  async (t) => {
    const rig = await startCacheRig(t, (...started) =>
      startNginx(...started, {
        'proxy_cache_revalidate off': 'proxy_cache_revalidate on',
        // Otherwise nginx sends the client's, and never its own.
        'proxy_set_header If-None-Match $http_if_none_match;': '',
      }),
    )
    const target = '/api/v1/status'
    assert.equal(typeof (await rig.judge(await rig.ask(target))), 'object')
    await rig.pass(890)
    assert.equal(typeof (await rig.judge(await rig.ask(target))), 'object')
    await rig.pass(890)
    const renewed = await rig.ask(target)
    assert.equal(rig.service.seen.at(-1)?.status, 304)
    assert.equal(renewed.status, 200)
    assert.equal(await rig.judge(renewed), 'STALE')
  },
)
