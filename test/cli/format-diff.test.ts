import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMarks, formatField, formatResource } from '../../src/cli/format-diff.ts'

const PLAIN = createMarks(false, {})

test('a changed text is shown whole, word by word', () => {
  const before = `Alerts by email when a forecast exceeds the level. ${'Long. '.repeat(60)}End.`
  const after = before.replace('by email', 'by text message')
  const change = { path: 'items[alerts].summary', kind: 'changed', before, after } as const
  const [line = '', ...others] = formatField('roadmap', change, PLAIN)
  assert.deepEqual(others, [])
  assert.match(
    line,
    /^items\[alerts\]\.summary: Alerts by \[-email ?-\]\{\+text message ?\+\} ?when/,
  )
  assert.ok(line.endsWith('Long. End.'))
})

test('added and removed groups are listed field by field, and a line break stays on its line', () => {
  const after = { id: 'a', parts: ['one', 'two\nlines'], done: true }
  assert.deepEqual(formatField('roadmap', { path: 'items[a]', kind: 'added', after }, PLAIN), [
    '{+items[a].id: a+}',
    '{+items[a].parts[0]: one+}',
    '{+items[a].parts[1]: two\\nlines+}',
    '{+items[a].done: true+}',
  ])
  assert.deepEqual(
    formatField('status', { path: 'n', kind: 'changed', before: 1, after: 2 }, PLAIN),
    ['n: [-1-]{+2+}'],
  )
  assert.deepEqual(formatResource({ a: 'x', b: [] }, PLAIN), ['{+a: x+}', '{+b: []+}'])
})

test('a character that a terminal obeys or hides is escaped', () => {
  const after = ['\u009B31m', '\u202Egnp']
  assert.deepEqual(formatField('status', { path: 'n', kind: 'added', after }, PLAIN), [
    String.raw`{+n[0]: \u009b31m+}`,
    String.raw`{+n[1]: \u202egnp+}`,
  ])
})

test('colors replace the brackets on a terminal, and NO_COLOR turns them off', () => {
  const change = { path: 'state', kind: 'changed', before: 'a', after: 'b' } as const
  assert.deepEqual(formatField('status', change, createMarks(true, {})), [
    'state: \u001B[31ma\u001B[39m\u001B[32mb\u001B[39m',
  ])
  assert.deepEqual(formatField('status', change, createMarks(true, { NO_COLOR: '1' })), [
    'state: [-a-]{+b+}',
  ])
  assert.deepEqual(formatField('status', change, createMarks(true, { TERM: 'dumb' })), [
    'state: [-a-]{+b+}',
  ])
})
