import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { findBelow, listBelow, readBelow, rewriteBelow } from '../../src/files/folder-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SECRET = 'a secret outside of the folder'

/** A folder beside a secret. */
function beside(t: Parameters<typeof temporaryFolder>[0]) {
  const parent = temporaryFolder(t)
  const folder = path.join(parent, 'folder')
  fs.mkdirSync(path.join(folder, 'a', 'b'), { recursive: true })
  fs.mkdirSync(path.join(parent, 'secrets'))
  fs.writeFileSync(path.join(parent, 'secrets', 'key'), SECRET)
  return { parent, folder, secret: path.join(parent, 'secrets', 'key') }
}

test('reads and replaces regular files, also where the path of the folder leads through a link', (t) => {
  const { parent, folder } = beside(t)
  fs.writeFileSync(path.join(folder, 'a', 'b', 'file'), 'text')
  const link = path.join(parent, 'link')
  fs.symlinkSync(folder, link)
  assert.equal(readBelow(link, 'a/b/file', 10).toString(), 'text')
  rewriteBelow(link, 'a/b/file', 'other')
  assert.equal(readBelow(folder, 'a/b/file', 10).toString(), 'other')
  assert.throws(() => readBelow(folder, 'a/b/file', 4), /it has 5 bytes; expected at most 4$/)
  // /proc states no size for its files.
  assert.throws(() => readBelow('/proc/self', 'maps', 1e6), /it grew while it was read$/)
  assert.deepEqual(
    listBelow(folder, 'a')
      .map(({ name, kind }) => `${name} ${kind}`)
      .toSorted(),
    ['b folder', 'b/file file'],
  )
})

test('follows no link in any component, and opens nothing but regular files', (t) => {
  const { parent, folder, secret } = beside(t)
  const at = (name: string) => path.join(folder, name)
  fs.symlinkSync(secret, at('absolute'))
  fs.symlinkSync('../secrets/key', at('relative'))
  fs.symlinkSync(path.join(parent, 'nothing'), at('dangling'))
  fs.symlinkSync('loop', at('loop'))
  fs.symlinkSync('/dev/zero', at('device'))
  fs.symlinkSync('../secrets', at('linked'))
  fs.symlinkSync('../../../secrets', at('a/b/linked'))
  execFileSync('mkfifo', [at('fifo')])
  const cases: readonly (readonly [name: string, found: RegExp])[] = [
    ['absolute', /^absolute is a link; expected a file$/],
    ['relative', /^relative is a link/],
    ['dangling', /^dangling is a link/],
    ['loop', /^loop is a link/],
    ['device', /^device is a link/],
    ['linked/key', /^linked is a link; expected a folder$/],
    ['a/b/linked/key', /^a\/b\/linked is a link/],
    ['fifo', /^it is not a regular file$|^fifo is a special file/],
    ['a', /^it is not a regular file$|^a is a folder/],
    ['../secrets/key', /is not a path below the folder$/],
    ['a/../../secrets/key', /is not a path below the folder$/],
  ]
  for (const [name, found] of cases) {
    assert.throws(() => readBelow(folder, name, 100), { message: found }, name)
    assert.throws(() => rewriteBelow(folder, name, 'changed'), Error, name)
  }
  assert.throws(() => readBelow(folder, 'a/missing', 100), { code: 'ENOENT', message: /^ENOENT: / })
  assert.equal(findBelow(folder, 'a/missing', 100), undefined)
  const kinds = new Map(listBelow(folder).map(({ name, kind }) => [name, kind]))
  assert.equal(kinds.size, 10)
  assert.deepEqual(
    [kinds.get('linked'), kinds.get('fifo'), kinds.get('a/b')],
    ['link', 'special file', 'folder'],
  )
  assert.throws(() => listBelow(folder, 'linked'), /linked is a link/)
  assert.equal(fs.readFileSync(secret, 'utf8'), SECRET)
  assert.ok(!fs.existsSync(path.join(parent, 'nothing')))
})

const SWAP = `
const fs = require('node:fs')
const { workerData: { place, other, own } } = require('node:worker_threads')
for (;;) {
  fs.renameSync(place, own); fs.renameSync(other, place)
  fs.renameSync(place, other); fs.renameSync(own, place)
}`

test(
  'a folder that a link replaces meanwhile is never followed',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const { parent, folder } = beside(t)
    const place = path.join(folder, 'a')
    fs.writeFileSync(path.join(place, 'key'), 'own')
    const other = path.join(parent, 'other')
    fs.symlinkSync(path.join(parent, 'secrets'), other)
    const workerData = { place, other, own: path.join(parent, 'own') }
    const swapping = new Worker(SWAP, { eval: true, workerData })
    const found = new Set<string>()
    for (let count = 0; count < 5000; count += 1) {
      try {
        found.add(readBelow(folder, 'a/key', 100).toString())
      } catch {
        // It is a link at this moment, or between two names.
      }
    }
    await swapping.terminate()
    assert.deepEqual([...found], ['own'])
  },
)
