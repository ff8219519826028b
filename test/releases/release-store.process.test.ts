import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { sha256Base64url } from '../../src/crypto/sha256.ts'
import {
  openReleaseStore,
  ReleaseFileError,
  type ReleaseFileFault,
} from '../../src/releases/release-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function assertFault(code: ReleaseFileFault, run: () => unknown, message?: RegExp): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof ReleaseFileError)
    assert.equal(error.code, code)
    if (message !== undefined) assert.match(error.message, message)
    return true
  })
}

const TEXT = '{"name":"ไทย 中文 €"}'
const DIGEST = sha256Base64url(TEXT)

test('the layout: a version by its ID, a resource by its name and digest, with unchanged bytes', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(path.join(folder, 'made', 'on', 'demand'))
  assert.deepEqual(store.readVersionIds(), [])
  store.writeResource('wallet/security', DIGEST, TEXT)
  store.appendVersion('VS-0001', TEXT)
  const root = path.join(folder, 'made', 'on', 'demand')
  const resourceBytes = fs.readFileSync(
    path.join(root, 'resources', 'wallet', 'security', `${DIGEST}.json`),
  )
  assert.deepEqual(resourceBytes, Buffer.from(TEXT))
  assert.deepEqual(fs.readFileSync(path.join(root, 'versions', 'VS-0001.json')), Buffer.from(TEXT))
  assert.equal(createHash('sha256').update(resourceBytes).digest('base64url'), DIGEST)
  assert.equal(store.readResourceText('wallet/security', DIGEST), TEXT)
  assert.equal(store.readVersionText('VS-0001'), TEXT)
  assert.deepEqual(fs.readdirSync(path.join(root, 'versions')), ['VS-0001.json'])
})

test('lists IDs by number and ignores other files', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  for (const id of ['VS-10000', 'VS-0002', 'VS-9999', 'VS-0001']) store.appendVersion(id, TEXT)
  for (const name of [
    'VS-0003.json.bak',
    '.VS-0003.json.abc.tmp',
    'VS-1.json',
    'vs-0004.json',
    'x.json',
    'VS-0005',
  ]) {
    fs.writeFileSync(path.join(folder, 'versions', name), '{')
  }
  assert.deepEqual(store.readVersionIds(), ['VS-0001', 'VS-0002', 'VS-9999', 'VS-10000'])
})

test('never replaces a version', (t) => {
  const store = openReleaseStore(temporaryFolder(t))
  store.appendVersion('VS-0001', TEXT)
  assertFault(
    'EXISTS',
    () => store.appendVersion('VS-0001', '{}'),
    /^VS-0001 was published already/,
  )
  assert.equal(store.readVersionText('VS-0001'), TEXT)
})

test('a resource may be written again, which repairs a damaged one', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  store.writeResource('status', DIGEST, TEXT)
  store.writeResource('status', DIGEST, TEXT)
  const file = path.join(folder, 'resources', 'status', `${DIGEST}.json`)
  fs.writeFileSync(file, '{"name":')
  store.writeResource('status', DIGEST, TEXT)
  assert.equal(fs.readFileSync(file, 'utf8'), TEXT)
  assert.deepEqual(fs.readdirSync(path.dirname(file)), [`${DIGEST}.json`])
})

test('refuses a text that does not match its digest', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  assertFault(
    'DIGEST_MISMATCH',
    () => store.writeResource('status', DIGEST, `${TEXT}\n`),
    /^status: found the digest [\w-]{43}, expected [\w-]{43}$/,
  )
  assert.deepEqual(fs.readdirSync(folder), [])
})

