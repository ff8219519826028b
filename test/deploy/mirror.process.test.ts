import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { verifyCopyProof } from '@public-api/client-internal/copies/copy-proof'
import { createArchiveClient } from '@public-api/client-internal/log/archive-client'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { configuredFrom, freePort, hasProgram } from '../caches/cache-process.ts'
import { key } from '../client/scripted-client.ts'
import { folderWithLog } from '../support/logged-releases.ts'
import { runNginx } from '../support/nginx.ts'
import { argsOf, succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'

/** Serves a folder with nginx and the configuration of deploy/. Resolves with the origin. */
async function serveWithNginx(t: TestContext, folder: string): Promise<string> {
  const port = await freePort()
  const site = configuredFrom(readFileSync('deploy/nginx/mirror.conf', 'utf8'), {
    'listen 8082': `listen 127.0.0.1:${port}`,
    '/srv/public-api-mirror': folder,
  })
  return runNginx(t, port, site)
}

test(
  'a mirror as static files behind nginx passes the audit of the service',
  { skip: !hasProgram('nginx') && 'nginx is not installed' },
  async (t) => {
    const { folder, releases, vkey } = await folderWithLog(t, 5)
    succeeded(
      await svcIn(folder, [
        ...argsOf('redact VS-0002 status --reason'),
        'A personal name',
        '--yes',
      ]),
    )
    const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
    app.clock.ms = Date.now()
    writeFileSync(path.join(folder, 'policy'), `log ${vkey}\nquorum none\n`)
    succeeded(await svcIn(folder, ['mirror', app.origin, 'copy', '--policy', 'policy']))
    const now = readFileSync(path.join(folder, 'copy', 'now.json'))
    const expected = { origin: app.origin, pinnedKeyIds: [key.keyId], nowMs: app.clock.ms }
    assert.equal((await verifyCopyProof(now, expected)).entry.sequence, 5)
    const origin = await serveWithNginx(t, path.join(folder, 'copy'))

    const audited = succeeded(
      await svcIn(folder, [
        'audit',
        app.origin,
        '--pin',
        key.keyId,
        ...argsOf('--state state.json --json --policy policy --mirror'),
        origin,
      ]),
    )
    const { log } = JSON.parse(audited) as {
      readonly log: { readonly mirrors: readonly { readonly size: number }[] }
    }
    assert.equal(log.mirrors[0]?.size, 5)

    // The checks that need no API, with the service away: every version, proofs, resources, and a copy of the copy.
    const policy = await openPolicy(`log ${vkey}\nquorum none\n`)
    const archive = createArchiveClient({ base: origin, policy })
    const { versions } = await archive.history()
    assert.equal(versions.length, 5)
    assert.match(await archive.proof('VS-0004'), /^c2sp\.org\/tlog-proof@v1\n/)
    const [, second] = versions
    assert.ok(second !== undefined)
    assert.equal((await archive.resource(second, 'status')).redacted?.reason, 'A personal name')
    succeeded(await svcIn(folder, ['mirror', origin, 'copy2', '--policy', 'policy']))

    const typeOf = async (name: string): Promise<string | null> => {
      const response = await fetch(`${origin}/${name}`)
      assert.equal(response.headers.get('access-control-allow-origin'), '*', name)
      return response.headers.get('content-type')
    }
    assert.equal(await typeOf('log/checkpoint'), 'text/plain; charset=utf-8')
    for (const name of ['tile/0/000.p/5', 'tile/entries/000.p/5']) {
      assert.equal(await typeOf(`log/${name}`), 'application/octet-stream')
    }
    assert.equal(await typeOf('archive/versions/VS-0001.json'), 'application/json')

    rmSync(path.join(folder, 'copy', 'log', 'tile', 'entries', '000.p', '5'))
    const broken = await svcIn(folder, ['mirror', origin, 'copy3', '--policy', 'policy'])
    assert.equal(broken.status, 1)
    assert.match(broken.error, /tile\/entries\/000\.p\/5: status 404/)
  },
)
