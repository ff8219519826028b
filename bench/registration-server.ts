import { ConfigError } from '../src/config-mistake.ts'
import { inspectConfig } from '../src/config.ts'
import { openSecrets } from '../src/local-secrets.ts'
import { openLog } from '../src/logger.ts'
import { startServer } from '../src/process/server.ts'
import { openReleaseStore } from '../src/releases/release-store.ts'
import { SYSTEM_CLOCK } from '../src/service/clock.ts'
import { loadReleases } from '../src/service/releases/releases.ts'
import { createMemoryCounters } from '../src/storage/counters/memory-counters.ts'

// The service with limits that no client reaches, which no configuration allows: everything is the product's own, put
// together by its own startServer, but for the counters. These count as the product's do, against a bound that is out of
// reach.

const GRACE_MS = 1000

const { config, mistakes } = inspectConfig(process.env, process.cwd())
if (mistakes.length > 0) throw new ConfigError(mistakes)
const counters = createMemoryCounters({ clock: SYSTEM_CLOCK })
const { secrets } = await openSecrets(config, Date.now())
const server = await startServer({
  config,
  graceMs: GRACE_MS,
  releases: loadReleases(openReleaseStore(config.releasesDir)),
  secrets,
  localCounters: {
    ...counters,
    count: (windows) => counters.count(windows.map((window) => ({ ...window, requests: 1e9 }))),
  },
  log: openLog(config),
  metrics: undefined,
})
process.once('SIGTERM', () => {
  void server.close().then(() => process.exit())
})
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}` })}\n`)
