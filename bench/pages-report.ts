import { judge, targetCells, type PartReport } from './report.ts'
import { spreadOf } from './statistics.ts'
import { spreadCells, twoDigits, whole } from './table.ts'

/** Codings in which a page is requested; nearly every browser accepts the first. */
export const PAGE_CODINGS = ['br', 'identity'] as const
export type PageCoding = (typeof PAGE_CODINGS)[number]

const SENDERS = { service: 'the service', bare: 'bare node:http, same bytes' } as const
type Sender = keyof typeof SENDERS

/** One measurement of one process sending one page. */
export interface PageSample {
  /** CPU time per request, all threads. */
  readonly cpuMicros: number
  /** Requests per second. */
  readonly rate: number
}

/** All samples of one page in one coding; samples of one round have the same index. */
export interface MeasuredPage {
  readonly target: string
  readonly coding: PageCoding
  readonly bodyBytes: number
  readonly samples: { readonly [Name in Sender]: readonly PageSample[] }
}

const RATE_TARGET = 0.8

const micros = (value: number) => value.toFixed(1)

function rateOf({ target, coding, samples }: MeasuredPage) {
  const ratio = spreadOf(
    samples.service.map(({ rate }, round) => rate / (samples.bare[round]?.rate ?? Number.NaN)),
  )
  const what = `the rate of ${target} in ${coding}, relative to bare node:http`
  return { ratio, target: judge(what, ratio.median, { atLeast: RATE_TARGET }, twoDigits) }
}

/** The report of the pages part. Throws a RangeError if a page has no sample. */
export function pagesReport(
  facts: { readonly connections: number; readonly requestsPerRound: number },
  pages: readonly MeasuredPage[],
): PartReport {
  const rounds = pages[0]?.samples.service.length ?? 0
  return {
    tables: [
      {
        title: `Sending a page from memory (${facts.connections} connections, ${rounds} rounds of ${whole(facts.requestsPerRound)} requests)`,
        heading: 'page|server|bytes|CPU µs|spread|requests/s|to bare|spread|target|',
        rows: pages.flatMap((page) => {
          const { ratio, target } = rateOf(page)
          return (Object.keys(SENDERS) as Sender[]).map((sender) => {
            const cpu = spreadOf(page.samples[sender].map(({ cpuMicros }) => cpuMicros))
            return [
              `${page.target}, ${page.coding}`,
              SENDERS[sender],
              whole(page.bodyBytes),
              ...spreadCells(cpu, micros),
              whole(spreadOf(page.samples[sender].map(({ rate }) => rate)).median),
              ...(sender === 'service'
                ? [...spreadCells(ratio, twoDigits), ...targetCells(target)]
                : ['', '', '', '']),
            ]
          })
        }),
      },
    ],
    targets: pages.map((page) => rateOf(page).target),
  }
}
