import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parseVersionEntry } from '@public-api/contract/history/version-entry'
import { generateIdentity } from '../../src/crypto/age-file.ts'
import { openTlogMonitor } from '../../src/process/tlog-monitor.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { eventually } from '../support/eventually.ts'
import { folderWithLog, rollBackTo } from '../support/logged-releases.ts'
import { failedWith, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'

const CARD = 'A'.repeat(43)
const { privateKey } = generateKeyPairSync('ed25519')
const { identity } = generateIdentity()
const SECRETS = {
  'signing-key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  'waitlist-identity.txt': `${identity}\n`,
  'hash-secret.txt': `${randomBytes(32).toString('hex')}\n`,
}

test('a link to a secret in the releases folder reveals nothing, and every check names it', async (t) => {
  const { releases, folder } = await folderWithLog(t)
  const first = parseVersionEntry(openReleaseStore(releases).readVersionText('VS-0001'), 'VS-0001')
  const status = `resources/status/${first.resources['status']}`
  /** Each file, with the path under which the service would show it. */
  const places: readonly (readonly [file: string, shown: string])[] = [
    ['log/policy', '/log/policy'],
    ['log/checkpoint', '/log/checkpoint'],
    ['log/origin', '/api/v1/keys/signing-key'],
    ['log/pending', '/log/pending'],
    ['log/witnesses.json', '/log/witnesses.json'],
    ['log/lock', '/log/lock'],
    [`cards/${CARD}.png`, `/cards/${CARD}.png`],
    [`${status}.json`, `/archive/${status}.json`],
    [`${status}.redacted.json`, '/archive/versions.json'],
    ['record.json', '/record.json'],
    ['versions/VS-0003.json', '/archive/versions/VS-0003.json'],
  ]

  /** All that the service shows and logs. */
  async function serve(shown: string): Promise<string> {
    const lines: unknown[] = []
    const write = (...logged: readonly unknown[]) => void lines.push(logged)
    const log = { debug: write, info: write, warn: write, error: write }
    try {
      const loaded = loadReleases(openReleaseStore(releases))
      const app = await runApp(t, { releases: loaded })
      const body = await (await app.fetch(shown)).text()
      const monitor = openTlogMonitor({ tlog: () => loaded.tlog, served: () => loaded.served }, log)
      monitor.check()
      const { svc_log_size: size } = monitor.metrics
      await eventually('the log is checked', () => size.read() ?? monitor.fault())
      return JSON.stringify([body, lines, monitor.fault(), loaded.faults])
    } catch (error) {
      assert.ok(error instanceof Error)
      return JSON.stringify([error.message, error.stack])
    }
  }

  for (const [name, text] of Object.entries(SECRETS)) {
    const secret = path.join(folder, name)
    fs.writeFileSync(secret, text)
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('---'))
    for (const link of [fs.symlinkSync, fs.linkSync]) {
      for (const [place, shown] of places) {
        const context = `${link.name} ${place} ${name}`
        const file = path.join(releases, place)
        const before = fs.existsSync(file) ? fs.readFileSync(file) : undefined
        fs.mkdirSync(path.dirname(file), { recursive: true })
        fs.rmSync(file, { force: true })
        link(secret, file)
        const printed = [await serve(shown)]
        const verified = await svcIn(folder, ['audit', 'releases'])
        assert.equal(verified.status, 1, context)
        printed.push(verified.error)
        if (link === fs.symlinkSync) {
          assert.ok(
            verified.error.includes(`${place}: found a link`),
            `${context} ${verified.error}`,
          )
          const published = await rollBackTo(folder, 'VS-0001', 'Back')
          assert.match(published.error, /has the link .*; expected|is a link; expected/, context)
          printed.push(published.out, published.error)
        }
        for (const line of lines) assert.ok(!printed.join('\n').includes(line), context)
        assert.equal(fs.readFileSync(secret, 'utf8'), text)
        fs.rmSync(file)
        if (before !== undefined) fs.writeFileSync(file, before)
      }
    }
  }
})

test('a private key in a comment of the policy is refused by line, and not served', async (t) => {
  const { releases, folder } = await folderWithLog(t)
  const policy = path.join(releases, 'log', 'policy')
  const before = fs.readFileSync(policy, 'utf8')
  const logKey = `PRIVATE+KEY+api.example.org/log+7a8b9c0d+${randomBytes(33).toString('base64')}`
  for (const secret of [...Object.values(SECRETS).slice(0, 2), `${logKey}\n`]) {
    const comment = secret.replaceAll(/^(?=.)/gm, '# ')
    fs.writeFileSync(policy, `${before}${comment}`)
    const line = before.split('\n').length
    assert.throws(() => loadReleases(openReleaseStore(releases)), {
      message: `${policy} cannot be read: found a private key in line ${line}, which would be published; remove it and replace the key`,
    })
    const error = failedWith(1, await svcIn(folder, ['audit', 'releases']))
    assert.match(error, /log\/policy.*found a private key in line/)
    for (const part of comment.split('\n').filter((each) => each.length > 30)) {
      assert.ok(!error.includes(part.slice(2)))
    }
  }
})

test('a file that is not part of a release, and a special name, are findings', async (t) => {
  const { releases, folder } = await folderWithLog(t)
  const unknown = ['notes.txt', 'log/key.pem', 'versions/VS-0001.json~', 'resources/status/a.json']
  for (const name of unknown) fs.writeFileSync(path.join(releases, name), '{}')
  for (const name of ['.gitattributes', 'log/lock', `log/policy.${'0'.repeat(12)}.partial`]) {
    fs.writeFileSync(path.join(releases, name), '')
  }
  const { out } = await svcIn(folder, ['audit', 'releases', '--json'])
  const { findings } = JSON.parse(out) as { findings: readonly { readonly where: string }[] }
  assert.deepEqual(findings.map(({ where }) => where).toSorted(), unknown.toSorted())
})
