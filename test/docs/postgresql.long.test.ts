import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { openStorage } from '../../src/storage/open-storage.ts'
import { freePort, hasProgram } from '../caches/cache-process.ts'
import { makeDeployment } from '../support/deployment.ts'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { eventually } from '../support/eventually.ts'
import { startRegistering } from '../support/registering-service.ts'
import { SVC } from '../support/run-program.ts'
import { cleanEnvironment } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The blocks of commands and settings that no test has used yet. */
const unused = new Set(documentedBlocks('docs/postgresql.md').map(({ text }) => text))

/** Uses the one block that contains a text, with the values of this machine in place of the documented ones. */
function takeBlock(contained: string, values: { readonly [documented: string]: string }): string {
  const found = [...unused].filter((text) => text.includes(contained))
  assert.equal(found.length, 1, `blocks with "${contained}"`)
  const [block = ''] = found
  unused.delete(block)
  return Object.entries(values).reduce((text, [value, here]) => {
    assert.ok(text.includes(value), `"${value}" is in ${text}`)
    return text.replaceAll(value, here)
  }, block)
}

const PASSWORD = 'pass~word'
const [BINARIES = ''] = spawnSync('sh', [
  '-c',
  'ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1',
])
  .stdout.toString()
  .split('\n')
const isRoot = process.getuid?.() === 0
/** PostgreSQL and PgBouncer refuse to run as root. */
const RIGHTS = isRoot ? { uid: 65_534, gid: 65_534 } : {}

/** `sudo -u postgres` and `systemctl` as they work on the documented machine. */
const SHELL = `
set -euo pipefail
sudo() { if [ "$1" = -u ]; then shift 2; fi; "$@"; }
systemctl() { pg_ctl --silent --wait --mode=fast --pgdata="$DATA" --log="$DATA.log" "$1"; }
`

/** A certificate for 127.0.0.1 from a CA, and another CA. */
const CERTIFICATES = `
new_key() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "$@" 2>/dev/null; }
new_key -x509 -days 2 -subj /CN=ca -keyout ca.key -out ca.pem
new_key -x509 -days 2 -subj /CN=other -keyout other.key -out other.pem
new_key -subj /CN=database -keyout server.key -out server.csr
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 2 -out server.pem \\
  -extfile <(echo subjectAltName=IP:127.0.0.1) 2>/dev/null
`

/** The database server of the page. Over TCP it accepts only TLS and passwords. */
async function startMachine(t: { after(end: () => void): void }) {
  const ending = { run() {} }
  t.after(() => ending.run())
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  if (isRoot) chownSync(folder, 65_534, 65_534)
  const port = await freePort()
  const inFolder = (name: string) => path.join(folder, name)
  const env = {
    PATH: `${BINARIES}:${process.env['PATH']}`,
    LC_ALL: 'C',
    DATA: inFolder('main'),
    PGHOST: folder,
    PGPORT: String(port),
    PGUSER: 'postgres',
  }
  function run(commands: string): string {
    const options = { cwd: folder, env, encoding: 'utf8', timeout: 60_000, ...RIGHTS } as const
    const { status, stdout, stderr } = spawnSync('bash', ['-c', SHELL + commands], options)
    assert.equal(status, 0, `${commands}\n${stdout}${stderr}`)
    return stdout
  }
  function writeSettings(lines: string): void {
    writeFileSync(inFolder('main/postgresql.conf'), `${lines}\n`, { flag: 'a' })
  }
  run(
    `initdb --pgdata="$DATA" --username=postgres --auth=trust --no-sync\n${CERTIFICATES}\nmkdir -p backups/wal`,
  )
  writeFileSync(
    inFolder('main/pg_hba.conf'),
    'local all,replication postgres trust\nlocal replication postgres trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n',
  )
  writeSettings(`listen_addresses = '127.0.0.1'
unix_socket_directories = '${folder}'
ssl = on
ssl_cert_file = '${inFolder('server.pem')}'
ssl_key_file = '${inFolder('server.key')}'`)
  run('systemctl start')
  ending.run = () => void run('systemctl stop')
  return {
    folder,
    port,
    inFolder,
    run,
    configure(lines: string) {
      writeSettings(lines)
      run('systemctl restart')
    },
    /** One value of a query, as the administrator. */
    ask: (sql: string, database = 'public_api') =>
      run(`psql --quiet --tuples-only --no-align --dbname=${database} --command="${sql}"`).trim(),
  }
}

