import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { COSIGNATURE, formatVkey } from '@public-api/client-internal/log/signed-note'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { freePort, hasProgram } from '../caches/cache-process.ts'
import { key } from '../client/scripted-client.ts'
import { eventually } from '../support/eventually.ts'
import {
  folderWithLog,
  folderWithReleases,
  LOG_ORIGIN,
  rollBackTo,
} from '../support/logged-releases.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const missing = ['litewitness', 'witnessctl', 'ssh-agent', 'ssh-keygen'].filter(
  (program) => !hasProgram(program),
)

/** A real witness: litewitness of torchwood with its key in an ssh-agent. */
async function startWitness(t: TestContext, folder: string, name: string) {
  const keyFile = path.join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile])
  const blob = Buffer.from(readFileSync(`${keyFile}.pub`, 'utf8').split(' ')[1] ?? '', 'base64')
  const keyName = `witness.example/${name}`
  const vkey = await formatVkey(keyName, COSIGNATURE, blob.subarray(-32))
  const socket = path.join(folder, `${name}.sock`)
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
  t.after(() => agent.kill())
  await eventually('the agent takes the key', () => {
    const env = { ...process.env, SSH_AUTH_SOCK: socket }
    const { status } = spawnSync('ssh-add', ['-q', keyFile], { env, stdio: 'ignore' })
    return status === 0 || undefined
  })
  const database = path.join(folder, `${name}.db`)
  const control = (...args: readonly string[]) =>
    execFileSync('witnessctl', [args[0] ?? '', '-db', database, ...args.slice(1)], {
      stdio: 'ignore',
    })
  const port = await freePort()
  const fingerprint = `SHA256:${createHash('sha256').update(blob).digest('base64').replaceAll('=', '')}`
  const start = async () => {
    const options = ['-db', database, '-key', fingerprint, '-name', keyName]
    const own = spawn(
      'litewitness',
      [...options, '-ssh-agent', socket, '-listen', `127.0.0.1:${port}`],
      { stdio: 'ignore' },
    )
    t.after(() => own.kill())
    await eventually('the witness answers', () =>
      fetch(`http://127.0.0.1:${port}/`).catch(() => undefined),
    )
    return own
  }
  return { vkey, url: `http://127.0.0.1:${port}/`, control, start }
}

test('litewitness cosigns, refuses other histories, survives a restart and follows a rotation', async (t) => {
  // Debian has torchwood in its newest releases only, so a machine without it is not a failure.
  if (missing.length > 0) {
    t.diagnostic(
      `Not tested with a real witness: ${missing.join(', ')} missing (Debian's torchwood)`,
    )
    return
  }
  const { folder, vkey, releases } = await folderWithLog(t)
  const witness = await startWitness(t, folder, 'w1')
  const policyFile = path.join(releases, 'log', 'policy')
  writeFileSync(policyFile, `log ${vkey}\nwitness w1 ${witness.vkey} ${witness.url}\nquorum w1\n`)
  const cosign = async () => {
    const { status, out } = await svcIn(folder, ['tlog', 'cosign'])
    return [status, out] as const
  }
  assert.equal((await cosign())[0], 3)

  // Without the log.
  let running = await witness.start()
  assert.match((await cosign()).join(), /^1,[^]*does not know the log/)
  witness.control('add-log', '-origin', LOG_ORIGIN)
  witness.control('add-key', '-origin', LOG_ORIGIN, '-key', vkey)
  assert.match((await cosign()).join(), /^0,[^]*serves 3 versions/)

  // A new version with its consistency proof, and the same size again.
  const published = await svcIn(folder, ['rollback', 'VS-0001', '--note', 'Back'])
  assert.match(published.out, /serves 4 versions/)
  assert.equal((await cosign())[0], 0)

  // What the publisher remembers of the witness is a hint: without it, the witness says its size.
  rmSync(path.join(releases, 'log', 'witnesses.json'))
  assert.equal((await cosign())[0], 0)

  running.kill()
  running = await witness.start()
  assert.equal((await cosign())[0], 0)

  // The same length with another history, signed by the same key: what a thief of the key could do.
  const kept = path.join(folder, 'kept')
  cpSync(releases, kept, { recursive: true })
  const state = readFileSync(path.join(folder, 'secrets', 'log-state.json'))
  rmSync(path.join(releases, 'versions', 'VS-0004.json'))
  rmSync(path.join(releases, 'versions', 'VS-0003.json'))
  rmSync(path.join(releases, 'log'), { recursive: true })
  rmSync(path.join(folder, 'secrets', 'log-state.json'))
  await svcIn(folder, ['tlog', 'init', '--origin', LOG_ORIGIN])
  cpSync(path.join(kept, 'log', 'policy'), policyFile)
  assert.match((await cosign()).join(), /^1,[^]*it has seen 4 entries, and this folder has 2/)
  await svcIn(folder, ['rollback', 'VS-0001', '--note', 'Another third', '--no-witnesses'])
  await svcIn(folder, ['rollback', 'VS-0002', '--note', 'Another fourth', '--no-witnesses'])
  assert.match((await cosign()).join(), /^1,[^]*ALARM/)
  rmSync(releases, { recursive: true })
  renameSync(kept, releases)
  writeFileSync(path.join(folder, 'secrets', 'log-state.json'), state)
  assert.equal((await cosign())[0], 0)

  // Both keys sign. The witness knows the old one until its operator adds the new one.
  const rotated = succeeded(await svcIn(folder, ['tlog', 'new-key', '--json']))
  assert.equal((await cosign())[0], 0)
  await svcIn(folder, ['tlog', 'retire-key', vkey.split('+')[1] ?? ''])
  await svcIn(folder, ['rollback', 'VS-0002', '--note', 'Signed by the new key'])
  assert.match((await cosign()).join(), /^1,[^]*does not know the log key/)
  const { current } = JSON.parse(rotated) as { readonly current: string }
  witness.control('add-key', '-origin', LOG_ORIGIN, '-key', current)
  assert.equal((await cosign())[0], 0)
})

