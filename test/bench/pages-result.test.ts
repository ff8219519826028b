import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missedInPages, pagesTable } from '../../bench/page-tables.ts'
import { summarizePages, type PageSample } from '../../bench/pages-result.ts'

const sample = (rate: number): PageSample => ({ rate, cpuMicros: 1e6 / rate, busy: 0.97 })

/** A page that is sent at these rates; the machine is twice as slow in the second round. */
function resultOf(service: number, bare: number) {
  const samples = (rate: number) => [sample(rate), sample(rate / 2), sample(rate)]
  return summarizePages({ connections: 16, requestsPerRound: 20_000 }, [
    {
      target: '/en',
      coding: 'br',
      bodyBytes: 2000,
      samples: { service: samples(service), bare: samples(bare) },
    },
  ])
}

test('a rate is compared with the bare server’s in its own round, and the bound itself is met', () => {
  const { rounds, pages } = resultOf(40_000, 50_000)
  assert.equal(rounds, 3)
  assert.deepEqual(pages[0]?.toBare, { median: 0.8, lowest: 0.8, highest: 0.8 })
  assert.equal(pages[0]?.isMet, true)
  assert.equal(resultOf(39_900, 50_000).pages[0]?.isMet, false)
})

test('the table has a row for each sender, and the verdict beside the service', () => {
  const { title, heading, rows } = pagesTable(resultOf(20_000, 50_000))
  assert.match(title, /16 connections, 3 rounds of 20,000 requests/)
  assert.deepEqual(
    rows.map((row) => [row[1], row[3], row[5], ...row.slice(7)]),
    [
      ['the service', '50.0', '20,000', '97 %', '0.40', '0.40 to 0.40', '0.80', 'not met'],
      ['bare node:http, the same bytes', '20.0', '50,000', '97 %', '', '', '', ''],
    ],
  )
  for (const row of rows) assert.equal(row.length, heading.length)
})

test('what is slower than promised is named', () => {
  assert.deepEqual(missedInPages(resultOf(50_000, 50_000)), [])
  assert.deepEqual(missedInPages(resultOf(20_000, 50_000)), [
    'the rate of /en in br to that of a bare server: found 0.40, expected at least 0.80',
  ])
})
