import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBoundedBody } from '@public-api/contract/http/read-bounded-body'

/** A body that comes in these pieces, and whether it was cancelled before its end. */
function bodyOf(pieces: readonly Uint8Array[]) {
  const state = { isCancelled: false, taken: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[state.taken]
        state.taken += 1
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
      cancel() {
        state.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { state, response: new Response(stream) }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The body as text; undefined if it was too large. */
async function readBoundedText(response: Response, maxBytes: number): Promise<string | undefined> {
  const body = await readBoundedBody(response, maxBytes)
  return body && Buffer.from(body).toString()
}

test('reads a body up to the limit in any number of pieces', async () => {
  assert.equal(await readBoundedText(new Response('12345678'), 8), '12345678')
  assert.equal(await readBoundedText(new Response(''), 8), '')
  assert.equal(await readBoundedText(new Response(null), 0), '')
  // A character that is cut in two between pieces is one all the same.
  const bytes = bytesOf('aé字')
  const { response } = bodyOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))
  assert.equal(await readBoundedText(response, bytes.length), 'aé字')
})

test('returns undefined for one byte too many and reads no further', async () => {
  assert.equal(await readBoundedText(new Response('123456789'), 8), undefined)
  const { response, state } = bodyOf(Array.from({ length: 100 }, () => bytesOf('1234')))
  assert.equal(await readBoundedText(response, 10), undefined)
  assert.deepEqual(state, { isCancelled: true, taken: 3 })
})

test('a body that breaks off rejects', async () => {
  const broken = new Error('reset')
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(bytesOf('half'))
    },
    pull(controller) {
      controller.error(broken)
    },
  })
  await assert.rejects(readBoundedBody(new Response(stream), 100), broken)
})
