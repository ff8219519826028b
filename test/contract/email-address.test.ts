import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToUnicode } from 'node:url'
import { parseEmailAddress } from '@public-api/contract/waitlist/email-address'
import * as fc from 'fast-check'
import { ANY_CODE_POINT } from '../support/any-text.ts'
import { cpuMs } from '../support/cpu-time.ts'
import {
  BAD_ADDRESSES,
  DIFFERENT_ADDRESSES,
  GOOD_ADDRESSES,
  SAME_ADDRESSES,
} from './email-addresses.ts'

/** The pattern of a valid email address as the HTML standard gives it, for a domain that is converted already. */
const HTML_EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

const normalizedOf = (typed: string): string | undefined => parseEmailAddress(typed)?.normalized

const localPart = fc.stringMatching(/^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,30}$/)
/** Labels in one script each, so that most of them are domains. */
const label = fc.oneof(
  fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,10}$/),
  fc.stringMatching(/^[a-z](?:[a-z0-9-]{0,10}[a-z])?$/),
  fc.stringMatching(/^[а-я]{1,8}$/),
  fc.stringMatching(/^[ก-ฮ]{1,8}$/),
  fc.stringMatching(/^[一-龠]{1,8}$/),
  fc.stringMatching(/^[äöüßéèñçø]{1,8}$/),
  fc.stringMatching(/^[ａ-ｚ]{1,8}$/),
  fc.constantFrom('☕', '💩', 'İ', 'ẞ', 'ς', '㎏', 'ℂ'),
)
const domain = fc
  .tuple(
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('.', '。', '．', '｡'),
    label,
  )
  .map(([labels, dot, last]) => [...labels, last].join(dot))
const typedAddress = fc.tuple(localPart, domain).map((parts) => parts.join('@'))
/** Whatever a caller may send instead. */
const anyText = fc.oneof(
  typedAddress,
  fc.string({ unit: ANY_CODE_POINT, maxLength: 40 }),
  fc
    .tuple(localPart, fc.string({ unit: ANY_CODE_POINT, maxLength: 30 }))
    .map((parts) => parts.join('@')),
  fc
    .tuple(localPart, fc.string({ unit: ANY_CODE_POINT, maxLength: 3 }), domain)
    .map(([local, noise, rest]) => `${local}@${noise}${rest}`),
  fc
    .tuple(localPart, fc.stringMatching(/^xn--[a-z0-9-]{1,12}\.org$/))
    .map((parts) => parts.join('@')),
  fc
    .tuple(localPart, fc.stringMatching(/^[0-9a-fx.%:[\]/@]{1,16}$/))
    .map((parts) => parts.join('@')),
)
const space = fc.stringMatching(/^[ \t\n\f\r]{0,4}$/)

test('stores valid addresses as the table states', () => {
  assert.ok(GOOD_ADDRESSES.length >= 60)
  for (const [typed, kept] of GOOD_ADDRESSES) {
    assert.deepEqual(
      parseEmailAddress(typed),
      { address: kept, normalized: kept.toLowerCase() },
      JSON.stringify(typed),
    )
  }
})

test('rejects bad addresses', () => {
  assert.ok(BAD_ADDRESSES.length >= 100)
  assert.equal(new Set(BAD_ADDRESSES).size, BAD_ADDRESSES.length)
  for (const typed of BAD_ADDRESSES) {
    assert.equal(parseEmailAddress(typed), undefined, JSON.stringify(typed))
  }
})

test('all spellings of an address are one entry', () => {
  for (const spellings of SAME_ADDRESSES) {
    const [first = '', ...others] = spellings
    assert.notEqual(normalizedOf(first), undefined, first)
    for (const other of others) assert.equal(normalizedOf(other), normalizedOf(first), other)
  }
})

test('the groups are different entries', () => {
  const entries = SAME_ADDRESSES.map(([first = '']) => normalizedOf(first))
  assert.equal(new Set(entries).size, entries.length)
})

test('similar addresses are different entries', () => {
  for (const [one, other] of DIFFERENT_ADDRESSES) {
    assert.notEqual(normalizedOf(one), undefined, one)
    assert.notEqual(normalizedOf(other), undefined, other)
    assert.notEqual(normalizedOf(one), normalizedOf(other), `${one} ${other}`)
  }
})

