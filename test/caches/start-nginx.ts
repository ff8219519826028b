import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { StartedCache } from './cache-behavior.ts'
import { configuredFrom, freePort, hasProgram, startCacheProcess } from './cache-process.ts'
import { simulatedClockMissing, type SimulatedClock } from './simulated-clock.ts'

const DOCUMENTED = new URL('../../docs/caches/nginx.conf', import.meta.url)

/** Starts nginx with the documented configuration, whose clock is the simulated one. */
export const startNginx = async (
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
      // If the master is root, its workers run as another user, who cannot read the folder.
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

/** Why nginx cannot run with a simulated clock; undefined where it can. */
export const nginxMissing: string | undefined = hasProgram('nginx')
  ? simulatedClockMissing
  : 'nginx is not installed'
