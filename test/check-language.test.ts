import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { findLanguageFaults, languageFaults, PATTERNS } from '../scripts/check-language.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const EXAMPLES: readonly (readonly [text: string, found: string])[] = [
  ['A key that is no key is refused.', 'is no key'],
  ['Throws where the recipient is none.', 'is none'],
  ['Nobody is told of it.', 'Nobody'],
  ['The value stands in the header.', 'stands in'],
  ['Made anew by whoever asks.', 'anew'],
  ['Every answer is signed.', 'Every answer'],
  ['The digest is held against the body.', 'held against'],
  ['One look-up by key id.', 'look-up'],
  ['One look-up by key id.', 'key id'],
]

test('names the place, the phrase and what to write instead', () => {
  for (const [text, found] of EXAMPLES) {
    const fault = languageFaults('src/a.ts', `// fine\n// ${text}\n`).find((each) =>
      each.includes(`"${found}"`),
    )
    assert.match(fault ?? '', /^src\/a\.ts:2: found ".*"; expected ./, text)
  }
})

test('a comment allows a deliberate use in its line and the next', () => {
  const [first] = EXAMPLES
  const phrase = first?.[0] ?? ''
  assert.deepEqual(languageFaults('a.md', `<!-- language-ok: a quotation -->\n${phrase}`), [])
  assert.deepEqual(languageFaults('a.ts', `say('${phrase}') // language-ok: a quotation`), [])
  assert.equal(languageFaults('a.ts', `// language-ok:\n${phrase}`).length, 1)
  assert.equal(languageFaults('a.ts', `// language-ok: one\n\n${phrase}`).length, 1)
})

test('allows ordinary English', () => {
  assert.deepEqual(languageFaults('a.py', 'if key is not None:'), [])
  for (const text of [
    'There is no default.',
    'The key is no longer valid.',
    'It stands in for the server.',
    'Your answers are encrypted.',
    'The response contains none of them.',
    'One lookup by key ID.',
    'The key identifies its holder.',
  ]) {
    assert.deepEqual(languageFaults('a.md', text), [], text)
  }
})

test('reads sources, documents and English texts', (t) => {
  const root = temporaryFolder(t)
  const phrase = EXAMPLES[0]?.[0] ?? ''
  for (const file of [
    'src/a/b.ts',
    'docs/c.md',
    'locales/en.json',
    'locales/th.json',
    'D.md',
    'test/e/f.ts',
  ]) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), phrase)
  }
  const files = findLanguageFaults(root).map((fault) => fault.split(':')[0])
  assert.deepEqual(files, ['D.md', 'docs/c.md', 'locales/en.json', 'src/a/b.ts', 'test/e/f.ts'])
})

test('every pattern has a suggestion', () => {
  for (const { instead } of PATTERNS) assert.notEqual(instead, '')
})
