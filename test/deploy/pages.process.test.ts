import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { folderWithLog } from '../support/logged-releases.ts'
import { SVC } from '../support/run-program.ts'
import { cleanEnvironment } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PAGES = path.resolve('deploy/copy/pages.sh')

test('pages.sh publishes the bytes of site.json beside a CNAME, whatever git does with line ends', async (t) => {
  const outside = temporaryFolder(t)
  const { folder } = await folderWithLog(t, 2)
  const settings = path.join(outside, 'gitconfig')
  writeFileSync(
    settings,
    '[user]\n\tname = t\n\temail = t@example.org\n[core]\n\tautocrlf = input\n[init]\n\tdefaultBranch = main\n',
  )
  const env = {
    ...cleanEnvironment(),
    GIT_CONFIG_GLOBAL: settings,
    GIT_CONFIG_NOSYSTEM: '1',
    SVC: `${process.execPath} ${SVC}`,
    // Nothing listens there, so that the copy is published without a proof.
    ORIGIN: 'http://127.0.0.1:9',
    SVC_ENVIRONMENT_FILE: '',
  }
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const bare = path.join(outside, 'bare.git')
  run('git', 'init', '-q', '--bare', bare)
  run('git', 'init', '-q')
  run('git', 'remote', 'add', 'origin', bare)
  // What GitHub commits when a domain is set before the first copy.
  writeFileSync(path.join(folder, 'CNAME'), 'status.example.org\n')
  run('git', 'add', 'CNAME')
  run('git', 'commit', '-qm', 'Create CNAME')
  run('git', 'push', '-q', 'origin', 'HEAD:refs/heads/gh-pages')

  for (let times = 0; times < 2; times += 1) {
    run('sh', PAGES)
    const read = (file: string) => run('git', '-C', bare, 'show', `gh-pages:${file}`)
    assert.equal(read('CNAME').toString(), 'status.example.org\n')
    const { files } = JSON.parse(read('site.json').toString()) as {
      readonly files: { readonly [file: string]: readonly [digest: string] }
    }
    for (const file of ['en/maintenance.ics', 'en/status/index.html']) {
      const digest = createHash('sha256').update(read(file)).digest('base64url')
      assert.equal(digest, files[file]?.[0], file)
    }
    assert.ok(read('en/maintenance.ics').includes('\r\n'))
  }
})
