import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { liveDependencies } from '../cli/verifying/live-app.ts'
import { key } from '../client/scripted-client.ts'
import { collectText } from '../support/collect-text.ts'
import { passOn } from '../support/http-proxy.ts'
import { folderWithLog, folderWithReleases, rollBackTo } from '../support/logged-releases.ts'
import { serve } from '../support/loopback-server.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A stub of `gh`, which keeps the issues in a file: a title in each line. */
const GH = `#!/bin/sh
[ ! -e "$ISSUES.away" ] || exit 1
case $2 in
list) cat "$ISSUES" ;;
create) case $4 in *UNREACHABLE|*STATE*) ;; *) git ls-tree --name-only origin/main | grep -q ^evidence- || exit 1 ;; esac; printf '%s\\n' "$4" >>"$ISSUES"; cp "$6" "$ISSUES.body" ;;
esac
`

test('an outsider audits every hour: the state is kept, and what is not valid has one issue', async (t) => {
  const folder = temporaryFolder(t)
  const { vkey, releases } = await folderWithLog(t)
  const other = folderWithReleases(t, 2)
  await rollBackTo(other, 'VS-0001', 'Another history')
  const appOf = (place: string) =>
    runApp(t, { ...liveDependencies(), releases: loadReleases(openReleaseStore(place)) })
  const apps = [await appOf(releases), await appOf(path.join(other, 'releases'))]
  let shown: number | undefined = 0
  const origin = await serve(t, (incoming, response) => {
    const app = shown === undefined ? undefined : apps[shown]
    if (app === undefined) return void incoming.socket.destroy()
    passOn(incoming, response, app.port)
  })

  const env = {
    PATH: `${folder}/bin:${process.env['PATH']}`,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'An Auditor',
    GIT_AUTHOR_EMAIL: 'auditor@example.org',
    GIT_COMMITTER_NAME: 'An Auditor',
    GIT_COMMITTER_EMAIL: 'auditor@example.org',
    ISSUES: path.join(folder, 'issues'),
    SVC: '.public-api/node_modules/.bin/node .public-api/src/cli/svc.ts',
    ORIGIN: origin,
    PIN: key.keyId,
    MIRRORS: '',
    RETRY_SECONDS: '0',
    GIT_COMMITTER_DATE: '',
  }
  mkdirSync(path.join(folder, 'bin'))
  writeFileSync(path.join(folder, 'bin', 'gh'), GH, { mode: 0o755 })
  writeFileSync(env.ISSUES, '')
  const git = (place: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: place, env, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return stdout
  }
  const forge = path.join(folder, 'forge.git')
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', forge)
  let runs = 0
  const cloneForge = () => {
    runs += 1
    const checkout = path.join(folder, `run-${runs}`)
    git(folder, 'clone', '--quiet', forge, checkout)
    return checkout
  }
  const first = cloneForge()
  git(first, 'checkout', '--quiet', '-B', 'main')
  writeFileSync(path.join(first, 'policy'), `log ${vkey}\nquorum none\n`)
  git(first, 'add', 'policy')
  git(first, 'commit', '--quiet', '--message', 'Add the policy')
  git(first, 'push', '--quiet', 'origin', 'main')
  const runAudit = async () => {
    const checkout = cloneForge()
    symlinkSync(process.cwd(), path.join(checkout, '.public-api'))
    const child = spawn('sh', ['-c', 'exec .public-api/deploy/audit/audit.sh'], {
      cwd: checkout,
      env,
      stdio: 'pipe',
    })
    const output = collectText(child.stdout, child.stderr)
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, output: output.text }
  }
  const files = () => readdirSync(cloneForge()).filter((name) => name !== '.git')
  const issues = () => readFileSync(env.ISSUES, 'utf8').trim().split('\n')

  const valid = await runAudit()
  assert.equal(valid.status, 0, valid.output)
  assert.deepEqual(files(), ['last-run', 'policy', 'state.json'])
  // Once a week, the repository says that the audit still runs.
  const runsNoted = () =>
    git(cloneForge(), 'log', '--format=%H', '--', 'last-run').split('\n').length
  const noted = runsNoted()
  assert.equal((await runAudit()).status, 0)
  assert.equal(runsNoted(), noted)
  const weekAgo = new Date(Date.now() - 8 * 86_400_000).toISOString()
  const older = cloneForge()
  writeFileSync(path.join(older, 'last-run'), weekAgo)
  env.GIT_COMMITTER_DATE = weekAgo
  git(older, 'commit', '--quiet', '--all', '--message', 'Audit')
  env.GIT_COMMITTER_DATE = ''
  git(older, 'push', '--quiet', 'origin', 'HEAD')
  assert.equal((await runAudit()).status, 0)
  assert.equal(runsNoted(), noted + 2)
  shown = undefined
  for (const run of ['first', 'second']) {
    const away = await runAudit()
    assert.equal(away.status, 3, `${run}: ${away.output}`)
    assert.equal(away.output.match(/"code": ?"UNREACHABLE"/g)?.length, 2, 'a second try')
    assert.deepEqual(issues(), [`Audit of ${origin}: UNREACHABLE`])
  }

  shown = 1
  const evidence = () => files().filter((name) => name.startsWith('evidence-'))
  writeFileSync(`${env.ISSUES}.away`, '')
  assert.notEqual((await runAudit()).status, 0)
  assert.equal(evidence().length, 1)
  rmSync(`${env.ISSUES}.away`)
  const found = await runAudit()
  assert.equal(found.status, 1, found.output)
  const named = evidence()
  assert.equal((await runAudit()).status, 1)
  assert.equal(issues().length, 2)
  assert.match(issues()[1] ?? '', /^Audit of http:\/\/127\.0\.0\.1:\d+: [A-Z_]+$/)
  assert.match(readFileSync(`${env.ISSUES}.body`, 'utf8'), /^ {4}/)
  assert.deepEqual(evidence(), named)

  // A deleted state must not make the next audit a first one.
  const last = cloneForge()
  git(last, 'rm', '--quiet', 'state.json')
  git(last, 'commit', '--quiet', '--message', 'Remove the state')
  git(last, 'push', '--quiet', 'origin', 'HEAD')
  shown = 0
  const lost = await runAudit()
  assert.equal(lost.status, 2, lost.output)
  assert.match(lost.output, /--require-state was given/)
  assert.equal(issues().length, 3)
  assert.ok(!existsSync(path.join(cloneForge(), 'state.json')))
})