test('the length limit applies to the trimmed, converted address', () => {
  const of = (length: number, rest: string) => `${'l'.repeat(length - rest.length)}${rest}`
  assert.equal(parseEmailAddress(of(254, '@example.org'))?.address.length, 254)
  assert.equal(parseEmailAddress(of(255, '@example.org')), undefined)
  // Six characters of bücher become thirteen of xn--bcher-kva.
  assert.equal(parseEmailAddress(of(247, '@bücher.org'))?.address.length, 254)
  assert.equal(parseEmailAddress(of(248, '@bücher.org')), undefined)
  assert.equal(parseEmailAddress(` ${of(254, '@example.org')} `)?.address.length, 254)
})

test('accepts what HTML accepts, if it has a dot, does not end in a number and is short', () => {
  let accepted = 0
  fc.assert(
    fc.property(anyText, (typed) => {
      const email = parseEmailAddress(typed)
      if (email === undefined) return
      accepted += 1
      assert.match(email.address, HTML_EMAIL)
      assert.match(email.address, /@.*\./)
      assert.doesNotMatch(email.address, /\.(?:\d+|0x[0-9a-f]*)$/i)
      assert.ok(email.address.length <= 254)
      assert.equal(email.normalized, email.address.toLowerCase())
    }),
    { numRuns: 3000 },
  )
  assert.ok(accepted > 300, `only ${accepted} of the texts were addresses`)
})

test('parsing is idempotent', () => {
  fc.assert(
    fc.property(anyText, (typed) => {
      const email = parseEmailAddress(typed)
      if (email === undefined) return
      assert.deepEqual(parseEmailAddress(email.address), email)
      assert.equal(parseEmailAddress(email.normalized)?.normalized, email.normalized)
    }),
    { numRuns: 3000 },
  )
})

test('ignores case of ASCII letters and surrounding space', () => {
  const change = (typed: string, flips: readonly boolean[]) =>
    typed.replaceAll(/[a-z]/gi, (letter, at: number) =>
      flips[at % flips.length] === true ? letter.toUpperCase() : letter.toLowerCase(),
    )
  fc.assert(
    fc.property(
      anyText,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
      space,
      space,
      (typed, flips, before, after) => {
        assert.equal(normalizedOf(`${before}${change(typed, flips)}${after}`), normalizedOf(typed))
      },
    ),
    { numRuns: 3000 },
  )
})

test('a domain in Unicode and in punycode is one entry', () => {
  fc.assert(
    fc.property(anyText, (typed) => {
      const email = parseEmailAddress(typed)
      if (email === undefined) return
      const [local = '', ascii = ''] = email.address.split('@')
      const unicode = domainToUnicode(ascii)
      assert.notEqual(unicode, '', ascii)
      assert.deepEqual(parseEmailAddress(`${local}@${unicode}`), email)
    }),
    { numRuns: 3000 },
  )
})

test('an added non-ASCII character makes another address, unless IDNA maps or ignores it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0x80, max: 0x10_ff_ff }), (codePoint) => {
      const inserted = String.fromCodePoint(codePoint)
      const email = parseEmailAddress(`a@exam${inserted}ple.org`)
      if (email === undefined) return
      const isIgnored = email.normalized === 'a@example.org'
      const isMapped = /^a@exam[a-z0-9.-]+ple\.org$/.test(email.normalized)
      const isItself = /^a@xn--[a-z0-9-]+\.org$/.test(email.normalized)
      assert.ok(isIgnored || isMapped || isItself, email.normalized)
      // Ignored are only characters that Unicode itself calls ignorable.
      if (isIgnored) assert.match(inserted, /\p{Default_Ignorable_Code_Point}/u)
    }),
    { numRuns: 5000 },
  )
})

test('parses a long text in linear time', () => {
  const texts = [
    `a@${'ก'.repeat(8000)}.org`,
    `a@${'e\u0301'.repeat(4000)}.org`,
    `a@${'\u00ad'.repeat(8000)}example.org`,
    `${'.'.repeat(8000)}@example.org`,
    `a@${'xn--9ca.'.repeat(1000)}org`,
    `a@${`${'a-'.repeat(31)}.`.repeat(100)}`,
    ' '.repeat(8000),
    `a@${'-'.repeat(8000)}`,
  ]
  const started = cpuMs()
  for (const text of texts) parseEmailAddress(text)
  // Milliseconds in truth; a pattern that backtracks would take minutes.
  assert.ok(cpuMs() - started < 2000)
})
