import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { cpuMs } from '../support/cpu-time.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'

/** Status and Location of a response to a request with this Host, which fetch does not let anyone choose. */
function ask(
  { port }: RunningApp,
  path: string,
  host: string,
  method = 'GET',
): Promise<{ readonly status: number | undefined; readonly location: string | undefined }> {
  return new Promise((resolve, reject) => {
    request(
      { port, host: '127.0.0.1', path, method, headers: { host }, agent: false },
      (response) => {
        response.resume()
        resolve({ status: response.statusCode, location: response.headers.location })
      },
    )
      .on('error', reject)
      .end()
  })
}

const baseUrl = 'http://127.0.0.1:8080'

test('another loopback name redirects to the canonical origin', async (t) => {
  const app = await runApp(t, { baseUrl })
  for (const path of ['/', '/en', '/th/early-access?from=here', '/en/history']) {
    const response = await ask(app, path, 'localhost:8080')
    assert.deepEqual(response, { status: 307, location: baseUrl + path })
  }
  assert.equal((await ask(app, '/en', '127.0.0.1:8080')).status, 200)
  // Machine-readable files are the same under each name; other paths do not redirect.
  assert.equal((await ask(app, '/api/v1/status', 'localhost:8080')).status, 200)
  assert.equal((await ask(app, '/robots.txt', 'localhost:8080')).status, 200)
  assert.equal((await ask(app, '//example.org', 'localhost:8080')).status, 404)
  assert.equal((await ask(app, '/en', 'localhost:8080', 'POST')).status, 405)
})

test('production never redirects to another host', async (t) => {
  const app = await runApp(t, { baseUrl, runtime: 'production' })
  assert.equal((await ask(app, '/en', 'localhost:8080')).status, 200)
})

test('a path of thousands of slashes is handled quickly', async (t) => {
  const app = await runApp(t)
  const slashes = '/'.repeat(15_000)
  await app.fetch('/en/none')
  const startedMs = cpuMs()
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await app.fetch(`${slashes}x`)).status, 404)
  }
  // It took 4 s when each slash restarted the search.
  assert.ok(cpuMs() - startedMs < 1000)
  assert.equal((await app.fetch(`/en${slashes}`)).headers.get('location'), '/en')
})

test('an asset of another build redirects to the current one without caching', async (t) => {
  const app = await runApp(t)
  const page = await (await app.fetch('/en')).text()
  const now = /\/assets\/style\.[\w-]{12}\.css/.exec(page)?.[0] ?? ''
  const before = now.replace(/\.[\w-]{12}\./, '.AAAAAAAAAAAA.')
  assert.notEqual(before, now)
  const response = await app.fetch(before)
  assert.equal(response.status, 307)
  assert.equal(response.headers.get('location'), now)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  for (const path of ['/assets/none.AAAAAAAAAAAA.css', '/assets/style.css', `/x${before}`]) {
    assert.equal((await app.fetch(path)).status, 404, path)
  }
})

test('a page without its language redirects by the preferred one', async (t) => {
  const app = await runApp(t, { baseUrl })
  for (const path of ['/status', '/reference/keys']) {
    const { status, headers } = await app.fetch(path, { headers: { 'Accept-Language': 'th' } })
    assert.deepEqual([status, headers.get('location')], [302, `/th${path}`])
    assert.equal(headers.get('vary'), 'Accept-Language')
  }
})
