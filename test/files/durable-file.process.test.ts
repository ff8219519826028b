import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import {
  claimName,
  createFile,
  makeFolder,
  partialNameOf,
  replaceFile,
  rewriteFile,
  syncFolder,
} from '@public-api/client-internal/node/durable-file'
import { listFolder } from '../support/deployment.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const WRITERS = { createFile, replaceFile }

/** Runs `body` with a umask, which the tests of one file share. */
function withUmask(umask: number, body: () => void): void {
  const before = process.umask(umask)
  try {
    body()
  } finally {
    process.umask(before)
  }
}

/** A failure as the system gives it. */
function failWith(code: string): () => never {
  return () => {
    throw Object.assign(new Error(`${code}: simulated`), { code })
  }
}

function modeOf(file: string): number {
  return fs.statSync(file).mode & 0o777
}

/** The calls that make something durable or give it a name, in their order. */
function recordSteps(t: TestContext): string[] {
  const steps: string[] = []
  for (const name of ['writeFileSync', 'fsyncSync', 'linkSync', 'renameSync'] as const) {
    const original: (...args: never[]) => unknown = fs[name]
    t.mock.method(fs, name, (...args: never[]) => {
      const isFolder = name === 'fsyncSync' && fs.fstatSync(args[0] ?? -1).isDirectory()
      steps.push(isFolder ? 'sync the folder' : name)
      return original(...args)
    })
  }
  return steps
}

for (const [name, write] of Object.entries(WRITERS)) {
  describe(name, () => {
    test('writes the text and no other file', (t) => {
      const folder = temporaryFolder(t)
      write(path.join(folder, 'a.txt'), 'grüße\n')
      assert.deepEqual(listFolder(folder), ['a.txt'])
      assert.equal(fs.readFileSync(path.join(folder, 'a.txt'), 'utf8'), 'grüße\n')
    })

    test('a given mode is exact; the umask applies to the default', (t) => {
      for (const umask of [0o000, 0o022, 0o077, 0o277]) {
        const folder = temporaryFolder(t)
        const [exact, open] = [path.join(folder, 'exact'), path.join(folder, 'open')]
        withUmask(umask, () => {
          write(exact, '', { mode: 0o640 })
          write(open, '')
        })
        assert.equal(modeOf(exact), 0o640)
        assert.equal(modeOf(open), 0o644 & ~umask)
      }
    })

    test('a given owner gets the file', (t) => {
      if (process.getuid?.() !== 0) return t.skip('only root may give a file away')
      const file = path.join(temporaryFolder(t), 'a.txt')
      write(file, '', { mode: 0o600, owner: { uid: 12_345, gid: 23_456 } })
      const { uid, gid } = fs.statSync(file)
      assert.deepEqual([uid, gid, modeOf(file)], [12_345, 23_456, 0o600])
    })

    test('the bytes are durable before the name, and the name on return', (t) => {
      const file = path.join(temporaryFolder(t), 'a.txt')
      const steps = recordSteps(t)
      write(file, 'text')
      const place = name === 'createFile' ? 'linkSync' : 'renameSync'
      assert.deepEqual(steps, ['writeFileSync', 'fsyncSync', place, 'sync the folder'])
    })

    test('a failed write leaves no file', (t) => {
      const folder = temporaryFolder(t)
      t.mock.method(fs, 'fsyncSync', failWith('ENOSPC'))
      assert.throws(() => write(path.join(folder, 'a.txt'), 'text'), { code: 'ENOSPC' })
      assert.deepEqual(listFolder(folder), [])
    })

    test('a killed program leaves no partial file that blocks the next one', (t) => {
      const folder = temporaryFolder(t)
      const file = path.join(folder, 'a.txt')
      const module = import.meta.resolve('@public-api/client-internal/node/durable-file')
      const program = `
        import fs from 'node:fs'
        import { ${name} } from ${JSON.stringify(module)}
        fs.fsyncSync = () => process.kill(process.pid, 'SIGKILL')
        ${name}(${JSON.stringify(file)}, 'half')`
      const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
      assert.equal(signal, 'SIGKILL')
      assert.equal(fs.existsSync(file), false)
      assert.match(listFolder(folder).join(), /^a\.txt\.[0-9a-f]{12}\.partial$/)
      write(file, 'whole')
      assert.equal(fs.readFileSync(file, 'utf8'), 'whole')
    })
  })
}

test('one writer replaces an existing file and the other keeps it', (t) => {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'a.txt')
  createFile(file, 'first')
  assert.throws(() => createFile(file, 'second'), { code: 'EEXIST' })
  assert.equal(fs.readFileSync(file, 'utf8'), 'first')
  replaceFile(file, 'third')
  assert.equal(fs.readFileSync(file, 'utf8'), 'third')
  assert.deepEqual(listFolder(folder), ['a.txt'])
})

test('a failed replacement leaves the old text', (t) => {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'a.txt')
  createFile(file, 'first')
  for (const step of ['writeFileSync', 'fsyncSync', 'renameSync'] as const) {
    const mock = t.mock.method(fs, step, failWith('EIO'))
    assert.throws(() => replaceFile(file, 'second'), { code: 'EIO' }, step)
    mock.mock.restore()
    assert.equal(fs.readFileSync(file, 'utf8'), 'first', step)
    assert.deepEqual(listFolder(folder), ['a.txt'], step)
  }
})

