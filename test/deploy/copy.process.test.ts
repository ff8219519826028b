import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { configuredFrom, freePort, hasProgram, startCacheProcess } from '../caches/cache-process.ts'
import { readHeadersFile } from '../support/headers-file.ts'
import { folderWithLog } from '../support/logged-releases.ts'
import { runNginx } from '../support/nginx.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { useFileScope } from '../support/test-scope.ts'

const SERVICE = 'https://api.example.org'
/** Files that the service does not have. */
const OF_HOSTS = new Set(['/404.html', '/index.html', '/site.json', '/serve.json'])
/** The service has them below /statuspage. */
const AT_ROOT = /^\/api\/v2\//
/** What never changes, where the host gives the header to no error. */
const UNCHANGING = /^\/(?:assets|cards|archive\/(?:versions|resources)|log\/tile)\//
const IMMUTABLE = 'public, max-age=31536000, immutable'
const REDACTED = /\.redacted\.json$/

/** The hosts of deploy/copy. Each serves a folder and resolves with its origin. */
const HOSTS: {
  readonly [program: string]: (t: TestContext, copy: string) => Promise<string>
} = {
  async nginx(t, copy) {
    const port = await freePort()
    const site = configuredFrom(readFileSync('deploy/copy/nginx.conf', 'utf8'), {
      'listen 8084': `listen 127.0.0.1:${port}`,
      'root /srv/public-api-copy': `root ${copy}`,
    })
    return runNginx(t, port, site)
  },
  async caddy(t, copy) {
    const folder = temporaryFolder(t)
    const port = await freePort()
    const site = configuredFrom(readFileSync('deploy/copy/Caddyfile', 'utf8'), {
      'status.example.org {': `http://127.0.0.1:${port} {`,
      'root * /srv/public-api-copy': `root * ${copy}`,
    })
    const file = path.join(folder, 'Caddyfile')
    writeFileSync(file, `{\n\tadmin off\n\tstorage file_system ${folder}\n}\n${site}`)
    const run = ['run', '--config', file, '--adapter', 'caddyfile']
    await startCacheProcess(t, port, 'caddy', run, { HOME: folder })
    return `http://127.0.0.1:${port}`
  },
}

const typeOf = ({ headers }: Response) => headers.get('Content-Type')?.split(';', 1)[0]

const scope = useFileScope()

/** A copy with a redacted resource, and the service that it is a copy of. */
async function prepare() {
  const { folder, releases } = await folderWithLog(scope, 2)
  const args = ['redact', 'VS-0001', 'status', '--reason', 'A personal name', '--yes']
  succeeded(await svcIn(folder, args))
  const app = await runApp(scope, { releases: loadReleases(openReleaseStore(releases)) })
  succeeded(await svcIn(folder, ['site', 'copy'], { env: { SVC_BASE_URL: SERVICE } }))
  const copy = path.join(folder, 'copy')
  const files = readdirSync(copy, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(?:_headers|\.nojekyll|\.site\.lock)$/.test(entry.name))
    .map((entry) => `/${path.relative(copy, path.join(entry.parentPath, entry.name))}`)
  return { app, copy, files }
}
let prepared: ReturnType<typeof prepare> | undefined

for (const [program, start] of Object.entries(HOSTS)) {
  const skip = !hasProgram(program) && `${program} is not installed`
  test(
    `${program} sends every file as _headers says, of the type that the service sends`,
    { skip },
    async (t) => {
      const { app, copy, files } = await (prepared ??= prepare())
      const origin = await start(t, copy)
      const headersOf = readHeadersFile(readFileSync(path.join(copy, '_headers'), 'utf8'))
      assert.ok(files.length > 50)
      const differ: string[] = []
      for (const file of files) {
        // A page has the address that the service gives it.
        const target = file.replace(/\/index\.html$/, '') || '/index.html'
        const response = await fetch(origin + target, { redirect: 'manual' })
        assert.equal(response.status, 200, target)
        const bytes = Buffer.from(await response.arrayBuffer())
        assert.ok(bytes.equals(readFileSync(path.join(copy, file))), target)
        const expected = new Map(headersOf(file))
        assert.doesNotMatch(expected.get('Cache-Control') ?? '', /immutable/)
        if (UNCHANGING.test(file)) expected.set('Cache-Control', IMMUTABLE)
        for (const name of ['Cache-Control', 'Access-Control-Allow-Origin']) {
          assert.equal(response.headers.get(name), expected.get(name) ?? null, `${target}: ${name}`)
        }
        for (const [name, value] of expected) {
          assert.equal(response.headers.get(name), value, `${target}: ${name}`)
        }
        if (REDACTED.test(file) || OF_HOSTS.has(file)) continue
        const own = await app.fetch(target.replace(AT_ROOT, '/statuspage/api/v2/'))
        await own.body?.cancel()
        const [sent, served] = [typeOf(response), typeOf(own)]
        if (sent !== served) differ.push(`${target}: ${sent}, not ${served}`)
      }
      assert.deepEqual(differ, [])
      for (const [target, status] of [
        ['/archive/resources/status/missing.json', 404],
        ['/en/nothing', 404],
        ['/_headers', 404],
        [files.find((file) => REDACTED.test(file))?.replace(REDACTED, '.json') ?? '', 410],
      ] as const) {
        const response = await fetch(`${origin}${target}`)
        assert.equal(response.status, status, target)
        const age = response.headers.get('Cache-Control') ?? 'no-store'
        assert.doesNotMatch(age, /max-age/, `${target}: a failure must not be cached`)
        if (status === 410) assert.match(await response.text(), /A personal name/)
      }
      const page = await fetch(`${origin}/${LOCALES[1]}`)
      assert.match(await page.text(), /<html lang="th"/)
    },
  )
}
