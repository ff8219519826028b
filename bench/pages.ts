import { isDeepStrictEqual } from 'node:util'
import { measureAndEnd, startPeer } from './cost.ts'
import { CONNECTIONS, type BenchContext, type Sample } from './load.ts'
import { fetchOnce, peerResponseOf, type FetchedResponse } from './peer-response.ts'
import { startMeasuredService, type MeasuredServer } from './processes.ts'
import { medianOf, oneDigit, ratioCells, spreadCells, whole, type PartReport } from './report.ts'

/** The overview and the longest page. */
const TARGETS = ['/en', '/en/reference']
/** Nearly every browser accepts the first. */
const CODINGS = ['br', 'identity']
const SENDERS = { service: 'the service', bare: 'bare node:http, same bytes' } as const
const RATE_TARGET = 0.8
/** Pages contain the base URL, which otherwise differs with each port. */
const ENV = { SVC_BASE_URL: 'https://service.example' }

/** All samples of one page in one coding; samples of one round have the same index. */
interface MeasuredPage {
  readonly target: string
  readonly coding: string
  readonly bodyBytes: number
  readonly samples: {
    readonly [Sender in keyof typeof SENDERS]: readonly Pick<Sample, 'cpuMicros' | 'rate'>[]
  }
}

async function fetchPage(port: number, target: string, coding: string): Promise<FetchedResponse> {
  const response = await fetchOnce(port, target, `Accept-Encoding: ${coding}`)
  const sent = response.headers.get('content-encoding') ?? 'identity'
  if (response.status === 200 && sent === coding) return response
  throw new Error(`${target}: expected 200 in ${coding}, found ${response.status} in ${sent}`)
}

/** The report of the pages part. Throws a RangeError if a page has no sample. */
export function pagesReport(requestsPerRound: number, pages: readonly MeasuredPage[]): PartReport {
  const rounds = pages[0]?.samples.service.length ?? 0
  const rowsOf = ({ target, coding, bodyBytes, samples }: MeasuredPage) => {
    const page = `${target}, ${coding}`
    const ratesOf = (sender: keyof typeof SENDERS) => samples[sender].map(({ rate }) => rate)
    const cellsOf = (sender: keyof typeof SENDERS) => [
      SENDERS[sender],
      whole(bodyBytes),
      ...spreadCells(
        samples[sender].map(({ cpuMicros }) => cpuMicros),
        oneDigit,
      ),
      whole(medianOf(ratesOf(sender))),
    ]
    const what = `the rate of ${target} in ${coding}, relative to bare node:http`
    const rates = [ratesOf('service'), ratesOf('bare')] as const
    return [
      [page, ...cellsOf('service'), ...ratioCells(what, rates, { atLeast: RATE_TARGET })],
      [page, ...cellsOf('bare'), '', '', '', ''],
    ]
  }
  return {
    tables: [
      {
        title: `Sending a page from memory (${CONNECTIONS} connections, ${rounds} rounds of ${whole(requestsPerRound)} requests)`,
        heading: 'page|server|bytes|CPU µs|spread|requests/s|to bare|spread|target|',
        rows: pages.flatMap(rowsOf),
      },
    ],
  }
}

/**
 * Measures the service beside a server that ignores the request and sends the same bytes under the same headers, each in a
 * fresh process, alternating.
 */
export async function measurePages(context: BenchContext): Promise<PartReport> {
  const { workspace, options, progress } = context
  const { pageWarmUpRequests: warmUpRequests, pageRequests: measuredRequests } = options
  const pages: {
    model: FetchedResponse
    coding: string
    samples: { service: Sample[]; bare: Sample[] }
  }[] = []
  const source = await startMeasuredService(workspace, ENV)
  for (const target of TARGETS) {
    for (const coding of CODINGS) {
      const model = await fetchPage(source.port, target, coding)
      pages.push({ model, coding, samples: { service: [], bare: [] } })
    }
  }
  await source.end()

  for (let round = 1; round <= options.pageRounds; round += 1) {
    for (const { model, coding, samples } of pages) {
      const { target } = model
      const expected = peerResponseOf(model, '')
      const measure = async (server: MeasuredServer): Promise<Sample> => {
        const page = await fetchPage(server.port, target, coding)
        if (!isDeepStrictEqual(peerResponseOf(page, ''), expected))
          throw new Error(`${target} is not reproducible`)
        const headers = { 'Accept-Encoding': coding }
        const load = {
          method: 'GET',
          target,
          headers,
          expectedStatus: 200,
          connections: CONNECTIONS,
        }
        return measureAndEnd(context, server, load, { warmUpRequests, measuredRequests })
      }
      progress(`pages: round ${round} of ${options.pageRounds}, ${target} in ${coding}`)
      samples.service.push(await measure(await startMeasuredService(workspace, ENV)))
      samples.bare.push(await measure(await startPeer(context, 'page', model)))
    }
  }
  return pagesReport(
    measuredRequests,
    pages.map(({ model: { target, body }, coding, samples }) => ({
      target,
      coding,
      bodyBytes: body.length,
      samples,
    })),
  )
}
