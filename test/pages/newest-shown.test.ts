import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../src/pages/markup/html.ts'
import { newestShown } from '../../src/pages/markup/newest-shown.ts'

const TEN = Array.from({ length: 10 }, (_, index) => index)
const tenBytes = (item: number) => html`<b>${item}</b>, `

function textsOf(part: ReturnType<typeof newestShown>) {
  return [part.shown.map(({ text }) => text).join(''), part.left] as const
}

test('shows items up to the count and size limits', () => {
  for (const [limits, count] of [
    [{ items: 20, bytes: 1000 }, 10],
    [{ items: 10, bytes: 100 }, 10],
    [{ items: 3, bytes: 1000 }, 3],
    [{ items: 20, bytes: 45 }, 4],
    [{ items: 20, bytes: 99 }, 9],
  ] as const) {
    const [text, left] = textsOf(newestShown(TEN, limits, tenBytes))
    assert.equal(
      text,
      TEN.slice(0, count)
        .map((item) => tenBytes(item).text)
        .join(''),
    )
    assert.equal(left, 10 - count)
  }
  assert.deepEqual(newestShown([], { items: 1, bytes: 1 }, tenBytes), { shown: [], left: 0 })
})

test('always shows the first item', () => {
  const [text, left] = textsOf(newestShown(TEN, { items: 20, bytes: 5 }, tenBytes))
  assert.deepEqual([text, left], [tenBytes(0).text, 9])
})

test('does not render omitted items', () => {
  const made: number[] = []
  newestShown(TEN, { items: 2, bytes: 1000 }, (item) => {
    made.push(item)
    return tenBytes(item)
  })
  assert.deepEqual(made, [0, 1])
})
