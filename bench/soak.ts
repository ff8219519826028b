import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '@public-api/cli-kit/command'
import { runScript } from '../scripts/script-main.ts'
import { withDatabase } from '../src/cli/database.ts'
import { startMixedTraffic } from '../test/support/mixed-traffic.ts'
import { issueInto } from '../test/support/stored-keys.ts'
import { copyContent, publishSummary } from './history-fixture.ts'
import { startService } from './processes.ts'
import { formatTable, medianOf, showProgress, twoDigits, whole, type Table } from './report.ts'
import { openWorkspace } from './workspace.ts'

const HELP = `Usage: npm run soak -- [options]

Runs mixed traffic against the service for a while and watches memory and unexpected
responses: reads, keyed reads and registrations, and a published version every minute.

  --minutes <n>   how long, 1 to 1440 (default: 30)
  --help          show this text

Exit code: 0 no unexpected response and no growth, 1 otherwise, 2 wrong usage.
`

const MAX_GROWTH_MEGABYTES = 10

/** Growth of the median memory after the first quarter, in which compilation and caches settle. */
function growthOf(megabytes: readonly number[]): number {
  const settled = megabytes.slice(Math.floor(megabytes.length / 4))
  const tenth = Math.max(1, Math.floor(settled.length / 10))
  return medianOf(settled.slice(-tenth)) - medianOf(settled.slice(0, tenth))
}

/** Runs the traffic and publishes a version every minute. */
async function soak(minutes: number) {
  const workspace = openWorkspace()
  const releasesDir = path.join(workspace.folder, 'releases')
  cpSync(workspace.releasesDir, releasesDir, { recursive: true })
  const contentDir = copyContent(workspace)
  const service = await startService(workspace, {
    SVC_RELEASES_DIR: releasesDir,
    SVC_CHALLENGE: 'test',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
  })
  const secretFile = path.join(workspace.folder, 'secrets', 'key-hash-secret.txt')
  const hashSecret = readFileSync(secretFile, 'utf8').trim()
  const file = path.join(workspace.folder, 'data', 'service.sqlite')
  const { key } = await withDatabase({ kind: 'sqlite', file }, 'read-write', ({ apiKeys }) =>
    issueInto(apiKeys, { hashSecret }),
  )
  const traffic = startMixedTraffic(service.port, key)
  const megabytes: number[] = []
  const startedMs = performance.now()
  const elapsedMinutes = () => (performance.now() - startedMs) / 60_000
  let published = 0
  while (elapsedMinutes() < minutes) {
    await sleep(5000)
    if (elapsedMinutes() >= published + 0.5) {
      published += 1
      await publishSummary(workspace, contentDir, releasesDir, `Soak version ${published}.`)
    }
    const resident = service.residentMegabytes()
    megabytes.push(resident)
    showProgress(`${elapsedMinutes().toFixed(1)} of ${minutes} min, ${resident.toFixed(0)} MB`)
  }
  await traffic.stop()
  await service.end()
  return { megabytes, tally: traffic.takeTally(), published, growth: growthOf(megabytes) }
}

await runScript(import.meta, {
  help: HELP,
  options: { minutes: { type: 'string', default: '30' } },
  async run({ values }) {
    const minutes = /^\d{1,4}$/.test(values.minutes) ? Number(values.minutes) : 0
    if (minutes < 1 || minutes > 1440) {
      throw new UsageError('--minutes: expected a whole number from 1 to 1440')
    }
    const { megabytes, tally, published, growth } = await soak(minutes)
    const table: Table = {
      title: `${minutes} minutes of mixed traffic`,
      heading: 'what|value',
      rows: [
        ...Object.entries(tally).map(([name, count]) => [name, whole(count)]),
        ['versions published meanwhile', whole(published)],
        ['highest resident memory, MB', whole(Math.max(...megabytes))],
        ['growth after the first quarter, MB', twoDigits(growth)],
      ],
    }
    showProgress('')
    process.stdout.write(`${formatTable(table)}\n`)
    const { failedReads, keyedUnavailable, unavailable, limited } = tally
    const failures = failedReads + keyedUnavailable + unavailable + limited
    return failures > 0 || growth > MAX_GROWTH_MEGABYTES ? 1 : 0
  },
})
