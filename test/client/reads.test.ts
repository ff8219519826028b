import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReads } from '@public-api/client-internal/reads'
import type { ReadOptions, Verified } from '@public-api/client-internal/verified'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import * as fc from 'fast-check'

const RESULT = { data: undefined } as unknown as Verified<unknown>

function recorded() {
  const asked: [string, ReadOptions | undefined][] = []
  const reads = createReads(async (target, options) => {
    asked.push([target, options])
    return RESULT
  })
  return { reads, asked }
}

test('each read has a method that requests its path', async () => {
  const { reads, asked } = recorded()
  assert.deepEqual(Object.keys(reads).toSorted(), Object.keys(READ_PATHS).toSorted())
  const options = { fresh: true }
  assert.equal(await reads.status(options), RESULT)
  await reads.index()
  assert.deepEqual(asked, [
    [READ_PATHS.status, options],
    [READ_PATHS.index, undefined],
  ])
})

test('a value fills the path parameter, and options are passed on', async () => {
  const { reads, asked } = recorded()
  const options = { fresh: true }
  await reads.versionById('VS-0001', options)
  assert.deepEqual(asked, [['/api/v1/versions/VS-0001', options]])
})

test('names a missing required parameter, and drops an optional one with its slash', async () => {
  const { reads, asked } = recorded()
  const withoutValue = reads.versionById as () => Promise<unknown>
  await assert.rejects(withoutValue(), {
    name: 'TypeError',
    message: 'versionById: expected a value for {snapshotId}',
  })
  await reads.preview()
  assert.deepEqual(
    asked.map(([target]) => target),
    ['/api/v1/preview'],
  )
})

test('slashes separate segments, and other characters are encoded', async () => {
  const { reads, asked } = recorded()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), async (parts) => {
      await reads.preview(parts.join('/'))
      const [target = ''] = asked.pop() ?? []
      const value = parts.join('/').split('/').map(encodeURIComponent).join('/')
      assert.equal(target, `/api/v1/preview/${value}`)
    }),
  )
  await reads.preview('a%2Fb/c?d#e')
  assert.equal(asked.at(-1)?.[0], '/api/v1/preview/a%252Fb/c%3Fd%23e')
})