describe('on a file system without hard links', () => {
  for (const code of ['EPERM', 'ENOTSUP', 'ENOSYS']) {
    test(`${code}: refuses a file, or creates it if requested`, (t) => {
      const folder = temporaryFolder(t)
      const file = path.join(folder, 'a.txt')
      t.mock.method(fs, 'linkSync', failWith(code))
      assert.throws(() => createFile(file, 'text', {}, 'refuse'), { code })
      assert.deepEqual(listFolder(folder), [])
      createFile(file, 'text', { mode: 0o640 })
      assert.equal(fs.readFileSync(file, 'utf8'), 'text')
      assert.equal(modeOf(file), 0o640)
      const again = () => createFile(file, 'other')
      assert.throws(again, { code: 'EEXIST' })
      assert.equal(fs.readFileSync(file, 'utf8'), 'text')
      assert.deepEqual(listFolder(folder), ['a.txt'])
    })
  }

  test('a failure after claiming the name releases it', (t) => {
    const folder = temporaryFolder(t)
    const file = path.join(folder, 'a.txt')
    t.mock.method(fs, 'linkSync', failWith('EPERM'))
    t.mock.method(fs, 'renameSync', failWith('EIO'))
    assert.throws(() => createFile(file, 'text'), { code: 'EIO' })
    assert.deepEqual(listFolder(folder), [])
  })

  test('other link failures are thrown', (t) => {
    const folder = temporaryFolder(t)
    t.mock.method(fs, 'linkSync', failWith('ENOSPC'))
    const create = () => createFile(path.join(folder, 'a.txt'), '')
    assert.throws(create, { code: 'ENOSPC' })
    assert.deepEqual(listFolder(folder), [])
  })
})

test('claims a name for a file written elsewhere, with unique temporary names', (t) => {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'a.txt')
  const [first, second] = [partialNameOf(file), partialNameOf(file)]
  assert.notEqual(first, second)
  assert.equal(path.dirname(first), folder)
  fs.writeFileSync(first, 'first')
  fs.writeFileSync(second, 'second')
  claimName(first, file)
  assert.throws(() => claimName(second, file), { code: 'EEXIST' })
  assert.equal(fs.readFileSync(file, 'utf8'), 'first')
})

test('creates a folder with its parents, each durably', (t) => {
  const root = temporaryFolder(t)
  const synced: string[] = []
  const open = fs.openSync
  t.mock.method(fs, 'openSync', (folder: string, flags: string) => {
    synced.push(path.relative(root, folder))
    return open(folder, flags)
  })
  withUmask(0o022, () => makeFolder(path.join(root, 'a', 'b', 'c'), 0o700))
  assert.deepEqual(synced, ['', 'a', path.join('a', 'b')])
  assert.equal(modeOf(path.join(root, 'a', 'b', 'c')), 0o700)
  makeFolder(path.join(root, 'a', 'b', 'c'))
  assert.equal(synced.length, 3, 'nothing was made the second time')
})

test('lets the group write new entries of a folder that it shares, if it may read them', (t) => {
  const root = temporaryFolder(t)
  fs.chmodSync(root, 0o2775)
  withUmask(0o077, () => {
    makeFolder(path.join(root, 'versions', 'a'), 0o755)
    makeFolder(path.join(root, 'secrets'), 0o700)
    rewriteFile(path.join(root, 'versions', 'a.yaml'), '', 0o644)
    rewriteFile(path.join(root, 'key'), '', 0o600)
  })
  const modes = ['versions', 'versions/a', 'secrets', 'versions/a.yaml', 'key'].map(
    (name) => fs.statSync(path.join(root, name)).mode & 0o3777,
  )
  assert.deepEqual(modes, [0o2775, 0o2775, 0o700, 0o664, 0o600])
})

test('removes what killed processes left, and not what another one may still write', (t) => {
  const folder = temporaryFolder(t)
  const names = ['a.0123456789ab.partial', 'b.0123456789ab.partial', 'b.partial']
  for (const name of names) fs.writeFileSync(path.join(folder, name), '')
  for (const name of [names[0] ?? '', 'b.partial']) fs.utimesSync(path.join(folder, name), 1, 1)
  rewriteFile(path.join(folder, 'a'), 'text', 0o644)
  assert.deepEqual(listFolder(folder).toSorted(), ['a', ...names.slice(1)])
})

test('ignores folders that cannot be synced; throws for missing folders and failing disks', (t) => {
  const folder = temporaryFolder(t)
  for (const code of ['EINVAL', 'ENOTSUP', 'ENOSYS', 'EACCES']) {
    const mock = t.mock.method(fs, 'fsyncSync', failWith(code))
    syncFolder(folder)
    mock.mock.restore()
  }
  assert.throws(() => syncFolder(path.join(folder, 'missing')), { code: 'ENOENT' })
  t.mock.method(fs, 'fsyncSync', failWith('EIO'))
  assert.throws(() => syncFolder(folder), { code: 'EIO' })
})
