import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createClient } from '@public-api/client-internal/client'
import type { Fetch } from '@public-api/client-internal/connection'
import { key } from '../client/scripted-client.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import { foreignFile, reportPackage, skip } from './foreign-programs.ts'

/** What the test uses of undici. */
interface Undici {
  readonly fetch: (url: string, init: object) => ReturnType<Fetch>
  readonly interceptors: { cache(): unknown }
  readonly Agent: new () => { compose(interceptor: unknown): { close(): Promise<void> } }
}

const MAX_AGE_SECONDS = 4

for (const name of ['undici', 'undici-7']) {
  test(
    `a client over the cache interceptor of ${name} reads again what lost its proof`,
    { skip },
    async (t) => {
      reportPackage(t, name)
      const file = pathToFileURL(foreignFile(name, 'index.js')).href
      const { default: undici } = (await import(file)) as { readonly default: Undici }
      t.mock.timers.enable({ apis: ['Date'], now: TEST_NOW_MS })
      const app = await runApp(t, { clock: { nowMs: Date.now } })
      const dispatcher = new undici.Agent().compose(undici.interceptors.cache())
      t.after(() => dispatcher.close())
      const open = (more: object) =>
        createClient({
          baseUrl: app.origin,
          pinnedKeyIds: [key.keyId],
          maxAgeSeconds: MAX_AGE_SECONDS,
          fetch: (url, { headers, ...init }) =>
            undici.fetch(url, { ...init, headers: { ...headers, ...more }, dispatcher }),
        })
      const read = async (client: ReturnType<typeof open>) => {
        const reads: string[] = []
        for (let count = 0; count < 4; count += 1) {
          const { ageSeconds, warnings } = await client.status()
          reads.push([ageSeconds, ...warnings.map((warning) => warning.split(':')[0])].join(' '))
          t.mock.timers.tick((MAX_AGE_SECONDS + 1) * 1000)
        }
        return reads
      }
      // The interceptor makes the second request conditional itself, and gives the stored response without the proof.
      assert.deepEqual(await read(open({})), ['0', '0 REFETCHED', '0', '0'])
      assert.deepEqual(await read(open({ 'Cache-Control': 'no-store' })), ['0', '0', '0', '0'])
    },
  )
}