test('rejects invalid names and names outside the folder before touching a file', (t) => {
  const folder = temporaryFolder(t)
  fs.writeFileSync(path.join(folder, 'secret.json'), 'secret')
  const store = openReleaseStore(path.join(folder, 'releases'))
  for (const id of [
    'VS-1',
    'VS-0001/../../secret',
    '../secret',
    'VS-0001\0',
    'VS-0001\n',
    '',
    'vs-0001',
    'VS-00０1',
  ]) {
    assertFault('INVALID_NAME', () => store.readVersionText(id), /is not a version id/)
    assertFault('INVALID_NAME', () => store.appendVersion(id, TEXT))
  }
  for (const name of [
    '..',
    '../secret',
    'wallet/..',
    'wallet//x',
    '/etc',
    'wallet/',
    'Status',
    'a\\b',
    'a.b',
    '',
    '-a',
  ]) {
    assertFault(
      'INVALID_NAME',
      () => store.readResourceText(name, DIGEST),
      /is not a resource name/,
    )
    assertFault('INVALID_NAME', () => store.writeResource(name, DIGEST, TEXT))
  }
  for (const digest of [
    '',
    '../../../secret',
    DIGEST.slice(1),
    `${DIGEST}=`,
    `${DIGEST.slice(1)}.`,
    `${DIGEST}\n`,
  ]) {
    assertFault(
      'INVALID_NAME',
      () => store.readResourceText('status', digest),
      /is not a digest of status/,
    )
  }
  assert.deepEqual(fs.readdirSync(folder), ['secret.json'])
})

test('distinguishes a missing file from an unreadable one, with the path', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  assertFault(
    'MISSING',
    () => store.readVersionText('VS-0001'),
    /versions.VS-0001\.json is missing$/,
  )
  assertFault('MISSING', () => store.readResourceText('status', DIGEST), /is missing$/)
  fs.mkdirSync(path.join(folder, 'versions', 'VS-0001.json'), { recursive: true })
  assertFault(
    'UNREADABLE',
    () => store.readVersionText('VS-0001'),
    /VS-0001\.json cannot be read: it is not a regular file/,
  )
  fs.rmSync(path.join(folder, 'versions'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'versions'), '')
  assertFault(
    'UNREADABLE',
    () => store.readVersionIds(),
    /versions cannot be listed: versions is a file; expected a folder/,
  )
  assertFault(
    'UNWRITABLE',
    () => store.appendVersion('VS-0001', TEXT),
    /VS-0001\.json cannot be written: /,
  )
})

/** The file operations of a write, in which a crash is simulated: it and all later ones fail, clean-up included. */
const WRITE_OPERATIONS = [
  'mkdirSync',
  'openSync',
  'writeFileSync',
  'fsyncSync',
  'closeSync',
  'linkSync',
  'renameSync',
  'rmSync',
] as const

/** Runs `write` and lets the process "die" before its operation number `survived`. Returns whether it got so far. */
function crashAt(t: TestContext, survived: number, write: () => void): boolean {
  let done = 0
  const mocks = WRITE_OPERATIONS.map((name) => {
    const original: (...args: never[]) => unknown = fs[name]
    return t.mock.method(fs, name, (...args: never[]) => {
      if (done >= survived) throw new Error('simulated crash')
      done += 1
      return original(...args)
    })
  })
  try {
    write()
    return false
  } catch (error) {
    assert.ok(
      error instanceof ReleaseFileError ||
        (error instanceof Error && error.message === 'simulated crash'),
    )
    return true
  } finally {
    for (const mock of mocks) mock.mock.restore()
  }
}

test('a crash at any step leaves the version complete or absent, and the next try works', (t) => {
  let survived = 0
  for (; ; survived += 1) {
    const folder = temporaryFolder(t)
    const store = openReleaseStore(folder)
    store.appendVersion('VS-0001', TEXT)
    const crashed = crashAt(t, survived, () => store.appendVersion('VS-0002', TEXT))
    const ids = openReleaseStore(folder).readVersionIds()
    assert.ok(ids.length === 1 || ids.length === 2)
    for (const id of ids) assert.equal(store.readVersionText(id), TEXT)
    if (!crashed) break
    if (ids.length === 1) store.appendVersion('VS-0002', TEXT)
    assert.deepEqual(store.readVersionIds(), ['VS-0001', 'VS-0002'])
  }
  // Folder, temporary file (open, write, sync, close), link, folder (open, sync, close): fewer would mean that
  // something durable is left out.
  assert.ok(survived >= 9, `only ${survived} operations`)
})

