import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { readPages } from '../../src/cli/read-pages.ts'

test('reads every row once, in order, with one query per page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      async (keys, pageRows) => {
        const rows = keys.toSorted((a, b) => a - b)
        let queries = 0
        const pages = await Array.fromAsync(
          readPages(
            async (key: number) => {
              queries += 1
              return rows.filter((row) => row > key).slice(0, pageRows)
            },
            (row) => row,
            0,
          ),
        )
        assert.deepEqual(pages.flat(), rows)
        assert.ok(pages.slice(0, -1).every((page) => page.length === pageRows))
        assert.equal(queries, pages.length + 1)
      },
    ),
  )
})

test('stops reading when its consumer stops', async () => {
  let queries = 0
  const readAfter = async (key: number) => {
    queries += 1
    return [key + 1, key + 2, key + 3]
  }
  for await (const page of readPages(readAfter, (row) => row, 0)) {
    if (page.includes(6)) break
  }
  assert.equal(queries, 2)
})
