import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeCache, startCacheRig } from './cache-behavior.ts'
import { askCache, mergedResponse } from './cache-reader.ts'
import { startVarnish, varnishMissing } from './start-varnish.ts'

describe('behind Varnish', () => describeCache(startVarnish, { skip: varnishMissing }))

test(
  'without the rules for 304, a browser’s cache would store a signature of other bytes',
  { skip: varnishMissing },
  async (t) => {
    const rig = await startCacheRig(t, (own, port, clock) =>
      startVarnish(own, port, clock, {
        'sub vcl_deliver {': 'sub vcl_deliver { return (deliver);',
      }),
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
