import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  EXPORT_FORMATS,
  formatCsvCell,
  hasGuardedCell,
} from '../../../src/cli/waitlist/export-rows.ts'
import type { WaitlistEntry } from '../../../src/service/waitlist/waitlist-entry.ts'
import { ANY_CODE_POINT } from '../../support/any-text.ts'
import { parseCsv } from './csv-reader.ts'

const ENTRY: WaitlistEntry = {
  ticket: 'EA-0123456789ABCDEF',
  email: 'ada@example.org',
  locale: 'en',
  interests: ['api', 'kap-language'],
  useCase: 'To read, "slowly".\nภาษาไทย 你好 🦀',
  registeredAt: '2026-01-31T12:00:00.123Z',
  consent: { version: '0123456789abcdef', text: 'I agree, “fully”.' },
}

/** What text of any kind may hold that a spreadsheet has a view on. */
const TRICKY_PARTS = [
  // oxlint-disable-next-line typescript/no-misused-spread -- code points are what is meant
  ...'=+-@＝＋－＠\t\r\n \u00A0\u200B\uFEFF"\'“,;|a1\u0000\u001B\u0085🦀',
  '\uD800',
  'A1',
]
const TRICKY = fc
  .array(fc.constantFrom(...TRICKY_PARTS), { maxLength: 12 })
  .map((parts) => parts.join(''))

test('a CSV row is quoted where required and ends in CRLF', () => {
  assert.equal(
    EXPORT_FORMATS.csv.rowOf(ENTRY),
    'EA-0123456789ABCDEF,2026-01-31T12:00:00.123Z,ada@example.org,en,api kap-language,"To read, ""slowly"".\nภาษาไทย 你好 🦀",0123456789abcdef,"I agree, “fully”."\r\n',
  )
  assert.equal(
    EXPORT_FORMATS.csv.rowOf({ ...ENTRY, interests: [], useCase: null, consent: null }),
    'EA-0123456789ABCDEF,2026-01-31T12:00:00.123Z,ada@example.org,en,,,,\r\n',
  )
})

test('a CSV row has eight cells by RFC 4180 for any content', () => {
  fc.assert(
    fc.property(TRICKY, TRICKY, (email, useCase) => {
      const [row, ...others] = parseCsv(EXPORT_FORMATS.csv.rowOf({ ...ENTRY, email, useCase }))
      assert.equal(others.length, 0)
      assert.equal(row?.length, 8)
      assert.equal(row?.[0], ENTRY.ticket)
    }),
  )
})

test('the address is exact in CSV, and other texts are guarded', () => {
  const email = '=1+1@example.org'
  const [row] = parseCsv(EXPORT_FORMATS.csv.rowOf({ ...ENTRY, email, useCase: '=1+1' }))
  assert.deepEqual([row?.[2], row?.[5]], [email, "'=1+1"])
  assert.equal(hasGuardedCell({ ...ENTRY, email }), false)
  assert.equal(hasGuardedCell({ ...ENTRY, useCase: '=1+1' }), true)
})

test('CSV and listmonk have the consent as it was read, without marks of line breaking', () => {
  const consent = { version: '0123456789abcdef', text: 'ข้อ\u2060ตก\u200Bลง\u00AD' }
  const [row] = parseCsv(EXPORT_FORMATS.csv.rowOf({ ...ENTRY, consent }))
  assert.deepEqual(row?.slice(-2), [consent.version, 'ข้อตกลง'])
  const attributesOf = (entry: WaitlistEntry) => {
    const [cells] = parseCsv(EXPORT_FORMATS.listmonk.rowOf(entry))
    return JSON.parse(cells?.[2] ?? '') as unknown
  }
  const { ticket, registeredAt, locale, interests } = ENTRY
  const known = { ticket, registeredAt, locale, interests }
  assert.deepEqual(attributesOf({ ...ENTRY, consent }), {
    ...known,
    consentVersion: consent.version,
    consentText: 'ข้อตกลง',
  })
  assert.deepEqual(attributesOf({ ...ENTRY, consent: null }), {
    ...known,
    consentVersion: '',
    consentText: '',
  })
})

test('prefixes formula cells with an apostrophe', () => {
  const cells: readonly [string, string][] = [
    ['=1+1', "'=1+1"],
    ['+4420', "'+4420"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠A1', "'＠A1"],
    ['  =1', "'  =1"],
    ['\u00A0\u200B=1', "'\u00A0\u200B=1"],
    ["'=1", "''=1"],
    ['"=1"', `"'""=1"""`],
    ['“=1', "'“=1"],
    ['\tx', `"'\tx"`],
    ['\rx', `"'\rx"`],
    ['\nx', `"'\nx"`],
    // Where a spreadsheet splits at other signs than commas, or at line ends inside quotes.
    ['a;=1', `"a;'=1"`],
    ['a\t@1', `"a\t'@1"`],
    ['a\n- b\r\n  =c', `"a\n'- b\r\n'  =c"`],
    // Nothing to fear.
    ['a=1', 'a=1'],
    ['well-known', 'well-known'],
    ['ada+list@example.org', 'ada+list@example.org'],
    ['', ''],
    ["it's", "it's"],
  ]
  for (const [text, cell] of cells) assert.equal(formatCsvCell(text), cell, JSON.stringify(text))
})

test('no cell starts a formula, whichever separator splits the line', () => {
  fc.assert(
    fc.property(TRICKY, (text) => {
      for (const cell of [
        formatCsvCell(text),
        parseCsv(`${formatCsvCell(text)}\r\n`)[0]?.[0] ?? '',
      ]) {
        for (const part of cell.split(/[;\t\r\n|]/)) {
          assert.doesNotMatch(part.replace(/^[\s\p{Z}\p{Cf}"“]+/u, ''), /^[=+\-@＝＋－＠]/)
        }
      }
    }),
    { numRuns: 2000 },
  )
})

test('CSV contains no control characters except tab and line ends, and only valid Unicode', () => {
  assert.equal(formatCsvCell('a\u001B[2Jb\u009Bc\u0000d\uD800'), 'a\uFFFD[2Jb\uFFFDc\uFFFDd\uFFFD')
})

test('a JSON line has the exact values, in one line, safe for terminals', () => {
  assert.deepEqual(JSON.parse(EXPORT_FORMATS.jsonl.rowOf(ENTRY)), ENTRY)
  fc.assert(
    fc.property(TRICKY, fc.option(fc.string({ unit: ANY_CODE_POINT })), (email, useCase) => {
      const line = EXPORT_FORMATS.jsonl.rowOf({ ...ENTRY, email, useCase })
      assert.deepEqual(JSON.parse(line), { ...ENTRY, email, useCase })
      // oxlint-disable-next-line no-control-regex -- control characters are what is meant
      assert.match(line, /^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]+\n$/)
    }),
  )
})
