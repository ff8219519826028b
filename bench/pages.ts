import path from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { buildExample } from '../scripts/build-example.ts'
import { CHROMIUM_ARGUMENTS, findChromium, LOOPBACK_ONLY } from '../scripts/find-chromium.ts'
import { startService } from './processes.ts'
import { targetRow, medianOf, milliseconds, showProgress, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

/** Lighthouse's factor for a mid-range phone. */
const PHONE_FACTOR = 4
const TARGET = { atMost: 400 }
/** The live checks are done by then. */
const QUIET_MS = 1000
/** The first one has the tasks of all threads, the last one names the page of a thread. */
const CATEGORIES = ['disabled-by-default-devtools.timeline', 'blink.user_timing']
const PHONE = { viewport: { width: 360, height: 800 }, isMobile: true, hasTouch: true }

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args: { readonly data?: { readonly documentLoaderURL?: string } }
}

/** CPU time of the main thread for one page, in an empty cache, until all is done; as of a phone. */
async function measureLoad(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  const session = await browser.newBrowserCDPSession()
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as never[])))
  const traced = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.start', { traceConfig: { includedCategories: CATEGORIES } })
  await page.goto(url, { waitUntil: 'load' })
  await page.waitForTimeout(QUIET_MS)
  await session.send('Tracing.end')
  await traced
  await context.close()
  const main = events.find(({ args }) => args.data?.documentLoaderURL === url)
  const tasks = events.filter(
    ({ name, pid, tid }) => name === 'RunTask' && pid === main?.pid && tid === main.tid,
  )
  if (tasks.length === 0) throw new Error(`${url}: expected tasks of the main thread in the trace`)
  return (tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000) * PHONE_FACTOR
}

/** Measures every page of the sitemap of the example organization in Chromium. */
export async function measurePages(workspace: Workspace): Promise<readonly Table[]> {
  const releases = path.join(workspace.folder, 'page-releases')
  await buildExample(path.join(workspace.folder, 'page-content'), releases)
  const service = await startService(workspace, { SVC_RELEASES_DIR: releases })
  const args = [...CHROMIUM_ARGUMENTS, LOOPBACK_ONLY]
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args })
  const origin = `http://127.0.0.1:${service.port}`
  const sitemap = await (await fetch(`${origin}/sitemap.xml`)).text()
  const rows: Table['rows'][number][] = []
  for (const [, each = ''] of sitemap.matchAll(/<loc>https?:\/\/[^/]+([^<]*)/g)) {
    showProgress(`pages: ${each}`)
    const load = () => measureLoad(browser, origin + each)
    const median = medianOf([await load(), await load(), await load()])
    rows.push(targetRow(each, median, TARGET, milliseconds))
  }
  await browser.close()
  await service.end()
  return [{ title: 'Main thread of each page, mid-range phone', heading: 'page|CPU|target|', rows }]
}
