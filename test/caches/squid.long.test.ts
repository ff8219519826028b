import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { describe, type TestContext } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { describeCache, type StartedCache } from './cache-behavior.ts'
import { configuredFrom, freePort, hasProgram, startCacheProcess } from './cache-process.ts'
import { simulatedClockMissing, type SimulatedClock } from './simulated-clock.ts'

const DOCUMENTED = new URL('../../docs/caches/squid.conf', import.meta.url)

const startSquid = async (
  t: TestContext,
  servicePort: number,
  clock: SimulatedClock,
): Promise<StartedCache> => {
  const folder = temporaryFolder(t)
  const port = await freePort()
  if (userInfo().uid === 0) {
    const clockFile = clock.env['FAKETIME_TIMESTAMP_FILE'] ?? ''
    chmodSync(path.dirname(clockFile), 0o755)
    chmodSync(folder, 0o777)
  }
  const documented = configuredFrom(readFileSync(DOCUMENTED, 'utf8'), {
    'parent 8080': `parent ${servicePort}`,
    'http_port 8081': `http_port 127.0.0.1:${port}`,
  })
  const file = path.join(folder, 'squid.conf')
  const local = [
    `pid_filename ${folder}/pid`,
    `coredump_dir ${folder}`,
    `cache_log ${folder}/cache.log`,
    'shutdown_lifetime 0 seconds',
    'icon_directory /usr/share/squid/icons',
    `netdb_filename none`,
  ]
  writeFileSync(file, [...local, documented].join('\n'))
  await startCacheProcess(t, port, 'squid', ['-N', '-d', '1', '-f', file], clock.env)
  return { port }
}

const missing = hasProgram('squid') ? simulatedClockMissing : 'squid is not installed'

describe('behind Squid', () =>
  describeCache(startSquid, { skip: missing, compresses: false, servesStale: false }))
