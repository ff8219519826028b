import { spreadOf, type Spread } from './statistics.ts'
import { range, verdict, whole, type Table } from './table.ts'

/** The categories of Lighthouse, as it names them and as the table does. */
export const CATEGORIES = {
  performance: 'performance',
  accessibility: 'accessibility',
  'best-practices': 'best practices',
  seo: 'SEO',
} as const

export type Category = keyof typeof CATEGORIES

/** What of Lighthouse's report (its `lhr` JSON) is read here. */
export interface LighthouseReport {
  readonly lighthouseVersion: string
  readonly runtimeError?: { readonly code: string; readonly message: string }
  readonly categories: {
    readonly [C in Category]: {
      /** From 0 to 1; null where an audit that counts failed to run. */
      readonly score: number | null
      readonly auditRefs: readonly { readonly id: string; readonly weight: number }[]
    }
  }
  readonly audits: {
    readonly [id: string]: {
      readonly title: string
      readonly score: number | null
      readonly scoreDisplayMode: string
      readonly displayValue?: string
      readonly numericValue?: number
    }
  }
}

/** One page of one run. */
export interface LighthouseSample {
  /** From 0 to 100. */
  readonly scores: { readonly [C in Category]: number }
  readonly largestContentMs: number
  readonly blockedMs: number
  readonly layoutShift: number
  /** Audits that count and have less than their whole score, each in words. */
  readonly failures: readonly string[]
}

/** All runs of one page. */
export interface LighthousePage {
  readonly path: string
  readonly scores: { readonly [C in Category]: Spread }
  readonly largestContentMs: Spread
  readonly blockedMs: Spread
  readonly layoutShift: Spread
  readonly failures: readonly string[]
  readonly isMet: boolean
}

/** Every category of every page has at least this, of 100. */
const SCORE_TARGET = 95

const CATEGORY_NAMES = Object.keys(CATEGORIES) as Category[]

function byCategory<Value>(of: (category: Category) => Value): { [C in Category]: Value } {
  return {
    performance: of('performance'),
    accessibility: of('accessibility'),
    'best-practices': of('best-practices'),
    seo: of('seo'),
  }
}

/** Reads one report. Throws an Error with Lighthouse's own words where the page could not be judged. */
export function sampleOf(report: LighthouseReport): LighthouseSample {
  const { runtimeError, categories, audits } = report
  if (runtimeError !== undefined) {
    throw new Error(`Lighthouse gave up: ${runtimeError.code}: ${runtimeError.message}`)
  }
  const scores = byCategory((category) => {
    const { score } = categories[category]
    if (score === null) throw new Error(`Lighthouse gave no score for ${category}`)
    return Math.round(score * 100)
  })
  const failures = CATEGORY_NAMES.flatMap((category) =>
    categories[category].auditRefs.flatMap(({ id, weight }) => {
      const audit = audits[id]
      if (audit === undefined || weight === 0 || audit.score === null || audit.score === 1)
        return []
      const shown = audit.displayValue === undefined ? '' : ` (${audit.displayValue})`
      const percent = Math.round(audit.score * 100)
      return [`${CATEGORIES[category]}: ${id}: ${audit.title}${shown}: ${percent} of 100`]
    }),
  )
  const numeric = (id: string) => audits[id]?.numericValue ?? Number.NaN
  return {
    scores,
    failures,
    largestContentMs: numeric('largest-contentful-paint'),
    blockedMs: numeric('total-blocking-time'),
    layoutShift: numeric('cumulative-layout-shift'),
  }
}

/** Makes one result of several runs of a page. Throws a RangeError without any. */
export function summarizeRuns(path: string, samples: readonly LighthouseSample[]): LighthousePage {
  const scores = byCategory((category) =>
    spreadOf(samples.map((sample) => sample.scores[category])),
  )
  return {
    path,
    scores,
    largestContentMs: spreadOf(samples.map((sample) => sample.largestContentMs)),
    blockedMs: spreadOf(samples.map((sample) => sample.blockedMs)),
    layoutShift: spreadOf(samples.map((sample) => sample.layoutShift)),
    failures: [...new Set(samples.flatMap((sample) => sample.failures))],
    isMet: CATEGORY_NAMES.every((category) => scores[category].median >= SCORE_TARGET),
  }
}

/** The table of all pages: medians, and the spread where runs differ. */
export function lighthouseTable(pages: readonly LighthousePage[], runs: number): Table {
  const cell = (spread: Spread) =>
    spread.lowest === spread.highest
      ? whole(spread.median)
      : `${whole(spread.median)} (${range(spread, whole)})`
  return {
    title: `Lighthouse, mobile setting, median of ${runs} ${runs === 1 ? 'run' : 'runs'}`,
    heading: [
      'page',
      ...Object.values(CATEGORIES),
      'largest content ms',
      'blocked ms',
      'layout shift',
      'at least',
      '',
    ],
    rows: pages.map((page) => [
      page.path,
      ...CATEGORY_NAMES.map((category) => cell(page.scores[category])),
      cell(page.largestContentMs),
      cell(page.blockedMs),
      page.layoutShift.median.toFixed(3),
      String(SCORE_TARGET),
      verdict(page.isMet),
    ]),
  }
}
