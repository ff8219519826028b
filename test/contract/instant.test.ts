import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DAY_MS,
  formatDate,
  formatInstant,
  INSTANT,
  parseInstant,
} from '@public-api/contract/text/instant'
import * as fc from 'fast-check'

test('parses UTC timestamps with seconds or milliseconds', () => {
  assert.equal(parseInstant('2026-11-21T09:00:01Z'), Date.UTC(2026, 10, 21, 9, 0, 1))
  assert.equal(parseInstant('2026-11-21T09:00:01.007Z'), Date.UTC(2026, 10, 21, 9, 0, 1, 7))
  assert.equal(parseInstant('2024-02-29T23:59:59Z'), Date.UTC(2024, 1, 29, 23, 59, 59))
  assert.equal(parseInstant('1970-01-01T00:00:00Z'), 0)
  assert.equal(parseInstant('0000-01-01T00:00:00.000Z'), Date.parse('0000-01-01T00:00:00.000Z'))
})

test('formats timestamps in milliseconds and dates in UTC', () => {
  const lastMs = Date.UTC(2024, 1, 29) + DAY_MS - 1
  assert.equal(formatInstant(lastMs), '2024-02-29T23:59:59.999Z')
  assert.equal(formatDate(lastMs), '2024-02-29')
  assert.equal(formatInstant(lastMs + 1), '2024-03-01T00:00:00.000Z')
  assert.equal(formatDate(lastMs + 1), '2024-03-01')
  for (const ms of [Number.NaN, Infinity, 8.64e15 + 1]) {
    assert.throws(() => formatInstant(ms), RangeError)
  }
})

test('every formatted timestamp round-trips', () => {
  fc.assert(
    fc.property(
      fc.date({
        min: new Date('0000-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
      (date) => {
        assert.equal(parseInstant(formatInstant(date.getTime())), date.getTime())
        assert.match(formatInstant(date.getTime()), INSTANT)
      },
    ),
  )
})

test('rejects dates and times that do not exist', () => {
  for (const text of [
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2016-12-31T23:59:60Z',
  ]) {
    assert.match(text, INSTANT)
    assert.equal(parseInstant(text), undefined, text)
  }
})

test('rejects other formats of an instant', () => {
  for (const text of [
    '',
    '2026-11-21',
    '2026-11-21T09:00Z',
    '2026-11-21T09:00:00',
    '2026-11-21T09:00:00z',
    '2026-11-21t09:00:00Z',
    '2026-11-21 09:00:00Z',
    '2026-11-21T09:00:00+00:00',
    '2026-11-21T09:00:00.0Z',
    '2026-11-21T09:00:00.0000Z',
    '2026-11-21T09:00:00Z\n',
    ' 2026-11-21T09:00:00Z',
    '+002026-11-21T09:00:00Z',
    '２026-11-21T09:00:00Z',
  ]) {
    assert.equal(parseInstant(text), undefined, JSON.stringify(text))
    // Published as it is, for programs that have no such function.
    assert.doesNotMatch(text, INSTANT)
  }
})
