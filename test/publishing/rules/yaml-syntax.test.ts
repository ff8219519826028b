import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMistake } from '../../../src/publishing/rules/content-mistake.ts'
import { parseYamlSource } from '../../../src/publishing/rules/yaml-source.ts'

const CASES: readonly (readonly [title: string, text: string, mistake: string])[] = [
  [
    'an unquoted colon',
    'state: ok\nsummary: Note: this is wrong\n',
    'f.yaml:2:10: found a text with a colon and a space in it, without quotes, expected the text in quotes',
  ],
  [
    'an unquoted colon in a list item',
    'items:\n  - id: a\n    title: What: this\n',
    'f.yaml:3:12: found a text with a colon and a space in it, without quotes, expected the text in quotes',
  ],
  [
    'an unclosed double quote, at the line where it opens',
    'state: ok\nsummary: "never closed\nupdatedAt: x\nitems: []\n',
    'f.yaml:2:10: found a quote that is never closed, expected a closing " at the end of the text',
  ],
  [
    'an unclosed single quote, at the line where it opens',
    "state: ok\nsummary: 'never closed\nupdatedAt: x\nitems: []\n",
    "f.yaml:2:10: found a quote that is never closed, expected a closing ' at the end of the text",
  ],
  [
    'an apostrophe inside single quotes',
    "summary: 'It's here'\n",
    'f.yaml:1:14: found text after a closing quote, expected the whole text in quotes, with none of the same quotes inside',
  ],
  ...(['  - label: X\n    url: Y\n', '- label: X\n'] as const).map(
    (items) =>
      [
        `items below an empty list: ${JSON.stringify(items)}`,
        `name: A\nlinks: []   # none\n${items}`,
        `f.yaml:3:1: found items below "links:" with an empty list behind it, expected links: alone on its line, without []`,
      ] as const,
  ),
  ['a tab', 'items:\n\t- id: a\n', 'f.yaml:2:1: found a tab in the indentation, expected spaces'],
  [
    'a second document',
    'a: b\n---\nc: d\n',
    'f.yaml:2:1: found a second document (after --- or ...), expected one document in a file',
  ],
  [
    'an indentation between two others',
    'a:\n  b: c\n d: e\n',
    'f.yaml:3:1: found an indentation that matches no line above, expected the same indentation for all fields of a group',
  ],
  [
    'a colon without a space',
    'a:b\nc: d\n',
    'f.yaml:1:1: found a colon without a space after it, expected name: value',
  ],
  [
    'a line without a name',
    'a: b\nfoo bar\nc: d\n',
    'f.yaml:2:1: found a line without a field name, expected name: value',
  ],
  [
    'a reserved character',
    'a: @home\n',
    'f.yaml:1:4: found a text that starts with @, expected the text in quotes',
  ],
  [
    'an unclosed brace',
    'a: {b: c\nd: e\n',
    'f.yaml:2:1: found a { or [ that is not closed, expected its } or ] before the next field',
  ],
  [
    'a list item on the line of its field',
    'a: - b\n',
    'f.yaml:1:4: found a list item on the line of its field, expected each item on its own line',
  ],
  [
    'an unknown escape',
    String.raw`a: "C:\dir"`,
    String.raw`f.yaml:1:7: found a backslash with an unknown letter in double quotes, expected \\ for a backslash, or single quotes around the text`,
  ],
  [
    'a repeated field',
    'a: b\na: c\n',
    'f.yaml:2:1: found a duplicate field, expected each field once',
  ],
  [
    'text after a block indicator',
    'a: >x\n b\n',
    'f.yaml:1:5: found text after > or |, expected the text on the lines below',
  ],
  [
    'a list item between fields',
    'a: b\n- c\n',
    'f.yaml:2:1: found a list item between fields, expected the list below its own field',
  ],
]

for (const [title, text, expected] of CASES) {
  test(`explains ${title}`, () => {
    const { value, mistakes } = parseYamlSource('f.yaml', text)
    assert.equal(value, undefined)
    assert.deepEqual(mistakes.map(formatMistake), [expected])
  })
}
