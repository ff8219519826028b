import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { execSql, holdLock } from '../storage/sqlite/sqlite-fixture.ts'
import { makeDeployment } from '../support/deployment.ts'
import {
  assertSound,
  copyAfterCrash,
  openRows,
  readKept,
  readRows,
  solvedToken,
  startRegistering,
  type KeptRegistration,
  type RegisteringService,
} from '../support/registering-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// What cannot be kept is answered 503 and never with a ticket; reads do not notice; and when the trouble is over the same
// process registers again, also what it had to refuse.

const TINY_DISK_MAIN = fileURLToPath(new URL('../support/full-disk-main.ts', import.meta.url))

async function stateOf(running: RegisteringService): Promise<unknown> {
  const { status, data } = await running.read('/api/v1/early-access')
  assert.equal(status, 200)
  return data['state']
}

async function assertUnavailable(
  running: RegisteringService,
  email: string,
  fields: object = {},
): Promise<void> {
  const said = await running.register({ email, ...fields })
  assert.deepEqual([said.status, said.code], [503, 'REGISTRATION_UNAVAILABLE'], said.text)
}

async function assertRegistered(
  running: RegisteringService,
  email: string,
  fields: object = {},
): Promise<string> {
  const { status, code, ticket, text } = await running.register({ email, ...fields })
  assert.deepEqual([status, code], [200, undefined], text)
  return ticket ?? ''
}

/** Asserts that exactly these are on the list, by address with their tickets, each once. */
function assertList(
  kept: readonly KeptRegistration[],
  expected: ReadonlyMap<string, string>,
): void {
  assert.deepEqual(new Map(kept.map(({ entry }) => [entry.email, entry.ticket])), expected)
  assert.equal(kept.length, expected.size)
}

test('serves reads while another program holds the lock, and accepts the same request afterwards', async (t) => {
  const running = await startRegistering(t, { SVC_CHALLENGE: 'altcha' })
  assert.equal(await stateOf(running), 'open')
  const kept = new Map<string, string>()
  const first = await solvedToken(running.port)
  kept.set(
    'first@example.org',
    await assertRegistered(running, 'first@example.org', { challengeToken: first }),
  )

  const challengeToken = await solvedToken(running.port)
  const release = holdLock(t, running.databaseFile)
  let isAnswered = false
  const waiting = assertUnavailable(running, 'second@example.org', { challengeToken }).then(() => {
    isAnswered = true
  })
  for (let each = 0; each < 20; each += 1) {
    assert.equal((await running.read('/api/v1/status')).status, 200)
  }
  assert.equal(isAnswered, false, 'the reads did not wait for the lock')
  await waiting
  assert.equal(await stateOf(running), 'unavailable')

  release()
  kept.set(
    'second@example.org',
    await assertRegistered(running, 'second@example.org', { challengeToken }),
  )
  assert.equal(await stateOf(running), 'open')
  const again = await running.register({ email: 'third@example.org', challengeToken })
  assert.equal(again.code, 'CHALLENGE_FAILED', 'now it is spent')
  assertList(await readKept(running), kept)
  assert.deepEqual(await running.service.stop(), { code: 0, signal: null })
})

test('refuses all requests that wait for one lock, and accepts them afterwards', async (t) => {
  const running = await startRegistering(t, {})
  await assertRegistered(running, 'first@example.org')
  const release = holdLock(t, running.databaseFile)
  const emails = Array.from({ length: 40 }, (_each, index) => `reader-${index}@example.org`)
  await Promise.all(emails.map((email) => assertUnavailable(running, email)))
  release()
  const tickets = await Promise.all(emails.map((email) => assertRegistered(running, email)))
  assert.equal(new Set(tickets).size, emails.length)
  assert.equal((await readKept(running)).length, emails.length + 1)
  assert.equal(running.service.stderr(), '')
})

test('waits for a lock that is released in time', async (t) => {
  const running = await startRegistering(t, {})
  await assertRegistered(running, 'first@example.org')
  const release = holdLock(t, running.databaseFile)
  const waiting = assertRegistered(running, 'second@example.org')
  setTimeout(() => release(), 500)
  await waiting
  assert.equal((await readKept(running)).length, 2)
})

