import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { makeDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { failedStart, startService } from '../support/service-process.ts'

/** One of the pages' modules, neither the first nor the last. */
const PART = '/src/pages/layout.ts'

/** A deployment, and the environment of a service that runs a hook when it loads a module. */
function hooked(t: TestContext, onLoad: string) {
  const { folder } = makeDeployment(t)
  const file = path.join(folder, 'hook.mjs')
  writeFileSync(
    file,
    `import { appendFileSync, existsSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    const notes = ${JSON.stringify(path.join(folder, 'notes'))}
    let turn = 0
    const count = () => { turn += 1; setImmediate(count).unref() }
    registerHooks({ load(url, context, next) { ${onLoad}; return next(url, context) } })
    count()`,
  )
  const notes = path.join(folder, 'notes')
  return { folder, notes, env: { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` } }
}

/** Stops at one of the pages' modules until the test says so. */
const HELD = `if (url.endsWith('${PART}')) {
  appendFileSync(notes, '')
  while (!existsSync(notes + '.go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
}`

test('the pages are imported after the service serves, a few modules in each turn of the event loop', async (t) => {
  const { folder, notes, env } = hooked(
    t,
    // The process that reads the releases loads others.
    String.raw`if (process.argv[1].endsWith('main.ts')) appendFileSync(notes, turn + ' ' + url + '\n')`,
  )
  const service = startService(t, folder, env)
  const { origin } = await service.serving()
  assert.equal((await fetch(`${origin}/en/status`)).status, 200)
  const loads = readFileSync(notes, 'utf8').trim().split('\n')
  const urlOf = (line: string) => line.slice(line.indexOf(' ') + 1)
  const turns = Map.groupBy(loads, (line) => Number.parseInt(line, 10))
  const first = loads.findIndex((line) =>
    /\/pages\/(?!serving\/import-site|markup\/turns)/.test(line),
  )
  assert.match(urlOf(loads[first] ?? ''), /\/pages\/texts\//)
  assert.ok(!loads.slice(0, first).some((line) => /dagre|altcha-lib/.test(line)))
  const late = [...turns].filter(([turn]) => turn >= Number.parseInt(loads[first] ?? '', 10))
  assert.ok(late.length > 10, String(late.length))
  assert.ok(Math.max(...late.map(([, lines]) => lines.length)) <= 14)
})

test('a page that is asked for before its module is imported waits for it; /readyz waits too', async (t) => {
  const { folder, notes, env } = hooked(t, HELD)
  const service = startService(t, folder, { ...env, SVC_ADMIN_PORT: '0' })
  const { origin } = await service.serving()
  const { port } = await service.line('Health and metrics')
  await eventually('the import has begun', () => existsSync(notes) || undefined)
  const page = fetch(`${origin}/en/status`)
  const ready = fetch(`http://127.0.0.1:${String(port)}/readyz`)
  writeFileSync(`${notes}.go`, '')
  assert.equal((await page).status, 200)
  assert.equal((await ready).status, 200)
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
})

test('a stop while the pages are imported ends the service', async (t) => {
  const { folder, notes, env } = hooked(t, HELD)
  const service = startService(t, folder, env)
  await service.serving()
  service.signal('SIGTERM')
  writeFileSync(`${notes}.go`, '')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.equal(service.stderr(), '')
})

test('a service whose pages cannot be imported does not start', async (t) => {
  for (const workers of ['1', '2']) {
    const { folder, env } = hooked(
      t,
      `if (url.endsWith('${PART}')) throw new Error('Broken by a test')`,
    )
    const { ending, service } = await failedStart(t, folder, { ...env, SVC_WORKERS: workers })
    assert.deepEqual(ending, { code: 1, signal: null })
    assert.match(service.stderr(), /^The service could not start: /m)
    assert.match(service.stderr(), /Broken by a test/)
  }
})
