import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { freePort, hasProgram, startCacheProcess } from '../caches/cache-process.ts'
import { filesBelow } from '../support/leak-search.ts'
import { folderWithLog } from '../support/logged-releases.ts'
import { succeeded, svc, svcIn } from '../support/run-svc.ts'
import { runForeign } from './foreign-programs.ts'

test(
  'what wget --mirror saves of a copy can be audited, and has each page once',
  { skip: !hasProgram('wget') && 'wget is not installed' },
  async (t) => {
    const { folder } = await folderWithLog(t, 3)
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    succeeded(
      await svcIn(folder, ['site', 'copy', '--base-url', origin], {
        env: { SVC_BASE_URL: 'https://api.example.org' },
      }),
    )
    const copy = path.join(folder, 'copy')
    const host = ['-m', 'http.server', '--bind', '127.0.0.1', '--directory', copy, String(port)]
    await startCacheProcess(t, port, '/usr/bin/python3', host, {})
    const saved = path.join(folder, 'saved')
    const args = [
      '--quiet',
      '--mirror',
      '--adjust-extension',
      '--directory-prefix',
      saved,
      `${origin}/en`,
    ]
    // 8: some addresses that pages name, such as those of the service, answer with an error.
    const { code } = await runForeign('wget', args)
    assert.ok(code === 0 || code === 8, String(code))
    const mirrored = path.join(saved, new URL(origin).host)
    const names = [...filesBelow(mirrored)].map(([file]) => path.relative(mirrored, file))
    assert.ok(names.length > 100, String(names.length))
    assert.deepEqual(
      names.filter((name) => name.includes('?')),
      [],
    )
    assert.match(succeeded(await svc('audit', mirrored)), /is intact up to VS-0003: 3 versions/)
  },
)