/** Limits the size of the files that a running process may write; undefined lifts it. */
function limitFileSize(pid: number, bytes: number | undefined): void {
  const { status, stderr } = spawnSync(
    'prlimit',
    ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:`],
    { encoding: 'utf8' },
  )
  assert.equal(status, 0, stderr)
}

function isMissing(program: string): boolean {
  return spawnSync(program, ['--version']).error !== undefined
}

test('failed writes leave no rows, and later ones are stored', async (t) => {
  if (isMissing('prlimit')) {
    t.skip('prlimit (util-linux) is not there')
    return
  }
  const running = await startRegistering(t, {})
  const kept = new Map<string, string>()
  // In front of the first page that is written, within it, and between the pages of one row.
  for (const room of [0, 100, 4120, 5000, 9000, 12_000]) {
    const before = `before-${room}@example.org`
    kept.set(before, await assertRegistered(running, before))
    limitFileSize(running.service.pid, statSync(`${running.databaseFile}-wal`).size + room)
    const during = Array.from({ length: 3 }, (_each, index) => `${room}-${index}@example.org`)
    await assertUnavailable(running, during[0] ?? '')
    // From here on the disk is full: closing the log would have freed space.
    limitFileSize(running.service.pid, 0)
    for (const email of during) await assertUnavailable(running, email)
    await Promise.all(during.map((email) => assertUnavailable(running, email)))
    assert.equal((await running.read('/api/v1/status')).status, 200)
    assert.equal(await stateOf(running), 'unavailable')
    assert.equal((await running.register({ email: before })).status, 503, 'a known one too')

    limitFileSize(running.service.pid, undefined)
    for (const email of during) kept.set(email, await assertRegistered(running, email))
    assert.equal(await stateOf(running), 'open')
    assertList(await readKept(running), kept)
  }
  const crashed = running.service
  crashed.signal('SIGKILL')
  await crashed.ended
  assertSound(copyAfterCrash(t, running.databaseFile))
  assertList(await readKept(running), kept)
})

/** Why the test cannot mount a file system, or undefined. */
function tinyDiskObstacle(t: TestContext): string | undefined {
  if (process.platform !== 'linux' || process.execve === undefined) return 'this needs Linux'
  const { error, status, stderr } = spawnSync(
    'unshare',
    ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', temporaryFolder(t)],
    { encoding: 'utf8' },
  )
  if (error !== undefined) return 'unshare (util-linux) is not there'
  return status === 0 ? undefined : `no file system can be mounted here: ${stderr.trim()}`
}

/** Fills a file system to its last byte. */
function fillUp(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (const size of [65_536, 4096, 1]) {
      const chunk = Buffer.alloc(size, 'x')
      for (;;) if (writeSync(descriptor, chunk) < size) break
    }
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    closeSync(descriptor)
  }
}

test('recovers after ENOSPC', async (t) => {
  const obstacle = tinyDiskObstacle(t)
  if (obstacle !== undefined) {
    t.skip(obstacle)
    return
  }
  const deployment = makeDeployment(t)
  const program = [TINY_DISK_MAIN, deployment.dataDir, '1m']
  const started = await startRegistering(t, {}, { deployment, program })
  // The folder as the service sees it. SQLite itself would lose its way there, so it is given copies.
  const dataDir = path.join(`/proc/${started.service.pid}/root`, deployment.dataDir)
  const running = {
    ...started,
    dataDir,
    databaseFile: path.join(dataDir, path.basename(started.databaseFile)),
  }
  const kept = new Map<string, string>()
  const filler = path.join(dataDir, 'filler')
  for (const round of [1, 2]) {
    const before = `before-${round}@example.org`
    kept.set(before, await assertRegistered(running, before))
    fillUp(filler)
    // What is left of the log's last pages may still take a row.
    const refused: string[] = []
    for (let each = 0; each < 10; each += 1) {
      const email = `full-${round}-${each}@example.org`
      const { status, code, ticket } = await running.register({ email })
      if (status === 200) kept.set(email, ticket ?? '')
      else {
        assert.equal(code, 'REGISTRATION_UNAVAILABLE')
        refused.push(email)
      }
    }
    assert.ok(refused.length >= 5, 'the disk was full')
    assert.equal((await running.read('/api/v1/status')).status, 200)
    unlinkSync(filler)
    for (const email of refused) kept.set(email, await assertRegistered(running, email))
    const copy = copyAfterCrash(t, running.databaseFile)
    assertList(await openRows(running, await readRows(copy)), kept)
  }
})

/** Something that happens to the files of a database in use. */
interface Mishap {
  readonly what: string
  readonly happen: (file: string, earlier: string) => void
  /** Whether the rows from before are still on the list. */
  readonly keeps: boolean
}

const MISHAPS: readonly Mishap[] = [
  {
    what: 'deleted with its log',
    happen(file) {
      for (const suffix of ['', '-wal', '-shm']) unlinkSync(file + suffix)
    },
    keeps: false,
  },
  { what: 'deleted without its log', happen: (file) => unlinkSync(file), keeps: false },
  {
    what: 'deleted with its folder',
    happen: (file) => rmSync(path.dirname(file), { recursive: true }),
    keeps: false,
  },
  {
    what: 'moved away with its log',
    happen(file) {
      for (const suffix of ['', '-wal', '-shm']) renameSync(file + suffix, `${file}.old${suffix}`)
    },
    keeps: false,
  },
  {
    what: 'replaced by an earlier copy, and the log was taken away as it has to be',
    happen(file, earlier) {
      for (const suffix of ['-wal', '-shm']) unlinkSync(file + suffix)
      renameSync(earlier, file)
    },
    keeps: false,
  },
  {
    what: 'replaced by an earlier copy while its log stayed',
    happen: (file, earlier) => renameSync(earlier, file),
    keeps: false,
  },
  {
    what: 'left without its log',
    happen: (file) => unlinkSync(`${file}-wal`),
    keeps: false,
  },
  {
    what: 'still there when someone deleted the index of its log',
    happen: (file) => unlinkSync(`${file}-shm`),
    keeps: true,
  },
]

for (const { what, happen, keeps } of MISHAPS) {
  test(`a database that was ${what}: later confirmed registrations are stored`, async (t) => {
    const running = await startRegistering(t, {})
    const earlier = path.join(running.folder, 'earlier.sqlite')
    await assertRegistered(running, 'earlier@example.org')
    execSql(running.databaseFile, `VACUUM INTO '${earlier}'`)
    const before = await assertRegistered(running, 'before@example.org')
    happen(running.databaseFile, earlier)

    const answered = new Map<string, string>()
    for (let each = 0; each < 10; each += 1) {
      const email = `reader-${each}@example.org`
      const { status, code, ticket } = await running.register({ email })
      if (status === 200) answered.set(email, ticket ?? '')
      else assert.equal(code, 'REGISTRATION_UNAVAILABLE')
    }
    assert.ok(answered.size >= 8, `of 10 only ${answered.size} were registered`)
    const check = async () => {
      const tickets = new Map(
        (await readKept(running)).map(({ entry }) => [entry.email, entry.ticket]),
      )
      for (const [email, ticket] of answered) assert.equal(tickets.get(email), ticket, email)
      if (keeps) assert.equal(tickets.get('before@example.org'), before)
    }
    await check()
    assert.equal((await running.service.stop()).code, 0)
    await check()
    assertSound(running.databaseFile)
  })
}

test('refuses an overwritten database until it is restored', async (t) => {
  const running = await startRegistering(t, {})
  await assertRegistered(running, 'before@example.org')
  assert.equal((await running.service.stop()).code, 0)
  const again = await startRegistering(t, {}, { deployment: running })
  const good = path.join(running.folder, 'good.sqlite')
  copyFileSync(running.databaseFile, good)
  const other = path.join(running.folder, 'other')
  writeFileSync(other, 'These are notes and not a database. '.repeat(100))
  renameSync(other, running.databaseFile)
  await assertUnavailable(again, 'during@example.org')
  await assertUnavailable(again, 'during@example.org')
  assert.equal((await again.read('/api/v1/status')).status, 200)
  assert.equal(await stateOf(again), 'unavailable')
  renameSync(good, running.databaseFile)
  await assertRegistered(again, 'during@example.org')
  assert.equal((await again.register({ email: 'before@example.org' })).code, 'DUPLICATE')
  assert.equal((await again.service.stop()).code, 0)
  assertSound(running.databaseFile)
})
