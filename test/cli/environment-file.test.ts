import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnvironmentFile } from '../../src/cli/environment-file.ts'

/** Files with what the service gets from systemd 252 (`EnvironmentFile=`). */
const READ_ALIKE: readonly (readonly [
  text: string,
  variables: { readonly [name: string]: string },
])[] = [
  ['A=abc\n', { A: 'abc' }],
  ['A=b', { A: 'b' }],
  ['A=\n', { A: '' }],
  ['A=""\n', { A: '' }],
  ['A=a=b\n', { A: 'a=b' }],
  ['A=a\nA=b\n', { A: 'b' }],
  ['  A=b\n\tB=c\n', { A: 'b', B: 'c' }],
  ['A = b \t\n', { A: 'b' }],
  ['A=a b\n', { A: 'a b' }],
  ['A=b\r\nB=c\r\n', { A: 'b', B: 'c' }],
  ['\n# A=b\n  #\n;B=c\n#\nC=d\n', { C: 'd' }],
  // A number sign within a value belongs to it.
  ['A=https://example.org/#security\n', { A: 'https://example.org/#security' }],
  ['A=a&b;c${HOME}$B`d`e\n', { A: 'a&b;c${HOME}$B`d`e' }],
  ['A=a"b"c\n', { A: 'a"b"c' }],
  ['A="a b#c $D"\nB=\'e "f"\'\n', { A: 'a b#c $D', B: 'e "f"' }],
  ['A="a\nb"\nB=c\n', { A: 'a\nb', B: 'c' }],
  ['A=[{"a":1}]\n', { A: '[{"a":1}]' }],
  ['A=ก\n', { A: 'ก' }],
  ['A=a%20b~/c?d\n', { A: 'a%20b~/c?d' }],
]

/** What systemd ignores, or what one of Node, compose, podman and kubectl reads as something else, with the line to mend. */
const REFUSED: readonly (readonly [text: string, place: RegExp])[] = [
  ['export A=b\n', /^line 1 \(A\): expected NAME=value without .*export/],
  ['B=c\nA=a #b\n', /^line 2 \(A\): .*comment behind/],
  ['A=#b\n', /^line 1 \(A\)/],
  ['A=a\\nb\n', /backslash$/],
  ['A=a\\\nB=c\n', /^line 1/],
  ['# a \\\nB=c\n', /^line 1: /],
  ['A=`ab`\n', /^line 1/],
  ['A="a" #b\n', /^line 1/],
  ['A="a" "b"\n', /^line 1/],
  ['A="a"b\n', /^line 1/],
  ['A="a\\"b"\n', /^line 1/],
  ["A='a\\nb'\n", /^line 1/],
  ['B="c\nd"\nA="ab\nC=c\n', /^line 3 \(A\)/],
  ["A=a' \n", /^line 1/],
  ["A= '\n", /^line 1/],
  ['A\nB=c\n', /^line 1: /],
  ['A: b\n', /^line 1: /],
  ['A-B=c\n', /^line 1: /],
  ['1A=c\n', /^line 1/],
  ['A=a\rB=c\n', /^line 1/],
  ['A=a\0b\n', /^line 1/],
  ['\uFEFFA=b\n', /^line 1/],
]

test('reads an environment file as systemd does', () => {
  for (const [text, variables] of READ_ALIKE) {
    assert.deepEqual(parseEnvironmentFile(text), variables, JSON.stringify(text))
  }
})

test('refuses what readers take differently, with its line and without its value', () => {
  for (const [text, place] of REFUSED) {
    assert.throws(
      () => parseEnvironmentFile(text),
      { name: 'EnvironmentFileMistake', message: place },
      JSON.stringify(text),
    )
  }
  assert.throws(
    () => parseEnvironmentFile('A="HEX'),
    (error: Error) => !error.message.includes('HEX'),
  )
})
