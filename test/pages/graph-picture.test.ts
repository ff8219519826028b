import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphPicture } from '../../src/pages/pictures/graph-picture.ts'

const node = (id: string) => ({
  id,
  title: `Box ${id}`,
  kind: 'Program',
  target: `part-${id}`,
  isPlanned: false,
})

const edge = (from: string, to: string, text = `Data from ${from} to ${to}`) => ({
  from,
  to,
  isPlanned: false,
  label: { text, target: `flow-${from}-${to}`, isEnglish: false },
})

interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Size, boxes, labels and edges of a picture. */
function drawn(ids: string, pairs: readonly string[], label?: string) {
  const picture = graphPicture({
    id: 'graph',
    title: 'Title',
    description: 'Text.',
    locale: 'en',
    nodes: Array.from(ids, (id) => node(id)),
    edges: pairs.map((pair) => edge(pair.charAt(0), pair.charAt(1), label)),
  })
  const text = picture?.text ?? ''
  const rects = (className: string): readonly Rect[] =>
    Array.from(
      text.matchAll(
        new RegExp(
          `class="${className}"\\s+x="([-\\d.]+)"\\s+y="([-\\d.]+)"\\s+width="([\\d.]+)"\\s+height="([\\d.]+)"`,
          'g',
        ),
      ),
      ([, x, y, width, height]) => ({
        x: Number(x),
        y: Number(y),
        width: Number(width),
        height: Number(height),
      }),
    )
  const [, width = '', height = ''] = /viewBox="0 0 (\d+) (\d+)"/.exec(text) ?? []
  return {
    text,
    width: Number(width),
    height: Number(height),
    boxes: rects('picture-box'),
    labels: rects('picture-paper'),
    paths: Array.from(
      text.matchAll(/class="picture-link"\s+d="([^"]*)"/g),
      ([, path = '']) => path,
    ),
  }
}

const overlap = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

function assertApart(rects: readonly Rect[]): void {
  for (const [index, a] of rects.entries()) {
    for (const b of rects.slice(index + 1)) assert.ok(!overlap(a, b), JSON.stringify([a, b]))
  }
}

test('labels every edge, with a link, and covers no box or label', () => {
  const { text, boxes, labels, paths } = drawn('abcdefg', [
    'ab',
    'ac',
    'ad',
    'ae',
    'af',
    'bg',
    'cg',
  ])
  assert.equal(boxes.length, 7)
  assert.equal(labels.length, 7)
  assertApart([...boxes, ...labels])
  assert.equal(new Set(paths).size, 7)
  // Edges of one box leave it at different points, and those to one box end at different points.
  assert.equal(new Set(paths.slice(0, 5).map((path) => /^M\d+ \d+/.exec(path)?.[0])).size, 5)
  assert.equal(new Set(paths.slice(5).map((path) => /L\d+ \d+$/.exec(path)?.[0])).size, 2)
  for (const pair of ['a-b', 'c-g']) assert.ok(text.includes(`href="#flow-${pair}"`), pair)
})

test('runs from left to right where that fits, else from top to bottom', () => {
  const short = drawn('abc', ['ab', 'bc'])
  assert.ok(short.boxes.every(({ y }) => y === short.boxes[0]?.y))
  const long = drawn('abcdefgh', ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh'])
  assert.ok(long.boxes.every(({ x }) => x === long.boxes[0]?.x))
})

test('an edge that leads back keeps its direction and does not turn the others', () => {
  const { boxes, paths } = drawn('abcdefg', ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'ga'])
  const tops = boxes.map(({ y }) => y)
  assert.deepEqual(
    tops,
    tops.toSorted((a, b) => a - b),
  )
  const [, start, end] = /^M\d+ (\d+).*L\d+ (\d+)$/.exec(paths.at(-1) ?? '') ?? []
  assert.ok(Number(start) > Number(end))
})

test('without an edge between two boxes there is no picture', () => {
  assert.equal(drawn('ab', []).text, '')
  assert.equal(drawn('ab', ['aa', 'ax']).text, '')
})

test('begins no line of a label with closing punctuation', () => {
  const { text } = drawn('ab', ['ab'], '电子邮箱与同意声明，以及可选的感兴趣领域。')
  const lines = Array.from(text.matchAll(/<tspan[^>]*>([^<]*)</g), ([, line = '']) => line)
  assert.ok(lines.length > 3, lines.join('|'))
  for (const line of lines) assert.doesNotMatch(line, /^[，。]/)
})

test('beside a box without flows the narrow form has no list, whose line would join it to the next box', () => {
  const { text } = drawn('abc', ['ab'])
  assert.equal(text.match(/graph-box/g)?.length, 3)
  assert.equal(text.match(/<ul/g)?.length, 1)
})
