import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  ADDRESS_HASH_LABEL,
  formatWaitlistEntry,
  parseWaitlistEntry,
  type WaitlistEntry,
  WaitlistEntryError,
} from '../../../src/service/waitlist/waitlist-entry.ts'
import { ANY_CODE_POINT } from '../../support/any-text.ts'

const ENTRY: WaitlistEntry = {
  ticket: 'EA-0123456789ABCDEF',
  email: 'ada@example.org',
  locale: 'en',
  interests: ['api', 'research'],
  useCase: 'To read "what" was said.\r\n\u0000ภาษาไทย 你好 🦀',
  registeredAt: '2026-01-31T12:00:00.123Z',
  consent: null,
}

test('a formatted entry round-trips', () => {
  assert.deepEqual(parseWaitlistEntry(formatWaitlistEntry(ENTRY)), ENTRY)
  fc.assert(
    fc.property(
      fc.record({
        ticket: fc.string(),
        email: fc.string({ unit: ANY_CODE_POINT }),
        locale: fc.string(),
        interests: fc.array(fc.string()),
        useCase: fc.option(fc.string({ unit: ANY_CODE_POINT, maxLength: 500 })),
        registeredAt: fc
          .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
          .map((date) => date.toISOString()),
        consent: fc.option(
          fc.record(
            { version: fc.string(), text: fc.string({ unit: ANY_CODE_POINT }) },
            { noNullPrototype: true },
          ),
        ),
      }),
      (entry) => {
        const bytes = formatWaitlistEntry(entry)
        assert.equal(bytes.length % 256, 0)
        assert.deepEqual(parseWaitlistEntry(bytes), { ...entry })
      },
    ),
  )
})

test('the bytes are JSON of a known version, padded with spaces', () => {
  const text = Buffer.from(formatWaitlistEntry(ENTRY)).toString()
  assert.deepEqual(JSON.parse(text), { version: 1, ...ENTRY })
  assert.match(text, /\} +$/)
})

test('reads an entry of version 0.1.0, which has no consent', () => {
  const { consent: _, ...written } = ENTRY
  const bytes = Buffer.from(JSON.stringify({ version: 1, ...written }))
  assert.deepEqual(parseWaitlistEntry(bytes), ENTRY)
})

test('entries of similar length have the same size', () => {
  const sizes = ['a@b.cd', 'somebody.with.a.long.name@department.example.org'].map(
    (email) => formatWaitlistEntry({ ...ENTRY, useCase: null, email }).length,
  )
  assert.deepEqual(sizes, [256, 256])
})

test('writes only the named members of an entry', () => {
  const consent = { version: '0123456789abcdef', text: 'I agree.', challengeToken: 'secret' }
  const more = { ...ENTRY, challengeToken: 'secret', consent }
  assert.ok(!Buffer.from(formatWaitlistEntry(more)).includes('secret'))
})

test('rejects a malformed entry without quoting it', () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  const wrong: readonly [Uint8Array, RegExp][] = [
    [
      Buffer.from('ada@example.org'),
      /^expected a waitlist entry as a JSON object, found something else$/,
    ],
    [Buffer.from([0xff, 0xfe]), /JSON object, found something else$/],
    [new Uint8Array(), /JSON object, found something else$/],
    [json(null), /JSON object, found something else$/],
    [json([{ ...ENTRY, version: 1 }]), /JSON object, found something else$/],
    [json(ENTRY), /of version 1, found another/],
    [json({ ...ENTRY, version: 2 }), /of version 1, found another: a newer version/],
    [json({ ...ENTRY, version: 1, ticket: 7 }), /: \/ticket: expected/],
    [json({ ...ENTRY, version: 1, email: undefined }), /: \/email: expected/],
    [json({ ...ENTRY, version: 1, locale: null }), /: \/locale: expected/],
    [json({ ...ENTRY, version: 1, interests: 'api' }), /: \/interests: expected/],
    [json({ ...ENTRY, version: 1, interests: ['api', 1] }), /: \/interests\/1: expected/],
    [json({ ...ENTRY, version: 1, useCase: ['ada@example.org'] }), /: \/useCase: expected/],
    [
      json({ ...ENTRY, version: 1, registeredAt: '2026-02-30T00:00:00Z' }),
      /: \/registeredAt: expected/,
    ],
    [
      json({ ...ENTRY, version: 1, registeredAt: [ENTRY.registeredAt] }),
      /: \/registeredAt: expected/,
    ],
    // Complete except for one byte of invalid UTF-8.
    [
      Buffer.from(JSON.stringify({ ...ENTRY, version: 1, useCase: '\u00ff' }), 'latin1'),
      /JSON object, found something else$/,
    ],
  ]
  for (const [bytes, message] of wrong) {
    assert.throws(
      () => parseWaitlistEntry(bytes),
      (error) => {
        assert.ok(error instanceof WaitlistEntryError)
        assert.match(error.message, message)
        assert.ok(!error.message.includes('ada@'))
        assert.equal(error.cause, undefined)
        return true
      },
    )
  }
})

test('the label of address hashes never changes, since stored hashes depend on it', () => {
  assert.equal(ADDRESS_HASH_LABEL, 'svc-address-v1')
})
