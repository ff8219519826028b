import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '@public-api/cli-kit/command'
import { parseChoice, parseWholeNumber, timeOption } from '@public-api/cli-kit/option-values'
import * as fc from 'fast-check'

function messageOf(parse: () => unknown): string {
  try {
    parse()
  } catch (error) {
    assert.ok(error instanceof UsageError)
    return error.message
  }
  return 'taken'
}

test('accepts whole numbers in decimal digits, bounds included', () => {
  fc.assert(
    fc.property(fc.nat({ max: 300 }), (number) => {
      const parse = () => parseWholeNumber('--n', String(number), { least: 2, most: 256 })
      if (number < 2 || number > 256) assert.throws(parse, UsageError)
      else assert.equal(parse(), number)
    }),
  )
  assert.equal(parseWholeNumber('--n', '007', { least: 0, most: 9 }), 7)
})

test('rejects values other than whole numbers, naming what is expected and not the value', () => {
  for (const text of [
    '',
    ' ',
    '1.5',
    '1e3',
    '-1',
    '+1',
    '0x10',
    '٣',
    '1 ',
    '9'.repeat(16),
    'key',
  ]) {
    const days = { unit: 'days', least: 0, most: Number.MAX_SAFE_INTEGER }
    assert.equal(
      messageOf(() => parseWholeNumber('--ttl-days', text, days)),
      `--ttl-days expects whole days from 0 to ${Number.MAX_SAFE_INTEGER}`,
    )
  }
  assert.equal(
    messageOf(() => parseWholeNumber('--jobs', '0', { least: 1, most: 256 })),
    '--jobs expects a whole number from 1 to 256',
  )
})

test('accepts only listed words and suggests a similar one', () => {
  const kinds = ['active', 'expired', 'revoked'] as const
  for (const kind of kinds) assert.equal(parseChoice('--status', kind, kinds), kind)
  assert.equal(
    messageOf(() => parseChoice('--status', 'actve', kinds)),
    '--status expects active, expired or revoked; did you mean active?',
  )
  assert.equal(
    messageOf(() => parseChoice('--status', 'svk_0123456789abcdef', kinds)),
    '--status expects active, expired or revoked',
  )
  assert.equal(
    messageOf(() => parseChoice('--format', 'toString', ['csv', 'jsonl'])),
    '--format expects csv or jsonl',
  )
  assert.equal(
    messageOf(() => parseChoice('--only', '', ['one'])),
    '--only expects one',
  )
})

test('accepts a time with an offset, and has it in UTC', () => {
  const { parse } = timeOption('TIME: when')
  for (const [text, expected] of [
    ['2027-01-31T03:00:00Z', '2027-01-31T03:00:00Z'],
    ['2027-01-31T03:00:00+07:00', '2027-01-30T20:00:00Z'],
    ['2027-01-31T20:00:00.250-03:30', '2027-01-31T23:30:00.250Z'],
  ] as const)
    assert.equal(parse('--at', text), expected)
  for (const text of ['2027-01-31T03:00:00', '2027-02-30T03:00:00+07:00', '2027-01-31T03:00:00+7'])
    assert.match(
      messageOf(() => parse('--at', text)),
      /^--at expects a time such as .*\+07:00$/,
    )
})