test('a crash at any step leaves a resource complete, absent or as it was', (t) => {
  for (let survived = 0; ; survived += 1) {
    const folder = temporaryFolder(t)
    const store = openReleaseStore(folder)
    const crashed = crashAt(t, survived, () => store.writeResource('status', DIGEST, TEXT))
    try {
      assert.equal(store.readResourceText('status', DIGEST), TEXT)
    } catch (error) {
      assert.ok(error instanceof ReleaseFileError && error.code === 'MISSING')
    }
    store.writeResource('status', DIGEST, TEXT)
    assert.equal(store.readResourceText('status', DIGEST), TEXT)
    if (!crashed) break
  }
})

test('syncs the file before it gets its name, and the folder after', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  const calls: string[] = []
  for (const name of WRITE_OPERATIONS) {
    const original: (...args: never[]) => unknown = fs[name]
    t.mock.method(fs, name, (...args: never[]) => {
      calls.push(name)
      return original(...args)
    })
  }
  store.writeResource('status', DIGEST, TEXT)
  const order = calls.join(' ')
  assert.match(order, /writeFileSync fsyncSync closeSync renameSync openSync fsyncSync closeSync/)
  assert.equal(calls.indexOf('mkdirSync'), 0)
})

test('syncs the parent of a new folder before writing into it', (t) => {
  const above = temporaryFolder(t)
  const root = path.join(above, 'a', 'releases')
  const store = openReleaseStore(root)
  const opened: string[] = []
  const { openSync } = fs
  t.mock.method(fs, 'openSync', (...args: Parameters<typeof openSync>) => {
    // Folders are opened to be synced, a file to be made.
    opened.push(args[1] === 'wx' ? 'new file' : path.relative(above, String(args[0])))
    return openSync(...args)
  })
  store.writeResource('wallet/security', DIGEST, TEXT)
  const written = opened.indexOf('new file')
  const releases = path.join('a', 'releases')
  const wallet = path.join(releases, 'resources', 'wallet')
  assert.deepEqual(opened.slice(0, written).toSorted(), [
    '',
    'a',
    releases,
    path.join(releases, 'resources'),
    wallet,
  ])
  assert.deepEqual(opened.slice(written + 1), [path.join(wallet, 'security')])
  // In a folder that is there nothing but the new name has to be made durable.
  opened.length = 0
  store.writeResource('wallet/security', DIGEST, TEXT)
  assert.deepEqual(opened.slice(1), [path.join(wallet, 'security')])
})

test('a number has one spelling, and versions the order of their numbers', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  const ids = ['VS-0001', 'VS-0002', 'VS-9999', 'VS-10000']
  for (const id of ids.toReversed()) store.appendVersion(id, TEXT)
  for (const id of ['VS-00001', 'VS-0000', 'VS-00000', 'VS-1']) {
    assertFault('INVALID_NAME', () => store.appendVersion(id, TEXT), /is not a version id/)
    fs.writeFileSync(path.join(folder, 'versions', `${id}.json`), TEXT)
  }
  assert.deepEqual(store.readVersionIds(), ids)
})

test('a file instead of a folder is an error', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  fs.mkdirSync(path.join(folder, 'resources'))
  fs.writeFileSync(path.join(folder, 'resources', 'wallet'), 'a file')
  for (const name of ['wallet', 'wallet/security']) {
    const read = () => store.readResourceText(name, DIGEST)
    assertFault('UNREADABLE', read, /resources\/wallet is a file; expected a folder$/)
  }
})

