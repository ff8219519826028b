import { chmodSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { cacheMissing, createCacheStarter } from './cache-starter.ts'

/** Starts Squid with the documented configuration, whose clock is the simulated one. */
export const startSquid = createCacheStarter({
  program: 'squid',
  documented: 'docs/caches/squid.conf',
  edits: ({ port, servicePort }) => ({
    'parent 8080': `parent ${servicePort}`,
    'http_port 8081': `http_port 127.0.0.1:${port}`,
  }),
  configure(documented, { folder, clock }) {
    // Squid that is started as root works as another user, who must reach the clock and the folder.
    if (userInfo().uid === 0) {
      chmodSync(path.dirname(clock.env['FAKETIME_TIMESTAMP_FILE'] ?? ''), 0o755)
      chmodSync(folder, 0o777)
    }
    return [
      `pid_filename ${folder}/pid`,
      `coredump_dir ${folder}`,
      `cache_log ${folder}/cache.log`,
      'shutdown_lifetime 0 seconds',
      'icon_directory /usr/share/squid/icons',
      'netdb_filename none',
      documented,
    ].join('\n')
  },
  args: ({ file }) => ['-N', '-d', '1', '-f', file],
})

/** Why Squid cannot run with a simulated clock; undefined where it can. */
export const squidMissing: string | undefined = cacheMissing('squid')
