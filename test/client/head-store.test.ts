import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { createFileHeadStore } from '../../src/client-node/file-head-store.ts'
import {
  createLocalStorageHeadStore,
  type HeadStore,
  type SavedHead,
} from '../../src/client/head-store.ts'

const HEAD: SavedHead = {
  answer: {
    method: 'GET',
    target: '/api/v1/version?fresh=a',
    status: 200,
    headers: [['X-SVC-Signed-At', '2026-11-21T09:00:00.123Z']],
    bodyBase64: 'e30=',
  },
  keys: [{ jwk: { kty: 'OKP', crv: 'Ed25519', x: 'A' }, notBefore: null, notAfter: null }],
}

function folder(t: TestContext): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'head-store-'))
  t.after(() => rmSync(dir, { recursive: true }))
  return dir
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
    const file = path.join(folder(t), 'head.json')
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
  describe(`a head kept in ${name}`, () => {
    test('is none before the first', async (t) => {
      assert.equal(await open(t).store.load(), undefined)
    })

    test('is what was saved last', async (t) => {
      const { store } = open(t)
      await store.save({ ...HEAD, keys: [] })
      await store.save(HEAD)
      assert.deepEqual(await store.load(), HEAD)
    })

    test('is no head where something else stands, and that is told', async (t) => {
      const { store, write } = open(t)
      for (const text of [
        '',
        '{',
        '{}',
        'null',
        '{"keys":[{}],"answer":{}}',
        JSON.stringify({ ...HEAD, keys: 1 }),
      ]) {
        write(text)
        await assert.rejects(store.load(), /expected the JSON of a head that an audit saved/, text)
      }
    })
  })
}

test('the file is replaced as a whole, its folder is made, and nothing is left beside it', async (t) => {
  const file = path.join(folder(t), 'a', 'b', 'head.json')
  const store = createFileHeadStore(file)
  await Promise.all([store.save(HEAD), store.save(HEAD)])
  assert.deepEqual(readdirSync(path.dirname(file)), ['head.json'])
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), HEAD)
})

test('a file that cannot be read is not taken for none', async (t) => {
  await assert.rejects(createFileHeadStore(folder(t)).load(), { code: 'EISDIR' })
})
