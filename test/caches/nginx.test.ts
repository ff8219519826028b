import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { describeCache, startCacheRig, type StartedCache } from './cache-behaviour.ts'
import { configuredFrom, freePort, hasProgram, startCacheProcess } from './cache-process.ts'
import { simulatedClockMissing, type SimulatedClock } from './simulated-clock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const DOCUMENTED = new URL('../../docs/caches/nginx.conf', import.meta.url)

const startNginx = async (
  t: TestContext,
  servicePort: number,
  clock: SimulatedClock,
  edits: { readonly [documented: string]: string } = {},
): Promise<StartedCache> => {
  const folder = temporaryFolder(t)
  const port = await freePort()
  const documented = configuredFrom(readFileSync(DOCUMENTED, 'utf8'), {
    '/var/cache/nginx/public-api': path.join(folder, 'cache'),
    '127.0.0.1:8080': `127.0.0.1:${servicePort}`,
    'listen 8081': `listen 127.0.0.1:${port}`,
    ...edits,
  })
  const ways = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(
    file,
    [
      'daemon off;',
      `pid ${path.join(folder, 'pid')};`,
      'error_log stderr warn;',
      // The workers of a master that is root would be somebody else, to whom the folder is closed.
      ...(userInfo().uid === 0 ? ['user root root;'] : []),
      // nginx gives its workers no other variable of the environment.
      ...Object.keys(clock.env).map((name) => `env ${name};`),
      'events {}',
      'http {',
      'access_log off;',
      ...ways.map((way) => `${way}_temp_path ${path.join(folder, way)};`),
      documented,
      '}',
    ].join('\n'),
  )
  await startCacheProcess(t, port, 'nginx', ['-p', folder, '-e', 'stderr', '-c', file], clock.env)
  return { port }
}

const missing = hasProgram('nginx') ? simulatedClockMissing : 'nginx is not installed'

describe('behind nginx', () => describeCache(startNginx, { skip: missing }))

test(
  'with proxy_cache_revalidate on the proof is lost, and clients refuse what nginx renewed',
  { skip: missing },
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
    assert.equal(await rig.judge(renewed), 'REVALIDATION_MISSING')
  },
)
