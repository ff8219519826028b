import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { key } from '../client/scripted-client.ts'
import { svc } from '../support/run-svc.ts'
import { OTHER_TEST_SIGNING_KEY } from '../vectors/signing-key.ts'
import { describeCache, startCacheRig } from './cache-behavior.ts'
import { nginxMissing, startNginx } from './start-nginx.ts'

describe('behind nginx', () => describeCache(startNginx, { skip: nginxMissing }))

test(
  'after a rotation, svc verify --fresh proves the new key while nginx has responses of the old one',
  { skip: nginxMissing },
  async (t) => {
    const rig = await startCacheRig(t, startNginx)
    const url = `http://127.0.0.1:${rig.port}/api/v1/status`
    const { keyId } = derivePublicSigningKey(OTHER_TEST_SIGNING_KEY)
    const verify = async (...options: readonly string[]) => {
      const at = new Date(rig.clock.nowMs()).toISOString()
      const { status, out } = await svc('verify', url, '--at', at, '--json', ...options)
      return [
        status,
        (JSON.parse(out) as { readonly fault?: { readonly code: string } }).fault?.code,
      ]
    }
    assert.deepEqual(await verify('--pin', key.keyId), [0, undefined])
    await rig.service.rotate(OTHER_TEST_SIGNING_KEY)
    // The key document is read again past nginx, and no key of it signed the stored response.
    assert.deepEqual(await verify('--pin', keyId), [1, 'SIGNATURE'])
    assert.deepEqual(await verify('--fresh', '--pin', keyId), [0, undefined])
    assert.deepEqual(await verify('--fresh', '--pin', key.keyId), [1, 'UNKNOWN_KEY'])
  },
)

test(
  'with proxy_cache_revalidate on the proof is lost, and clients refuse what nginx renewed',
  { skip: nginxMissing },
  async (t) => {
    const rig = await startCacheRig(t, (own, port, clock) =>
      startNginx(own, port, clock, {
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
