import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  lighthouseTable,
  sampleOf,
  summarizeRuns,
  type LighthouseReport,
} from '../../bench/lighthouse-result.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../bench/lighthouse.ts', import.meta.url))

/** A report with this score for performance and whole ones for the rest. */
function reportOf(performance: number | null): LighthouseReport {
  const whole = { score: 1, auditRefs: [{ id: 'fine', weight: 1 }] }
  const numeric = { title: '', score: 1, scoreDisplayMode: 'numeric' }
  return {
    lighthouseVersion: '13.5.0',
    categories: {
      performance: {
        score: performance,
        auditRefs: [
          { id: 'slow', weight: 10 },
          { id: 'hint', weight: 0 },
          { id: 'silent', weight: 1 },
        ],
      },
      accessibility: whole,
      'best-practices': whole,
      seo: whole,
    },
    audits: {
      fine: { title: 'Fine', score: 1, scoreDisplayMode: 'binary' },
      slow: { title: 'Slow', score: 0.5, scoreDisplayMode: 'numeric', displayValue: '3 s' },
      hint: { title: 'Hint', score: 0, scoreDisplayMode: 'metricSavings' },
      silent: { title: 'Silent', score: null, scoreDisplayMode: 'notApplicable' },
      'largest-contentful-paint': { ...numeric, numericValue: 1200.4 },
      'total-blocking-time': { ...numeric, numericValue: 0 },
      'cumulative-layout-shift': { ...numeric, numericValue: 0.0021 },
    },
  }
}

const sampleWith = (performance: number) => sampleOf(reportOf(performance))

test('a sample has the scores of 100, and only the audits that count and fell short', () => {
  const { scores, failures } = sampleWith(0.949)
  assert.deepEqual(scores, { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 })
  assert.deepEqual(failures, ['performance: slow: Slow (3 s): 50 of 100'])
})

test('a page that could not be judged has no score, but a reason', () => {
  assert.throws(() => sampleOf(reportOf(null)), /no score for performance/)
  const runtimeError = { code: 'NO_FCP', message: 'Nothing was painted.' }
  assert.throws(() => sampleOf({ ...reportOf(1), runtimeError }), /NO_FCP: Nothing was painted\./)
})

test('the middle run decides, in every category', () => {
  const isMet = (...scores: readonly number[]) => summarizeRuns('/en', scores.map(sampleWith)).isMet
  assert.equal(isMet(0.9, 0.95, 1), true)
  assert.equal(isMet(0.94, 0.94, 1), false)
  assert.equal(isMet(0.95), true)
})

test('the table tells the spread where runs differ', () => {
  const pages = [
    summarizeRuns('/en', [sampleWith(0.9), sampleWith(0.98)]),
    summarizeRuns('/th', [sampleWith(1)]),
  ]
  const { heading, rows } = lighthouseTable(pages, 2)
  assert.deepEqual(rows, [
    ['/en', '94 (90 to 98)', '100', '100', '100', '1,200', '0', '0.002', '95', 'not met'],
    ['/th', '100', '100', '100', '100', '1,200', '0', '0.002', '95', 'met'],
  ])
  for (const row of rows) assert.equal(row.length, heading.length)
})

/** Runs the command where no other program is found. */
async function runAlone(t: TestContext, args: readonly string[]) {
  const env = { PATH: temporaryFolder(t), TMPDIR: temporaryFolder(t) }
  const child = spawn(process.execPath, [PROGRAM, ...args], { env })
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => {
      child.once('close', resolve)
    }),
  ])
  return { stdout, stderr, code }
}

test('the command tells what there is, what was wrong, and what is missing', async (t) => {
  const help = await runAlone(t, ['--help'])
  assert.equal(help.code, 0)
  assert.match(help.stdout, /^Usage: npx node bench\/lighthouse\.ts/)

  for (const [args, reason] of [
    [['--runs', '0'], /--runs: expected a whole number from 1 to 99, found "0"/],
    [['--locale', 'de'], /--locale: expected one of en, th, zh-CN, found de/],
    [['--fast'], /--fast/],
  ] as const) {
    const { code, stderr } = await runAlone(t, args)
    assert.equal(code, 2)
    assert.match(stderr, reason)
  }

  const alone = await runAlone(t, [])
  assert.equal(alone.code, 1)
  assert.match(
    alone.stderr,
    /could not be judged: none of chromium, .+ is on the PATH, and CHROME_PATH/,
  )
})
