import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { configuredFrom, freePort, hasProgram, startCacheProcess } from '../caches/cache-process.ts'
import { runNginx } from '../support/nginx.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The proxies of deploy/ that give the documents of Statuspage at the root of a host. Each resolves with the origin. */
const PROXIES: {
  readonly [program: string]: (t: test.TestContext, service: number) => Promise<string>
} = {
  async nginx(t, service) {
    const port = await freePort()
    const site = configuredFrom(readFileSync('deploy/nginx/statuspage.conf', 'utf8'), {
      'listen 8083': `listen 127.0.0.1:${port}`,
      'server_name status.example.org': 'server_name localhost',
    })
    return runNginx(t, port, `upstream public_api { server 127.0.0.1:${service}; }\n${site}`)
  },
  async caddy(t, service) {
    const folder = temporaryFolder(t)
    const port = await freePort()
    const site = configuredFrom(readFileSync('deploy/caddy/statuspage.Caddyfile', 'utf8'), {
      'status.example.org {': `http://127.0.0.1:${port} {`,
      '127.0.0.1:8080': `127.0.0.1:${service}`,
    })
    const file = path.join(folder, 'Caddyfile')
    writeFileSync(file, `{\n\tadmin off\n\tstorage file_system ${folder}\n}\n${site}`)
    const run = ['run', '--config', file, '--adapter', 'caddyfile']
    await startCacheProcess(t, port, 'caddy', run, { HOME: folder })
    return `http://127.0.0.1:${port}`
  },
}

for (const [program, start] of Object.entries(PROXIES)) {
  const skip = !hasProgram(program) && `${program} is not installed`
  test(`${program} gives the documents at the root of a host of their own`, { skip }, async (t) => {
    const app = await runApp(t)
    const origin = await start(t, app.port)
    for (const name of ['summary.json', 'incidents/unresolved.json']) {
      const own = await app.fetch(`/statuspage/api/v2/${name}`)
      const passed = await fetch(`${origin}/api/v2/${name}`)
      assert.equal(passed.status, 200)
      assert.equal(passed.headers.get('access-control-allow-origin'), '*')
      assert.equal(passed.headers.get('etag'), own.headers.get('etag'))
      assert.deepEqual(await passed.json(), await own.json())
    }
    const home = await fetch(`${origin}/`, { redirect: 'manual' })
    assert.equal(home.headers.get('location'), 'https://api.example.org/status')
  })
}