const RECIPE = path.resolve('deploy/witness/run.sh')

/** A witness as deploy/witness runs it in its container: the folder is the volume. */
async function startRecipe(t: TestContext, folder: string, name: string) {
  mkdirSync(folder)
  const port = await freePort()
  const start = async () => {
    const own = spawn('sh', [RECIPE], {
      cwd: folder,
      env: { ...process.env, NAME: name, LISTEN: `127.0.0.1:${port}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let printed = ''
    own.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
    const ended = once(own, 'close')
    const stop = async () => {
      own.kill()
      await ended
    }
    t.after(stop)
    await eventually('the witness answers', () =>
      fetch(`http://127.0.0.1:${port}/`).catch(() => undefined),
    )
    return { stop, vkey: /vkey=(\S+)/.exec(printed)?.[1] ?? printed }
  }
  return { folder, url: `http://127.0.0.1:${port}/`, start }
}

test(
  'two operators witness each other: docs/witnesses.md, step by step',
  { skip: missing.length > 0 && `${missing.join(', ')} missing (Debian's torchwood)` },
  async (t) => {
    const document = readFileSync('docs/witnesses.md', 'utf8')
    const addLog = /`podman exec witness witnessctl (add-log [^`]*)`/.exec(document)?.[1] ?? ''
    const addKey = /^witnessctl (add-key .*)$/m.exec(document)?.[1] ?? ''
    const parent = temporaryFolder(t)

    // Step 1: what each sends the other.
    const openOperator = async (name: string) => {
      const folder = folderWithReleases(t)
      const origin = `api.${name}.example/log`
      const made = await svcIn(folder, ['tlog', 'init', '--origin', origin])
      const line = /^log .*$/m.exec(made.out)?.[0] ?? ''
      const witness = await startRecipe(t, path.join(parent, name), `witness.${name}.example/w`)
      return { name, folder, origin, line, witness, running: await witness.start() }
    }
    const a = await openOperator('a')
    const b = await openOperator('b')
    const cosign = async ({ folder }: typeof a) => {
      const { status, out } = await svcIn(folder, ['tlog', 'cosign'])
      return [status, out].join()
    }
    const pairs = [
      [a, b],
      [b, a],
    ] as const
    for (const [own, other] of pairs) {
      // Step 2, with the commands of the document.
      for (const command of [addLog, addKey]) {
        const args = command
          .replace(/ -origin \S+/, ` -origin ${other.origin}`)
          .replace(/ -key \S+/, ` -key ${other.line.split(' ')[1]}`)
        execFileSync('witnessctl', args.split(' '), { cwd: own.witness.folder, stdio: 'ignore' })
      }
    }
    for (const [own, { name, running, witness }] of pairs) {
      // Step 3.
      const policy = `${own.line}\nwitness ${name} ${running.vkey} ${witness.url}\nquorum ${name}\n`
      writeFileSync(path.join(own.folder, 'releases', 'log', 'policy'), policy)
      assert.match(await cosign(own), /^0,[^]*serves 3 versions[^]*cosigned at/)
    }

    // Step 4: readers check the cosignature of the other operator with this policy.
    const releases = loadReleases(openReleaseStore(path.join(a.folder, 'releases')))
    const app = await runApp(t, { releases })
    app.clock.ms = Date.now()
    const audit = ['audit', app.origin, '--pin', key.keyId, '--state', 'state.json']
    const audited = succeeded(await svcIn(a.folder, [...audit, '--policy', 'releases/log/policy']))
    assert.match(audited, /Cosigned by b; the quorum was met at/)

    // The partner is away: publishing goes on, and the log follows when the partner is back with its key and memory.
    await b.running.stop()
    succeeded(await rollBackTo(a.folder, 'VS-0001', 'Back'))
    assert.match(await cosign(a), /^3,[^]*the checkpoint of 3 stays served/)
    const back = await b.witness.start()
    assert.equal(back.vkey, b.running.vkey)
    assert.match(await cosign(a), /^0,[^]*serves 4 versions/)
  },
)