test('a version that cannot get its name is not reported as existing', (t) => {
  const store = openReleaseStore(temporaryFolder(t))
  const refused = Object.assign(new Error('EIO: i/o error, link'), {
    code: 'EIO',
  })
  const link = t.mock.method(fs, 'linkSync', () => {
    throw refused
  })
  assert.throws(
    () => store.appendVersion('VS-0001', TEXT),
    (error) =>
      error instanceof ReleaseFileError && error.code === 'UNWRITABLE' && error.cause === refused,
  )
  link.mock.restore()
  assert.deepEqual(store.readVersionIds(), [])
  store.appendVersion('VS-0001', TEXT)
  assert.deepEqual(store.readVersionIds(), ['VS-0001'])
})

test('lists 10,000 versions with one directory read and reads each once', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  const versions = path.join(folder, 'versions')
  fs.mkdirSync(versions)
  // Written without the store: ten thousand syncs would measure the disk of the test machine.
  for (let sequence = 1; sequence <= 10_000; sequence += 1) {
    fs.writeFileSync(path.join(versions, `VS-${String(sequence).padStart(4, '0')}.json`), TEXT)
  }
  const calls = { readdirSync: 0, openSync: 0, statSync: 0 }
  for (const name of Object.keys(calls) as readonly (keyof typeof calls)[]) {
    const original: (...args: never[]) => unknown = fs[name]
    t.mock.method(fs, name, (...args: never[]) => {
      calls[name] += 1
      return original(...args)
    })
  }
  const ids = store.readVersionIds()
  assert.deepEqual(calls, { readdirSync: 1, openSync: 0, statSync: 0 })
  for (const id of ids) assert.equal(store.readVersionText(id), TEXT)
  assert.equal(ids.length, 10_000)
  assert.equal(ids[9999], 'VS-10000')
  assert.deepEqual(calls, { readdirSync: 1, openSync: 10_000, statSync: 0 })
})

test('reads only regular files of a bounded size', (t) => {
  const folder = temporaryFolder(t)
  const store = openReleaseStore(folder)
  store.writeResource('status', DIGEST, TEXT)
  store.appendVersion('VS-0001', TEXT)
  const resource = path.join(folder, 'resources', 'status', `${DIGEST}.json`)
  const readResource = () => store.readResourceText('status', DIGEST)
  const version = path.join(folder, 'versions', 'VS-0001.json')
  for (const [file, read, limit] of [
    [version, () => store.readVersionText('VS-0001'), 1_048_576],
    [resource, readResource, 8_388_608],
  ] as const) {
    const replace = (make: () => void) => {
      fs.rmSync(file)
      make()
    }
    replace(() => execFileSync('mkfifo', [file]))
    assertFault('UNREADABLE', read, /it is not a regular file$/)
    for (const device of ['/dev/zero', '/dev/null', '/dev/full']) {
      replace(() => fs.symlinkSync(device, file))
      assertFault('UNREADABLE', read, /json is a link; expected a file$/)
    }
    // A sparse file takes no room on the disk, and reading it would take 300 MB of memory.
    replace(() => {
      fs.writeFileSync(file, '')
      fs.truncateSync(file, 300_000_000)
    })
    assertFault(
      'UNREADABLE',
      read,
      new RegExp(`it has 300000000 bytes; expected at most ${limit}$`),
    )
  }
  fs.writeFileSync(resource, 'x'.repeat(8_388_608))
  // Read as a whole, and then compared with its digest.
  assertFault('DIGEST_MISMATCH', readResource, /found the digest [\w-]{43}, expected [\w-]{43}$/)
})

test("does not write a resource that exceeds the readers' size limit", (t) => {
  const folder = temporaryFolder(t)
  const text = JSON.stringify('é'.repeat(4_194_304))
  assertFault('TOO_LARGE', () =>
    openReleaseStore(folder).writeResource('status', sha256Base64url(text), text),
  )
  assert.deepEqual(fs.readdirSync(folder), [])
})
