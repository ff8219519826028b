import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { passOn } from '../support/http-proxy.ts'
import { serve } from '../support/loopback-server.ts'
import { releasesOf } from '../support/made-content.ts'
import { runApp } from '../support/running-app.ts'
import { TROUBLED_STATUS } from '../support/troubled-status.ts'

const browser = useBrowser()
const WIDGET = readFileSync(
  createRequire(import.meta.url).resolve('@statuspage/status-widget/dist/index.js'),
)

test("Statuspage's own widget shows the published status", { skip: browserMissing }, async (t) => {
  const components = TROUBLED_STATUS.components.map((each) => ({ ...each, group: 'Reading' }))
  const status = { ...TROUBLED_STATUS, components }
  const { port } = await runApp(t, { releases: releasesOf({ status }) })
  const asked: string[] = []
  // The widget asks at the root of the host, as the proxy rules of deploy/ have it.
  const origin = await serve(t, (request, response) => {
    const { url = '' } = request
    if (url === '/widget.js') {
      response.setHeader('Content-Type', 'text/javascript').end(WIDGET)
    } else if (url.startsWith('/api/v2/')) {
      asked.push(url)
      passOn(request, response, port, () => {}, { target: `/statuspage${url}` })
    } else {
      response.setHeader('Content-Type', 'text/html')
      // The published script assigns to this name in strict mode without declaring it.
      response.end(`<script>var parcelRequire</script><script src="/widget.js"></script>
        <statuspage-widget src="http://${request.headers.host}"></statuspage-widget>`)
    }
  })
  const { page, errors } = await browser.openPage(t)
  await page.goto(origin)
  await page.waitForFunction(
    (text) =>
      document.querySelector('statuspage-widget')?.shadowRoot?.textContent.includes(text) === true,
    TROUBLED_STATUS.summary,
  )
  assert.deepEqual([...new Set(asked)], ['/api/v2/summary.json'])
  assert.deepEqual(
    errors.filter((error) => !error.includes('favicon')),
    [],
  )
})
