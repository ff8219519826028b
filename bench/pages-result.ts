import { spreadOf, type Spread } from './statistics.ts'

/** Codings in which a page is asked for; nearly every browser takes the first. */
export const PAGE_CODINGS = ['br', 'identity'] as const

export type PageCoding = (typeof PAGE_CODINGS)[number]

/** What sends a page. */
export const PAGE_SENDERS = {
  service: 'the service',
  bare: 'bare node:http, the same bytes',
} as const

export type PageSender = keyof typeof PAGE_SENDERS

/** What one process showed while it sent one page. */
export interface PageSample {
  /** CPU time of a request, all threads. */
  readonly cpuMicros: number
  /** Requests in a second. */
  readonly rate: number
  /** CPU time by the clock's time: well below 1, something else used the processor. */
  readonly busy: number
}

/** All samples of one page in one coding; the samples of a round have the same place. */
export interface MeasuredPage {
  readonly target: string
  readonly coding: PageCoding
  readonly bodyBytes: number
  readonly samples: { readonly [Sender in PageSender]: readonly PageSample[] }
}

interface SenderCost {
  readonly cpuMicros: Spread
  readonly rate: Spread
  readonly busy: number
}

/** What sending one page in one coding cost. */
export interface PageCost {
  readonly target: string
  readonly coding: PageCoding
  readonly bodyBytes: number
  readonly senders: { readonly [Sender in PageSender]: SenderCost }
  /** The service's rate to that of the bare server, in the same round. */
  readonly toBare: Spread
  readonly isMet: boolean
}

/** Result of the pages part. */
export interface PagesResult {
  readonly connections: number
  readonly rounds: number
  readonly requestsPerRound: number
  /** The ratio of the rates is at least this. */
  readonly rateTarget: number
  readonly pages: readonly PageCost[]
}

const RATE_TARGET = 0.8

function costOf({ target, coding, bodyBytes, samples }: MeasuredPage): PageCost {
  const of = (sender: PageSender): SenderCost => ({
    cpuMicros: spreadOf(samples[sender].map(({ cpuMicros }) => cpuMicros)),
    rate: spreadOf(samples[sender].map(({ rate }) => rate)),
    busy: spreadOf(samples[sender].map(({ busy }) => busy)).median,
  })
  const toBare = spreadOf(
    samples.service.map(({ rate }, round) => rate / (samples.bare[round]?.rate ?? Number.NaN)),
  )
  return {
    target,
    coding,
    bodyBytes,
    senders: { service: of('service'), bare: of('bare') },
    toBare,
    isMet: toBare.median >= RATE_TARGET,
  }
}

/** Makes the result of all samples. Throws a RangeError where a page has none. */
export function summarizePages(
  facts: Pick<PagesResult, 'connections' | 'requestsPerRound'>,
  pages: readonly MeasuredPage[],
): PagesResult {
  return {
    ...facts,
    rounds: pages[0]?.samples.service.length ?? 0,
    rateTarget: RATE_TARGET,
    pages: pages.map(costOf),
  }
}
