import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLeaks } from '../../../src/publishing/leaks/leak-guard.ts'
import { LEAK_RULES } from '../../../src/publishing/leaks/leak-rules.ts'
import type { ContentMistake } from '../../../src/publishing/rules/content-mistake.ts'
import type { PublishingSettings } from '../../../src/publishing/rules/content-schemas.ts'
import { parseYamlSource } from '../../../src/publishing/rules/yaml-source.ts'

// Put together from pieces, so that scanners of this repository do not take them for real ones.
const TOKEN = ['gh', 'p_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('')
const RANDOM = ['Zk3vQ9xT2mB7', 'nL5rW8yH1cJ4', 'dF6gS0pA_uEi', 'oK2tXqV'].join('')
const HEX = ['e3b0c44298fc1c14', '9afbf4c8996fb924', '27ae41e4649b934c', 'a495991b7852b855'].join(
  '',
)

/** A text as YAML's double quotes can write it, with nothing of it to be seen. */
const escaped = (text: string) =>
  `"${Array.from(text, (character) => `\\x${character.charCodeAt(0).toString(16)}`).join('')}"`

function guard(text: string, allowedTexts: PublishingSettings['allowedTexts'] = []) {
  const { value: source } = parseYamlSource('f.yaml', text)
  assert.ok(source !== undefined)
  return findLeaks([{ file: 'f.yaml', text, values: source.texts }], allowedTexts)
}

const leaksIn = async (text: string): Promise<readonly ContentMistake[]> =>
  (await guard(text)).leaks

const placesOf = (leaks: readonly ContentMistake[]) =>
  leaks.map(({ line, column, field, rule }) => ({ line, column, field, rule }))

/** What the rules for credentials of known services found; the token is random text too. */
const credentialsIn = async (text: string) =>
  (await leaksIn(text)).filter(({ rule }) => rule === 'secretlint/github')

test('finds a credential in a comment', async () => {
  const leaks = await leaksIn(`a: one\n# was ${TOKEN}\nb: two\n`)
  assert.deepEqual(placesOf(leaks), [{ line: 2, column: 7, field: '', rule: 'secretlint/github' }])
  assert.match(leaks[0]?.found ?? '', /^a credential \(.+\)$/)
  assert.match(leaks[0]?.expected ?? '', /revoke/)
})

test('finds a credential that only the parsed value shows, in any value', async () => {
  for (const wanted of [0, 1, 2]) {
    const values = ['one', '', 'three'].map((value, index) =>
      index === wanted ? escaped(TOKEN) : JSON.stringify(value),
    )
    const leaks = await credentialsIn(`list:\n${values.map((value) => `  - ${value}\n`).join('')}`)
    assert.deepEqual(placesOf(leaks), [
      { line: wanted + 2, column: 5, field: `list[${wanted}]`, rule: 'secretlint/github' },
    ])
    assert.ok(!JSON.stringify(leaks).includes(TOKEN.slice(4, 12)))
  }
})

test('two adjacent values are not one credential', async () => {
  assert.deepEqual(await leaksIn(`a: "${TOKEN.slice(0, 20)}"\nb: "${TOKEN.slice(20)}"\n`), [])
})

test('repeats a finding of the text for a value only on other lines', async () => {
  // The same rule above, on and below the line of a value that hides another credential.
  for (const comment of [1, 3]) {
    const lines = ['x: 1', `hidden: ${escaped(TOKEN)}`, 'y: 2']
    const text = lines.map((line, index) => (index + 1 === comment ? `${line} # ${TOKEN}` : line))
    const leaks = await credentialsIn(`${text.join('\n')}\n`)
    assert.deepEqual(
      leaks.map(({ line, field }) => ({ line, field })),
      [
        { line: comment, field: '' },
        { line: 2, field: 'hidden' },
      ],
    )
  }
  const onItsLine = await credentialsIn(`x: 1\nhidden: ${escaped(TOKEN)} # ${TOKEN}\ny: 2\n`)
  assert.deepEqual(
    onItsLine.map(({ line, field }) => ({ line, field })),
    [{ line: 2, field: '' }],
  )
  // Another rule's finding on the line hides nothing.
  assert.equal((await credentialsIn(`hidden: ${escaped(TOKEN)} # 10.1.2.3\n`)).length, 1)
})

test('a finding of our own rules covers only its lines', async () => {
  const address = 'someone@example.org'
  const leaks = await leaksIn(`# ${address}\na: one\nhidden: ${escaped(address)}\nb: two\n`)
  assert.deepEqual(placesOf(leaks), [
    { line: 1, column: 3, field: '', rule: 'email-address' },
    { line: 3, column: 9, field: 'hidden', rule: 'email-address' },
  ])
})

test('the digest of a public document may look random, but must be a digest', async () => {
  assert.deepEqual(await leaksIn(`documentSha256: ${HEX}\n`), [])
  assert.deepEqual(await leaksIn(`reports:\n  - documentSha256: ${HEX}\n`), [])
  const rulesOf = async (text: string) => (await leaksIn(text)).map(({ rule }) => rule)
  assert.deepEqual(await rulesOf(`sha256: ${HEX}\n`), ['random-text'])
  assert.deepEqual(await rulesOf(`documentSha256:\n  - ${HEX}\n`), ['random-text'])
  assert.deepEqual(await rulesOf(`documentSha256: ${escaped('10.1.2.3')}\n`), [
    'non-public-address',
  ])
})

test('searches for random text in values only', async () => {
  assert.deepEqual(await leaksIn(`# ${RANDOM}\na: one\n`), [])
  assert.deepEqual(placesOf(await leaksIn(`a: one\nb: ${RANDOM}\n`)), [
    { line: 2, column: 4, field: 'b', rule: 'random-text' },
  ])
})

test('reports an unused allowance at its entry in the settings', async () => {
  const entry = { rule: 'random-text', text: RANDOM, reason: 'a public test vector' }
  assert.deepEqual(await guard(`a: ${RANDOM}\n`, [entry]), {
    leaks: [],
    unused: [],
    excused: new Set(['f.yaml']),
  })
  const { leaks, unused } = await guard('a: one\n', [entry, { ...entry, rule: 'no-such-rule' }])
  assert.deepEqual(leaks, [])
  const allowable = LEAK_RULES.filter((rule) => rule.allowable).map(({ id }) => id)
  assert.deepEqual(
    unused.map(({ path, found, expected }) => [path, found, expected]),
    [
      [
        ['allowedTexts', 0],
        'a text allowed for random-text that is no longer in the content',
        'no unused entry',
      ],
      [
        ['allowedTexts', 1],
        'an allowed text for the unknown rule "no-such-rule"',
        `one of the rules ${allowable.join(', ')}`,
      ],
    ],
  )
})
