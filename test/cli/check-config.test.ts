import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { releasesOwnerWarnings, sharedFolderWarnings } from '../../src/cli/folder-owner.ts'
import { makeDeployment } from '../support/deployment.ts'
import { failedWith, succeeded, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a valid configuration passes, and nothing is created', async (t) => {
  const { folder } = makeDeployment(t)
  const { status, out, error } = await svcIn(folder, ['check', '--config'])
  const folders = ['releases', 'secrets', 'data'].map(
    (name) => `${name}: ${path.join(folder, name)}\n`,
  )
  assert.deepEqual(
    [status, out, error],
    [0, `The configuration is valid.\n${folders.join('')}`, ''],
  )
  assert.deepEqual(readdirSync(folder), ['releases'])
})

test('every mistake of variables, folders and secrets is reported in one run', async (t) => {
  const { folder, secretsDir } = makeDeployment(t)
  mkdirSync(secretsDir, { mode: 0o700 })
  writeFileSync(path.join(secretsDir, 'signing-key.pem'), 'not a key', { mode: 0o600 })
  const env = {
    SVC_RUNTIME: 'production',
    SVC_WORKERS: 'many',
    SVC_RELEASES_DIR: 'nowhere',
    SVC_VALKEY_URL: 'valkey://:hunter2@cache',
  }
  const { status, out, error } = await svcIn(folder, ['check', '--config'], { env })
  assert.equal(status, 1)
  assert.equal(out, '')
  assert.match(error, /^error: /)
  for (const expected of [
    /SVC_WORKERS: expected a whole number from 1 to 256, found "many"/,
    /SVC_RELEASES_DIR: expected a folder of published releases, found nothing/,
    /SVC_VALKEY_URL: expected no value/,
    /SVC_API_KEY_HASH_SECRET: expected/,
    /signing-key\.pem: expected/,
  ]) {
    assert.match(error, expected)
  }
  assert.ok(!error.includes('hunter2'))
  assert.deepEqual(readdirSync(secretsDir), ['signing-key.pem'])

  const { status: jsonStatus, out: json } = await svcIn(folder, ['check', '--config', '--json'], {
    env,
  })
  assert.equal(jsonStatus, 1)
  const { ok, mistakes } = JSON.parse(json) as { ok: boolean; mistakes: string[] }
  assert.equal(ok, false)
  assert.ok(mistakes.length >= 5)
})

test('lists what a start would warn about, and succeeds', async (t) => {
  const { folder } = makeDeployment(t)
  const env = { SVC_WORKRES: '2' }
  const out = succeeded(await svcIn(folder, ['check', '--config', '--json'], { env }))
  const { ok, warnings } = JSON.parse(out) as { ok: boolean; warnings: string[] }
  assert.equal(ok, true)
  assert.deepEqual(warnings, [
    'Unknown variable SVC_WORKRES has no effect; did you mean SVC_WORKERS?',
  ])
})

test('content and configuration are checked one at a time', async (t) => {
  const { folder } = makeDeployment(t)
  const error = failedWith(2, await svcIn(folder, ['check', '--config', '--content', 'content']))
  assert.match(error, /expected either --content or --config/)
})

const { uid, username } = userInfo()

test(
  'releases of two owners are a warning with the command that mends it',
  { skip: uid === 0 ? false : 'only root gives files away' },
  async (t) => {
    const { folder } = makeDeployment(t)
    const releases = path.join(folder, 'releases')
    const file = path.join(releases, 'versions', 'VS-0001.json')
    chownSync(file, 54_321, 54_321)
    const out = succeeded(await svcIn(folder, ['check', '--config']))
    assert.ok(
      out.includes(
        `  ${releases} belongs to root, and files in it to user 54321, such as ${file}; expected one owner: sudo chown -R root ${releases}; several publishers share it by a group: docs/operating.md, "Two people publish"\n`,
      ),
      out,
    )
  },
)

test('a folder that a group shares may have several owners, and names what it cannot write', (t) => {
  const folder = temporaryFolder(t)
  const [versions, discarded] = ['versions', '.discarded'].map((name) => path.join(folder, name))
  for (const each of [versions ?? '', discarded ?? '']) mkdirSync(each)
  assert.deepEqual(sharedFolderWarnings(folder), [])
  chmodSync(folder, 0o2775)
  const [warning = ''] = releasesOwnerWarnings(folder)
  assert.match(
    warning,
    /^the group \S+ shares \S+ and cannot write \S+\/versions; run sudo chgrp -R/,
  )
  chmodSync(versions ?? '', 0o2775)
  const file = path.join(versions ?? '', 'a')
  // As an editor leaves it under the umask 077.
  writeFileSync(file, '', { mode: 0o600 })
  const [closed = ''] = sharedFolderWarnings(folder)
  assert.match(closed, /cannot read \S+\/a; run sudo chgrp -R .* sudo chmod -R g\+rwX /)
  chmodSync(file, 0o640)
  if (userInfo().uid === 0) chownSync(file, 54_321, -1)
  assert.deepEqual(releasesOwnerWarnings(folder), [])
})

test('a timer of cosignatures that runs as another user is a warning', (t) => {
  const { folder } = makeDeployment(t)
  const releases = path.join(folder, 'releases')
  const timers = path.join(folder, 'timers')
  assert.deepEqual(releasesOwnerWarnings(releases, timers), [])
  mkdirSync(timers)
  for (const user of [username, 'someone']) {
    writeFileSync(path.join(timers, `public-api-cosign@${user}.timer`), '')
  }
  assert.deepEqual(releasesOwnerWarnings(releases, timers), [
    `public-api-cosign@someone.timer cannot write ${releases}, which belongs to ${username}; expected public-api-cosign@${username}.timer`,
  ])
})
