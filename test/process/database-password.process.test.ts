import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { startRegistering } from '../support/registering-service.ts'
import { failedStart } from '../support/service-process.ts'

const PASSWORD = 'the~password'

/** The command lines of a process and its children, as every user of the machine can read them. */
function commandLines(pid: number): string {
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')[1]
        const isOurs = Number(name) === pid || Number(parent) === pid
        return isOurs ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : []
      } catch {
        return []
      }
    })
  assert.ok(lines.length >= 3, 'the primary and two workers')
  return lines.join('\n')
}

test(
  'the password of the database appears in no output, also in an outage',
  { skip: postgresMissing ?? false },
  async (t) => {
    const postgres = await startPostgres(t)
    const url = new URL(postgres.url)
    url.password = PASSWORD
    const node = await startRegistering(t, {
      SVC_DATABASE_URL: url.href,
      SVC_WORKERS: '2',
      SVC_ADMIN_PORT: '0',
      SVC_LOG_LEVEL: 'trace',
    })
    const { port: adminPort } = await node.service.line('Health and metrics')
    const shown = [commandLines(node.service.pid)]
    const look = async () => {
      const metrics = await fetch(`http://127.0.0.1:${String(adminPort)}/metrics`)
      const readiness = await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`)
      shown.push(await metrics.text(), await readiness.text())
    }
    assert.equal((await node.register({ email: 'first@example.org' })).status, 200)
    await look()
    await postgres.kill()
    const refused = await node.register({ email: 'second@example.org' })
    assert.equal(refused.status, 503)
    shown.push(refused.text)
    await look()
    await postgres.start()
    await eventually('registrations are admitted again', async () => {
      const { status, text } = await node.register({ email: 'second@example.org' })
      shown.push(text)
      return status === 200 || undefined
    })
    await node.service.stop()
    const { service: wrong } = await failedStart(t, node.folder, {
      SVC_DATABASE_URL: url.href.replace('/postgres', '/missing').replace('postgres:/', 'mysql:/'),
    })
    const unknown = new URL(url)
    unknown.pathname = '/missing'
    const { service: missing } = await failedStart(t, node.folder, {
      SVC_DATABASE_URL: unknown.href,
    })
    assert.match(missing.stdout(), /the database does not exist/)
    for (const { stdout, stderr } of [node.service, wrong, missing]) shown.push(stdout(), stderr())

    assert.match(shown.join('\n'), /Database unavailable|REGISTRATION_UNAVAILABLE/)
    for (const text of shown) assert.ok(!text.includes(PASSWORD), text)
  },
)
