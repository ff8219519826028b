import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress } from '@public-api/cli-kit/progress'

/** A terminal that knows line feed and carriage return. */
function render(text: string): readonly string[] {
  const lines: string[][] = [[]]
  let column = 0
  for (const character of text) {
    const line = lines.at(-1) ?? []
    if (character === '\r') column = 0
    else if (character === '\n') {
      lines.push([])
      column = 0
    } else {
      line[column] = character
      column += 1
    }
  }
  return lines.map((line) => line.join('').trimEnd())
}

function open(total = 200, isTTY = true) {
  const written: string[] = []
  const write = (text: string): boolean => written.push(text) > 0
  const progress = createProgress('Opening', total, { isTTY, write })
  return { progress, written, show: () => render(written.join('')) }
}

test('on a terminal a count grows in one line, drawn once for each percent', () => {
  const { progress, written, show } = open(1000)
  for (let count = 0; count < 500; count += 1) progress.advance(1)
  assert.deepEqual(show(), ['Opening 500/1000'])
  assert.equal(written.length, 51)
  progress.end()
  assert.deepEqual(show(), [''])
})

test('a printed line appears above the count, without remains of it', () => {
  const { progress, show } = open()
  progress.advance(100)
  progress.print('position 7')
  assert.deepEqual(show(), ['position 7', 'Opening 100/200'])
  progress.end()
  assert.deepEqual(show(), ['position 7', ''])
})

test('more than was expected becomes the total, and nothing to do is done', () => {
  const [more, none] = [open(10), open(0)]
  more.progress.advance(12)
  none.progress.advance(0)
  assert.deepEqual([...more.show(), ...none.show()], ['Opening 12/12', 'Opening 0/0'])
})

test('without a terminal only lines are written', () => {
  const { progress, written } = open(200, false)
  progress.advance(100)
  progress.print('position 7')
  progress.end()
  assert.deepEqual(written, ['position 7\n'])
})
