import assert from 'node:assert/strict'
import fs, { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import {
  createLocalStorageHeadStore,
  type HeadStore,
  type SavedHead,
} from '@public-api/client-internal/history/head-store'
import { createFileHeadStore } from '@public-api/client-internal/node/file-head-store'
import { temporaryFolder } from '../support/temporary-folder.ts'

const HEAD: SavedHead = {
  response: {
    method: 'GET',
    target: '/api/v1/version?fresh=a',
    status: 200,
    headers: [['X-SVC-Signed-At', '2026-11-21T09:00:00.123Z']],
    bodyBase64: 'e30=',
  },
  keys: [{ jwk: { kty: 'OKP', crv: 'Ed25519', x: 'A' }, notBefore: null, notAfter: null }],
}

const { state: STATE, cases: CASES } = JSON.parse(
  readFileSync('test/clients/state-cases.json', 'utf8'),
) as {
  readonly state: object
  readonly cases: readonly {
    readonly name: string
    readonly expected: 'ok' | 'UNREADABLE'
    readonly text?: string
    readonly with?: object
    readonly without?: string
  }[]
}

function memoryStorage(items: Map<string, string>): Pick<Storage, 'getItem' | 'setItem'> {
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
  }
}

interface Opened {
  readonly store: HeadStore
  readonly write: (text: string) => void
}

const STORES: { readonly [name: string]: (t: TestContext) => Opened } = {
  'a file': (t) => {
    const file = path.join(temporaryFolder(t), 'head.json')
    return { store: createFileHeadStore(file), write: (text) => writeFileSync(file, text) }
  },
  localStorage: () => {
    const items = new Map<string, string>()
    return {
      store: createLocalStorageHeadStore('head', memoryStorage(items)),
      write: (text) => void items.set('head', text),
    }
  },
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`a head saved in ${name}`, () => {
    test('is undefined before the first', async (t) => {
      assert.equal(await open(t).store.load(), undefined)
    })

    test('is the one saved last', async (t) => {
      const { store } = open(t)
      await store.save({ ...HEAD, keys: [] })
      await store.save(HEAD)
      assert.deepEqual(await store.load(), HEAD)
    })

    test('takes what every client takes for a head', async (t) => {
      const { store, write } = open(t)
      for (const { name: title, expected, text, with: members, without = '' } of CASES) {
        const { [without]: _, ...changed } = { ...STATE, ...members } as Record<string, unknown>
        write(text ?? JSON.stringify(changed))
        if (expected === 'ok') assert.deepEqual(await store.load(), changed, title)
        else {
          const message = /expected the JSON of a head that an audit saved/
          await assert.rejects(store.load(), message, title)
        }
      }
    })
  })
}

test('replaces the file atomically, creates its folder and leaves nothing else', async (t) => {
  const file = path.join(temporaryFolder(t), 'a', 'b', 'head.json')
  const store = createFileHeadStore(file)
  await Promise.all([store.save(HEAD), store.save(HEAD)])
  assert.deepEqual(readdirSync(path.dirname(file)), ['head.json'])
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), HEAD)
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
})

/** Has `fsync` of every open file call `instead`, which is given the real one. */
function mockSync(t: TestContext, instead: (handle: number, sync: () => void) => void): void {
  const { fsyncSync } = fs
  t.mock.method(fs, 'fsyncSync', (handle: number) => instead(handle, () => fsyncSync(handle)))
}

test('syncs the head before its name, and the names of its folders', async (t) => {
  const dir = temporaryFolder(t)
  const folders = ['.', 'a', path.join('a', 'b')]
  const file = path.join(dir, 'a', 'b', 'head.json')
  const steps: string[] = []
  mockSync(t, (handle, sync) => {
    const { ino } = fs.fstatSync(handle)
    const found = folders.find(
      (each) => fs.statSync(path.join(dir, each), { throwIfNoEntry: false })?.ino === ino,
    )
    steps.push(`${found ?? 'head'} ${existsSync(file) ? 'after' : 'before'}`)
    sync()
  })
  await createFileHeadStore(file).save(HEAD)
  assert.deepEqual(steps, ['. before', 'a before', 'head before', `${folders[2]} after`])
})

test('a folder that cannot be synced is not a failure, a failing disk is', async (t) => {
  let code = 'EINVAL'
  mockSync(t, (handle, sync) => {
    if (!fs.fstatSync(handle).isDirectory()) return sync()
    throw Object.assign(new Error(`${code}: simulated`), { code })
  })
  const store = createFileHeadStore(path.join(temporaryFolder(t), 'head.json'))
  await store.save(HEAD)
  assert.deepEqual(await store.load(), HEAD)
  code = 'EIO'
  await assert.rejects(store.save(HEAD), { code })
})

test('an unreadable file is not treated as missing', async (t) => {
  const dir = temporaryFolder(t)
  writeFileSync(path.join(dir, 'file'), '')
  await assert.rejects(createFileHeadStore(path.join(dir, 'file', 'x')).load(), { code: 'ENOTDIR' })
})

test('a path that is not a regular file is neither read nor replaced', async (t) => {
  const dir = temporaryFolder(t)
  const socket = path.join(dir, 'socket')
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve)
  })
  t.after(() => server.close())
  for (const place of ['/dev/zero', '/dev/null', dir, socket]) {
    const store = createFileHeadStore(place)
    const expected = { name: 'TypeError', message: /: expected a regular file, found a folder/ }
    await assert.rejects(store.load(), expected, place)
    await assert.rejects(store.save(HEAD), expected, place)
  }
  assert.deepEqual(readdirSync(dir), ['socket'])
})

test('stops reading a file larger than any head', async (t) => {
  const file = path.join(temporaryFolder(t), 'head.json')
  // Sparse: it takes no room, and reads as zeros.
  writeFileSync(file, '')
  truncateSync(file, 2 ** 40)
  await assert.rejects(createFileHeadStore(file).load(), {
    name: 'RangeError',
    message: `${file}: expected at most 64000000 bytes, found more`,
  })
})

test('fails quickly if the folder cannot be created', async (t) => {
  if (!existsSync('/proc/self')) return t.skip('there is no /proc')
  await assert.rejects(createFileHeadStore('/proc/self/x/y').save(HEAD), { code: 'ENOENT' })
})