/** Starts PgBouncer with a configuration. */
async function startBouncer(t: TestContext, file: string, port: number): Promise<void> {
  const child = spawn('pgbouncer', ['--quiet', file], { stdio: 'ignore', ...RIGHTS })
  t.after(async () => {
    const ended = child.exitCode === null ? once(child, 'close') : []
    child.kill('SIGKILL')
    await ended
  })
  await eventually('PgBouncer listens', async () => {
    assert.equal(child.exitCode, null, 'PgBouncer runs')
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').catch(() => undefined)
    socket.destroy()
    return isOpen
  })
}

const skip =
  (BINARIES === '' && "Debian's postgresql is not installed") ||
  (!hasProgram('pgbouncer') && 'pgbouncer is not installed') ||
  (!hasProgram('openssl') && 'openssl is not installed')

test('every command and setting of docs/postgresql.md works', { skip }, async (t) => {
  const machine = await startMachine(t)
  const { run, ask, inFolder } = machine
  const deployment = makeDeployment(t)
  const address = `127.0.0.1:${machine.port}`
  const here = { '/var/backups/postgresql': inFolder('backups') }

  run(takeBlock('CREATE ROLE', { 'REPLACE-ME': PASSWORD }))
  const [, url = ''] =
    /^SVC_DATABASE_URL=(.*)\n$/.exec(
      takeBlock('SVC_DATABASE_URL=', {
        'REPLACE-ME': encodeURIComponent(PASSWORD),
        'db.example.org:5432': address,
        '/etc/public-api/database-ca.pem': inFolder('ca.pem'),
      }),
    ) ?? []
  assert.notEqual(url, '')
  const start = (databaseUrl = url) =>
    startRegistering(t, { SVC_DATABASE_URL: databaseUrl }, { deployment })

  await t.test('copying from SQLite', async () => {
    const embedded = await startRegistering(t, {}, { deployment })
    for (const name of ['first', 'second']) {
      assert.equal((await embedded.register({ email: `${name}@example.org` })).status, 200)
    }
    await embedded.service.stop()
    const command = takeBlock('db copy', { 'npm run svc --': `${process.execPath} ${SVC}` })
    const { status, stderr } = spawnSync('sh', ['-c', command], {
      cwd: deployment.folder,
      env: cleanEnvironment({ SVC_DATABASE_URL: url }),
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    assert.equal(ask('SELECT count(*) FROM svc.registrations'), '2')
    const node = await start()
    assert.equal((await node.register({ email: 'first@example.org' })).code, 'DUPLICATE')
    assert.equal(
      ask(
        "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'public-api'",
      ),
      't',
    )
    assert.match(run(takeBlock('pg_stat_activity', {})), /idle[\s\S]*last_failed_time/)
    await node.service.stop()
  })

  await t.test('a schema made by the administrator', async () => {
    ask('CREATE DATABASE owned_by_another', 'postgres')
    const command = takeBlock('CREATE SCHEMA', {
      '--dbname=public_api': '--dbname=owned_by_another',
    })
    run(command)
    const node = await start(url.replace('/public_api?', '/owned_by_another?'))
    assert.equal((await node.register({ email: 'first@example.org' })).status, 200)
    await node.service.stop()
  })

  await t.test('the meanings of sslmode', async () => {
    const page = readFileSync('docs/postgresql.md', 'utf8')
    const rows = page.match(/^\| (?:not set, )?`(?:disable|no-verify|verify-full)`.*$/gm)
    assert.equal(rows?.length, 3)
    const open = async (query: string) => {
      const location = { kind: 'postgres', url: url.replace(/\?.*/, query) } as const
      await (await openStorage(location, 'read-only')).close()
    }
    await assert.rejects(open(''), { code: 'REFUSED' })
    await assert.rejects(open('?sslmode=disable'), { code: 'REFUSED' })
    await open('?sslmode=no-verify')
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
      const query = `?sslmode=${mode}`
      await open(`${query}&sslrootcert=${inFolder('ca.pem')}`)
      await assert.rejects(open(query), { code: 'TLS' }, mode)
      await assert.rejects(open(`${query}&sslrootcert=${inFolder('other.pem')}`), { code: 'TLS' })
      const missing = open(`${query}&sslrootcert=${inFolder('missing.pem')}`)
      await assert.rejects(missing, { code: 'TLS_FILE' })
    }
    // A certificate for another host.
    const mapped = url.replace('127.0.0.1', 'localhost')
    await assert.rejects(openStorage({ kind: 'postgres', url: mapped }, 'read-only'), {
      message: /ERR_TLS_CERT_ALTNAME_INVALID/,
    })
  })

  await t.test('PgBouncer with TLS to the server', async () => {
    const port = await freePort()
    writeFileSync(inFolder('userlist.txt'), `"public_api" "${PASSWORD}"\n`)
    writeFileSync(
      inFolder('pgbouncer.ini'),
      `${takeBlock('pool_mode = transaction', {
        'host=db.example.org port=5432': `host=127.0.0.1 port=${machine.port}`,
        'listen_port = 6432': `listen_port = ${port}`,
        '/etc/pgbouncer/userlist.txt': inFolder('userlist.txt'),
        '/etc/pgbouncer/database-ca.pem': inFolder('ca.pem'),
      })}unix_socket_dir =\n`,
    )
    await startBouncer(t, inFolder('pgbouncer.ini'), port)
    const node = await start(`postgres://public_api:${PASSWORD}@127.0.0.1:${port}/public_api`)
    assert.equal((await node.register({ email: 'third@example.org' })).status, 200)
    await node.service.stop()
  })

  await t.test('a registration that waits for a lock is refused and not stored later', async () => {
    const node = await start()
    const { folder: host, port } = machine
    const holder = new Client({ host, port, user: 'postgres', database: 'public_api' })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE svc.registrations')
    const refused = await node.register({ email: 'waiting@example.org' })
    assert.equal(refused.status, 503, refused.text)
    await holder.query('COMMIT')
    await holder.end()
    const repeated = await node.register({ email: 'waiting@example.org' })
    assert.equal(repeated.status, 200, repeated.text)
    assert.equal(repeated.code, undefined)
    await node.service.stop()
  })

  await t.test('restores a copy into a new database', async () => {
    run(takeBlock('pg_dump', here))
    run(takeBlock('pg_restore', here))
    const restored = await start(url.replace('/public_api?', '/public_api_restored?'))
    assert.equal((await restored.register({ email: 'first@example.org' })).code, 'DUPLICATE')
    assert.equal((await restored.register({ email: 'fourth@example.org' })).status, 200)
    await restored.service.stop()
    const tickets = 'SELECT string_agg(ticket, chr(32) ORDER BY position) FROM svc.registrations'
    assert.ok(ask(tickets, 'public_api_restored').startsWith(`${ask(tickets)} `))
  })

  await t.test('recovers to a point in time', async () => {
    machine.configure(takeBlock('archive_mode', here))
    run(takeBlock('pg_basebackup', here))
    const node = await start()
    const before = await node.register({ email: 'before@example.org' })
    assert.equal(before.status, 200)
    const target = ask('SELECT clock_timestamp()')
    ask('DELETE FROM svc.registrations WHERE position > 1')
    assert.equal((await node.register({ email: 'after@example.org' })).status, 200)
    await node.service.stop()

    run(
      takeBlock('recovery_target_time', {
        ...here,
        '/var/lib/postgresql/15': machine.folder,
        '2026-11-22 13:00:00+00': target,
      }),
    )
    const recovered = await start()
    assert.equal((await recovered.register({ email: 'before@example.org' })).code, 'DUPLICATE')
    const listed = ask(
      'SELECT string_agg(ticket, chr(32) ORDER BY position) FROM svc.registrations',
    )
    assert.equal(listed.split(' ').length, 5)
    assert.equal(listed.split(' ').at(-1), before.ticket)
    assert.equal((await recovered.register({ email: 'after@example.org' })).status, 200)
    await recovered.service.stop()
  })

  assert.deepEqual([...unused], [], 'blocks of the page that no test ran')
})
