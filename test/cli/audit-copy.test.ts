import assert from 'node:assert/strict'
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { partialNameOf } from '@public-api/client-internal/node/durable-file'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { folderWithLog, rollBackTo } from '../support/logged-releases.ts'
import { argsOf, failedWith, succeeded, svc, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a copy, its archive and a folder of another program are read where releases are', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  succeeded(await rollBackTo(folder, 'VS-0001', 'Back'))
  const redact = ['redact', 'VS-0002', 'status', '--reason', 'A name', '--yes']
  succeeded(await svcIn(folder, redact))
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  app.clock.ms = Date.now()
  const now = ['--now', app.origin]
  succeeded(await svcIn(folder, ['site', 'copy', ...now], { env: { SVC_BASE_URL: app.origin } }))
  const copy = path.join(folder, 'copy')
  const archive = path.join(copy, 'archive')

  const audited = succeeded(await svc('audit', copy))
  assert.match(audited, /^now\.json proves that VS-0004 was the newest of http.* by the key /m)
  assert.match(audited, /^\d+ files as site\.json, which no key signs, says\.$/m)
  assert.match(audited, /is intact up to VS-0004: 4 versions, \d+ resources, 1 redaction\.$/m)
  assert.match(audited, /redacted: status of VS-0002/)
  assert.match(succeeded(await svc('audit', archive)), /^\S+ is intact up to VS-0004/)
  const [listed, shown, diff] = await Promise.all(
    [releases, copy, archive].map(async (place) => [
      succeeded(await svc('versions', '--releases', place)),
      succeeded(await svc('show', 'VS-0003', 'status', '--releases', place)),
      succeeded(await svc('diff', 'VS-0001', 'VS-0003', '--releases', place)),
      succeeded(await svc('find', 'Back', '--releases', place)).split('\n')[0],
    ]),
  )
  assert.match(listed?.[0] ?? '', /^VS-0004/)
  assert.deepEqual(shown, listed)
  assert.deepEqual(diff, listed)

  // Of the same versions, but not signed by the log.
  const forged = path.join(temporaryFolder(t), 'forged')
  cpSync(copy, forged, { recursive: true })
  const checkpoint = path.join(forged, 'log', 'checkpoint')
  const note = readFileSync(checkpoint, 'utf8')
  const [line = ''] = /^\u2014 .*$/m.exec(note) ?? []
  const changed = `${line.slice(0, -8)}${line.at(-8) === 'A' ? 'B' : 'A'}${line.slice(-7)}`
  writeFileSync(checkpoint, note.replace(line, changed))
  rmSync(path.join(forged, 'site.json'))
  const published = path.join(temporaryFolder(t), 'releases')
  cpSync(releases, published, { recursive: true })
  cpSync(checkpoint, path.join(published, 'log', 'checkpoint'))
  for (const place of [forged, published]) {
    const refused = failedWith(1, await svc('audit', place))
    assert.match(refused, /^log\/checkpoint: .*the signature of \S+ is not valid/m)
  }

  // svc mirror writes no policy: it has that of its reader.
  const policy = path.join(releases, 'log', 'policy')
  succeeded(await svcIn(folder, ['mirror', app.origin, 'mirror', '--policy', policy]))
  // As a killed run leaves it.
  const index = path.join(folder, 'mirror', 'archive', 'versions.json')
  cpSync(index, partialNameOf(index))
  const verified = succeeded(await svc('audit', path.join(folder, 'mirror')))
  assert.match(verified, /^There is no log\/policy: the signature of .* was not checked\.$/m)
  rmSync(path.join(published, 'log', 'policy'))
  assert.match((await svc('audit', published)).error, /^log\/policy: is missing/m)

  // As a program leaves it that follows the links of the pages: without the lists of svc site.
  const mirrored = path.join(temporaryFolder(t), 'host')
  cpSync(copy, mirrored, { recursive: true })
  for (const name of ['site.json', 'now.json', '_headers', 'log']) {
    rmSync(path.join(mirrored, name), { recursive: true })
  }
  writeFileSync(path.join(mirrored, 'robots.txt.1'), '')
  const other = succeeded(await svc('audit', mirrored))
  assert.match(other, /^There is no now\.json/m)
  assert.match(other, /^There is no site\.json: the pages were not compared\.$/m)
})

test('what is wrong with a copy is grouped and bounded', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  app.clock.ms = Date.now()
  succeeded(
    await svcIn(folder, ['site', 'copy', '--now', app.origin], {
      env: { SVC_BASE_URL: app.origin },
    }),
  )
  const copy = path.join(folder, 'copy')
  // The proof of another history.
  const other = await folderWithLog(t, 2)
  succeeded(await rollBackTo(other.folder, 'VS-0001', 'Another history'))
  const elsewhere = await runApp(t, {
    releases: loadReleases(openReleaseStore(other.releases)),
  })
  elsewhere.clock.ms = Date.now()
  const proof = ['site', 'other', '--now', elsewhere.origin]
  succeeded(await svcIn(other.folder, proof, { env: { SVC_BASE_URL: elsewhere.origin } }))
  cpSync(path.join(other.folder, 'other', 'now.json'), path.join(copy, 'now.json'))
  cpSync(
    path.join(other.folder, 'other', 'log', 'checkpoint'),
    path.join(copy, 'log', 'checkpoint'),
  )
  for (const file of readdirSync(path.join(copy, 'en', 'history'), { recursive: true })) {
    if (String(file).endsWith('.html')) {
      appendFileSync(path.join(copy, 'en', 'history', String(file)), '<!-- changed -->')
    }
  }
  writeFileSync(path.join(copy, 'en', 'added.html'), '')
  rmSync(path.join(copy, 'en', 'feed.atom'))

  const error = failedWith(1, await svc('audit', copy))
  assert.match(error, /^error: \S+ has \d+ findings/)
  assert.match(error, /en\/history\/\S+, en\/history\/\S+, en\/history\/\S+ and \d+ more: differs/)
  assert.match(error, /^en\/added\.html: is not in site\.json/m)
  assert.match(error, /^en\/feed\.atom: is missing/m)
  assert.match(error, /^now\.json: proves another VS-0003/m)
  assert.match(error, /^log\/checkpoint: has another root/m)
  assert.ok(error.split('\n').length < 10, error)
})

test('a folder of something else is a mistake of the caller', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(path.join(folder, 'versions'), 'of something else')
  for (const args of [
    ['audit', folder],
    ...['versions', 'find x', 'show VS-0001', 'diff VS-0001 VS-0002'].map((line) => [
      ...argsOf(line),
      '--releases',
      folder,
    ]),
  ]) {
    const { status, error } = await svc(...args)
    assert.equal(status, 2, args.join(' '))
    assert.match(error, /another kind of folder; expected one with versions, a copy/)
  }
})
