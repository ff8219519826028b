import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOfBody } from '../../src/http/api-request.ts'
import { createSiteFile } from '../../src/pages/serving/site-file.ts'

test('requests that come while a file is made wait for the same bytes; a failure is not kept', async () => {
  let made = 0
  const file = createSiteFile({
    contentType: 'text/plain; charset=utf-8',
    cacheControl: 'no-cache',
    headers: [],
    async make() {
      made += 1
      await Promise.resolve()
      if (made === 1) throw new Error('damaged')
      return 'text'
    },
  })
  const ask = async (coding: string) =>
    file({
      method: 'GET',
      target: '/file',
      path: '/file',
      header: (name) => (name === 'accept-encoding' ? coding : undefined),
      peerAddress: () => '',
      readBody: async () => new Uint8Array(),
    })
  const failures = await Promise.allSettled([ask('br'), ask('gzip')])
  assert.deepEqual(
    failures.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  const replies = await Promise.all([ask('br'), ask('identity'), ask('gzip'), ask('identity')])
  assert.equal(made, 2)
  assert.equal(bytesOfBody(replies[1]?.body ?? '').toString(), 'text')
  assert.equal(new Set(replies.map(({ headers }) => headers.join('\n'))).size, 3)
})
