import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { withCopyFolder, writeCopy } from '../../src/copy/write-copy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SECRET = 'secret\n'

const fileOf = (file: string, text: string) => ({ file, make: () => Buffer.from(text) })
const write = (copy: string, madeOf: string, ...names: readonly string[]) =>
  withCopyFolder(copy, () =>
    writeCopy(copy, { madeOf, files: () => names.map((name) => fileOf(name, madeOf)) }),
  )

/** A list that names other files and values. */
const listOf = (files: object) => JSON.stringify({ schema: 'svc.public.site.v1', files })

type Change = (at: (name: string) => string, outside: string) => void

/** What somebody else made of the folder of a copy with `en/a` and `en/b`, and what the next run says. */
const REFUSED: { readonly [title: string]: readonly [change: Change, expected: RegExp] } = {
  'a link in place of a folder': [
    (at, outside) => {
      fs.rmSync(at('en'), { recursive: true })
      fs.symlinkSync(outside, at('en'))
    },
    /: en is a link; expected a folder$/,
  ],
  'a link in place of a file that is replaced': [
    (at, outside) => {
      fs.rmSync(at('en/a'))
      fs.symlinkSync(path.join(outside, 'secret'), at('en/a'))
    },
    /: en\/a is a link; expected a file$/,
  ],
  'a folder in place of a file': [
    (at) => {
      fs.rmSync(at('en/a'))
      fs.mkdirSync(at('en/a'))
    },
    /: en\/a is a folder; expected a file$/,
  ],
  'a link in place of the list': [
    (at, outside) => {
      fs.writeFileSync(path.join(outside, 'secret'), listOf({}))
      fs.rmSync(at('site.json'))
      fs.symlinkSync(path.join(outside, 'secret'), at('site.json'))
    },
    /site\.json is a link; expected a file$/,
  ],
  'a pipe in place of the list': [
    (at) => {
      fs.rmSync(at('site.json'))
      execFileSync('mkfifo', [at('site.json')])
    },
    /site\.json: it is not a regular file$/,
  ],
  'a link in place of the lock': [
    (at, outside) => {
      fs.rmSync(at('.site.lock'))
      fs.symlinkSync(path.join(outside, 'secret'), at('.site.lock'))
    },
    /\.site\.lock: expected a regular file$/,
  ],
  'another file in place of the lock': [
    (at, outside) => {
      fs.rmSync(at('.site.lock'))
      fs.linkSync(path.join(outside, 'secret'), at('.site.lock'))
    },
    /\.site\.lock: file is not a database$/,
  ],
  ...Object.fromEntries(
    ['../outside/secret', 'en/../../outside/secret', '/etc/hosts', '..', ''].map((name) => [
      `a list with the name ${JSON.stringify(name)}`,
      [
        (at) => fs.writeFileSync(at('site.json'), listOf({ [name]: ['digest'] })),
        /: "[^"]*" is not a path below the folder$/,
      ] satisfies readonly [Change, RegExp],
    ]),
  ),
  ...Object.fromEntries(
    [null, 1, 'x', [1], [null]].map((value) => [
      `a list with the value ${JSON.stringify(value)}`,
      [
        (at) => fs.writeFileSync(at('site.json'), listOf({ 'en/a': value })),
        /site\.json: expected the list that svc site writes/,
      ] satisfies readonly [Change, RegExp],
    ]),
  ),
}

for (const [title, [change, expected]] of Object.entries(REFUSED)) {
  test(`a run writes and removes nothing for ${title}`, async (t) => {
    const folder = temporaryFolder(t)
    const copy = path.join(folder, 'copy')
    const outside = path.join(folder, 'outside')
    fs.mkdirSync(outside)
    fs.writeFileSync(path.join(outside, 'secret'), SECRET)
    await write(copy, 'old', 'en/a', 'en/b')
    change((name) => path.join(copy, name), outside)
    const before = fs.readFileSync(path.join(outside, 'secret'), 'utf8')

    await assert.rejects(write(copy, 'new', 'en/a'), ({ message }: Error) => {
      assert.match(message, expected)
      assert.ok(message.includes(copy))
      return true
    })

    assert.deepEqual(fs.readdirSync(outside), ['secret'])
    assert.equal(fs.readFileSync(path.join(outside, 'secret'), 'utf8'), before)
    const left = fs.readdirSync(copy, { recursive: true })
    assert.ok(!left.some((name) => String(name).startsWith('.staging')))
  })
}

for (const [kind, place] of [
  ['symbolic', fs.symlinkSync],
  ['hard', fs.linkSync],
] as const) {
  test(`the name of the process is not written through a ${kind} link`, async (t) => {
    const folder = temporaryFolder(t)
    const copy = path.join(folder, 'copy')
    const secret = path.join(folder, 'secret')
    fs.writeFileSync(secret, SECRET)
    await write(copy, 'old', 'en/a')
    place(secret, path.join(copy, '.site.lock.pid'))
    await write(copy, 'new', 'en/a')
    assert.equal(fs.readFileSync(secret, 'utf8'), SECRET)
  })
}

test('a second run does not quote a file that is in the place of the name of the process', async (t) => {
  const folder = temporaryFolder(t)
  const secret = path.join(folder, 'secret')
  fs.writeFileSync(secret, SECRET)
  const copy = path.join(folder, 'copy')
  await withCopyFolder(copy, async () => {
    fs.rmSync(path.join(copy, '.site.lock.pid'))
    fs.symlinkSync(secret, path.join(copy, '.site.lock.pid'))
    await assert.rejects(write(copy, 'new', 'en/a'), /^Error: a process writes .*copy at the/)
  })
})

test('a full disk is named with the folder, and leaves the copy as it was and no files that wait', async (t) => {
  const copy = path.join(temporaryFolder(t), 'copy')
  await write(copy, 'old', 'en/a', 'en/b')
  const fail = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' })
  }
  await assert.rejects(
    withCopyFolder(copy, () =>
      writeCopy(copy, {
        madeOf: 'new',
        files: () => [fileOf('en/a', 'new'), { file: 'en/b', make: fail }],
      }),
    ),
    { message: `${copy}: ENOSPC: no space left on device, write` },
  )
  assert.deepEqual(fs.readdirSync(copy).toSorted(), ['.site.lock', 'en', 'site.json'])
  assert.equal(fs.readFileSync(path.join(copy, 'en/a'), 'utf8'), 'old')
})
