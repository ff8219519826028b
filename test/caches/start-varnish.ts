import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { StartedCache } from './cache-behavior.ts'
import { configuredFrom, freePort, hasProgram, startCacheProcess } from './cache-process.ts'
import { simulatedClockMissing, type SimulatedClock } from './simulated-clock.ts'

const DOCUMENTED = new URL('../../docs/caches/default.vcl', import.meta.url)

/** Starts Varnish with the documented configuration, whose clock is the simulated one. */
export const startVarnish = async (
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

/** Why Varnish cannot run with a simulated clock; undefined where it can. */
export const varnishMissing: string | undefined = hasProgram('varnishd')
  ? simulatedClockMissing
  : 'varnishd is not installed'
