import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress, formatTimeLeft, type Progress } from '@public-api/cli-kit/progress'

interface Screen {
  readonly progress: Progress
  /** All that was written, in pieces. */
  readonly written: string[]
  /** Lines as a terminal shows them. */
  show(): readonly string[]
  pass(ms: number): void
}

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

function open(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: { readonly [name: string]: string } = {},
  total = 200,
): Screen {
  const written: string[] = []
  let nowMs = 5000
  const progress = createProgress({
    stream: { ...stream, write: (text) => written.push(text) > 0 },
    label: 'Opening',
    total,
    env,
    nowMs: () => nowMs,
  })
  return {
    progress,
    written,
    show: () => render(written.join('')),
    pass(ms) {
      nowMs += ms
    },
  }
}

test('on a terminal a bar grows in one line, with an estimate after a second', () => {
  const { progress, show, pass } = open({ isTTY: true, columns: 60 })
  progress.advance(50)
  assert.deepEqual(show(), ['Opening [########--------------------------]  25 %   50/200'])
  pass(2000)
  progress.advance(50)
  assert.deepEqual(show(), ['Opening [###########------------]  50 %  100/200  0:02 left'])
  pass(2000)
  progress.advance(100)
  assert.deepEqual(show(), ['Opening [#######################] 100 %  200/200  0:00 left'])
  progress.end()
  assert.deepEqual(show(), [''])
})

test('draws at most ten times a second', () => {
  const { progress, written, pass } = open({ isTTY: true })
  for (let count = 0; count < 100; count += 1) {
    progress.advance(1)
    pass(10)
  }
  assert.equal(written.length, 10)
})

test('lines stay narrower than the terminal', () => {
  for (const columns of [1, 2, 10, 20, 30, 31, 40, 80, 200]) {
    const { progress, show, pass } = open({ isTTY: true, columns })
    pass(5000)
    progress.advance(33)
    assert.ok((show()[0] ?? '').length < Math.max(columns, 2), `${columns}: ${show()[0]}`)
  }
})

test('assumes 80 columns if the width is unknown', () => {
  const bars = [0, 80].map((columns) => {
    const { progress, show } = open({ isTTY: true, columns })
    progress.advance(100)
    return show()[0] ?? ''
  })
  assert.match(bars[0] ?? '', /^Opening \[#/)
  assert.equal(bars[0], bars[1])
})

test('a printed line appears above the bar, without remains of the bar', () => {
  const { progress, show } = open({ isTTY: true, columns: 60 })
  progress.advance(100)
  progress.print('position 7')
  assert.deepEqual(show(), [
    'position 7',
    'Opening [#################-----------------]  50 %  100/200',
  ])
  progress.end()
  assert.deepEqual(show(), ['position 7', ''])
})

test('never exceeds 100 %', () => {
  const { progress, show } = open({ isTTY: true }, {}, 10)
  progress.advance(12)
  assert.match(show()[0] ?? '', / 100 % {2}12\/12$/)
})

test('an empty task is complete', () => {
  const { progress, show } = open({ isTTY: true }, {}, 0)
  progress.advance(0)
  assert.match(show()[0] ?? '', / 100 % {2}0\/0$/)
})

test('without a terminal, or with a dumb one, only lines are written', () => {
  for (const { progress, written } of [
    open({}),
    open({ isTTY: false, columns: 80 }),
    open({ isTTY: true }, { TERM: 'dumb' }),
  ]) {
    progress.advance(100)
    progress.print('position 7')
    progress.end()
    assert.deepEqual(written, ['position 7\n'])
  }
})

test('durations are in minutes, or hours', () => {
  const texts = [0, 1, 999, 1000, 59_001, 3_599_000, 3_600_000, 36_061_000].map(formatTimeLeft)
  assert.deepEqual(texts, ['0:00', '0:01', '0:01', '0:01', '1:00', '59:59', '1:00:00', '10:01:01'])
})
