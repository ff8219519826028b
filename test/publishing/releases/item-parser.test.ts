import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '@public-api/contract/json/parse-json'
import { createItemParser } from '../../../src/publishing/releases/item-parser.ts'
import { createSeededRandom } from '../../support/seeded-random.ts'

const item = (id: number, text: string) =>
  JSON.stringify({ id, note: [{ text: `}],"\\${text}` }, []], 'é\u{1F600}': { list: [[id]] } })

test('texts are parsed as JSON.parse does, also damaged ones, and items that did not change are the same', () => {
  const pick = createSeededRandom(51)
  const parse = createItemParser()
  let items = Array.from({ length: 8 }, (_, id) => item(id, ''))
  let damaged = 0
  for (let round = 0; round < 1000; round += 1) {
    const at = pick(items.length)
    items = items.toSpliced(at, pick(3), ...Array.from({ length: pick(3) }, () => item(round, 'x')))
    const half = pick(items.length)
    const text = `{"a":[${items.slice(0, half).join(',')}],"b":{"c":[[${round}]]},"d":[7,[],${items.slice(half).concat('"e"').join(', ')}],"a":[{}]}`
    const bytes = Buffer.from(round % 3 === 0 ? `[${text}]` : text)
    if (round % 2 === 1) bytes[pick(bytes.length)] = Buffer.from('"\\,[]{}0 ')[pick(9)] ?? 0
    const expected = parseJson(bytes.toString())
    if (expected === undefined) damaged += 1
    assert.deepEqual(parse(bytes), expected, bytes.toString())
  }
  assert.ok(damaged > 200, String(damaged))

  const [first, second] = [
    [item(1, ''), item(2, '')],
    [item(3, ''), item(2, '')],
  ].map(
    (list) => parse(Buffer.from(`{"items":[${list.join(',')}]}`)) as { readonly items: object[] },
  )
  assert.equal(first?.items[1], second?.items[1])
  assert.notEqual(first?.items[0], second?.items[0])
})
