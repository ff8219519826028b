import assert from 'node:assert/strict'
import { rmSync, renameSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { liveDependencies } from '../cli/verifying/live-app.ts'
import { key } from '../client/scripted-client.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { folderWithLog, forkOfLog } from '../support/logged-releases.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { serveFolder } from '../support/static-host.ts'

const browser = useBrowser()

test(
  'a copy beside the proof, or the service, of another history with the same key says that they contradict each other',
  { skip: browserMissing },
  async (t) => {
    const { folder } = await folderWithLog(t)
    const other = await forkOfLog(t, folder, 3)
    const { origin } = await runApp(t, {
      ...liveDependencies(),
      releases: loadReleases(openReleaseStore(other)),
    })
    const writeCopy = async (name: string, releases: string, ...more: readonly string[]) => {
      const args = ['site', name, '--releases', releases, '--pin', key.keyId, ...more]
      succeeded(await svcIn(folder, args, { env: { SVC_BASE_URL: origin } }))
    }
    await writeCopy('copy', 'releases')
    await writeCopy('others-copy', other, '--now', origin)
    const copy = path.join(folder, 'copy')
    const host = await serveFolder(t, () => copy)

    for (const has of ['no proof', 'the proof of the other']) {
      const proof = path.join(copy, 'now.json')
      if (has === 'no proof') rmSync(proof, { force: true })
      else renameSync(path.join(folder, 'others-copy', 'now.json'), proof)
      for (const locale of LOCALES) {
        for (const below of ['', 'status', 'history/VS-0003']) {
          const { page } = await browser.openPage(t, { viewport: { width: 360, height: 740 } })
          await page.goto(`${host}/${locale}/${below}`)
          const [before = '-', after = '-'] =
            TEXTS[locale].site.staticCopy.contradicts.split('{version}')
          const said = page.locator('#copy [role="status"]').filter({ hasText: before.trim() })
          await said.waitFor()
          const text = await said.innerText()
          assert.ok(text.includes(`VS-0003${after}`), `${has}, ${locale}/${below}: ${text}`)
          assert.equal(await page.locator('#copy').getAttribute('data-state'), 'failed')
          // The state is that of the service, and not a newer one of the copy.
          const { ofService } = TEXTS[locale].status.live.result
          if (below === 'status') await page.getByText(ofService).waitFor()
          await page.context().close()
        }
      }
    }
  },
)
