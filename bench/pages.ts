import { isDeepStrictEqual } from 'node:util'
import { comparisonTables, measureAndEnd, READ_STATUS, startPeer, type Measured } from './cost.ts'
import type { Sample } from './load.ts'
import type { BenchOptions } from './options.ts'
import { fetchOnce, peerResponseOf, type FetchedResponse } from './peer-response.ts'
import { startService, type Server } from './processes.ts'
import { ratioCells, showProgress, whole, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

/** The overview and the longest page. */
const TARGETS = ['/en', '/en/reference']
/** Nearly every browser accepts the first. */
const CODINGS = ['br', 'identity']
const RATE_TARGET = 0.8
/** Pages contain the base URL, which otherwise differs with each port. */
const ENV = { SVC_BASE_URL: 'https://service.example' }

/** All samples of one page in one coding; samples of one round have the same index. */
interface MeasuredPage {
  readonly name: string
  readonly bytes: number
  readonly service: Measured['samples']
  readonly bare: Measured['samples']
}

async function fetchPage(port: number, target: string, coding: string): Promise<FetchedResponse> {
  const response = await fetchOnce(port, target, `Accept-Encoding: ${coding}`)
  const sent = response.headers.get('content-encoding') ?? 'identity'
  if (response.status === 200 && sent === coding) return response
  throw new Error(`${target}: expected 200 in ${coding}, found ${response.status} in ${sent}`)
}

/** The report of the pages part. Throws a RangeError if a page has no sample. */
export function pagesTables(requests: number, pages: readonly MeasuredPage[]): readonly Table[] {
  return comparisonTables(
    'Sending a page from memory',
    requests,
    pages.flatMap(({ name, bytes, service, bare }) => [
      { title: `${name}, ${whole(bytes)} bytes: the service`, samples: service },
      { title: `${name}: bare node:http, same bytes`, samples: bare },
    ]),
    pages.map(({ name, service, bare }) => {
      const title = `rate of ${name}: service / bare node:http`
      const rates = [service, bare].map((samples) => samples.map(({ rate }) => rate))
      return [title, ...ratioCells(title, rates, { atLeast: RATE_TARGET })]
    }),
  )
}

/**
 * Measures the service beside a server that ignores the request and sends the same bytes under the same headers, each in a
 * fresh process, alternating.
 */
export async function measurePages(
  workspace: Workspace,
  { rounds, warmUpRequests, measuredRequests }: BenchOptions,
): Promise<readonly Table[]> {
  const source = await startService(workspace, ENV)
  const pages = []
  for (const target of TARGETS) {
    for (const coding of CODINGS) {
      const model = await fetchPage(source.port, target, coding)
      const samples = { service: [] as Sample[], bare: [] as Sample[] }
      const name = `${target} in ${coding}`
      pages.push({ name, coding, model, bytes: model.body.length, ...samples })
    }
  }
  await source.end()
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, coding, model, service, bare } of pages) {
      const { target } = model
      showProgress(`pages: round ${round} of ${rounds}, ${name}`)
      const measure = async (server: Server): Promise<Sample> => {
        const page = await fetchPage(server.port, target, coding)
        if (!isDeepStrictEqual(peerResponseOf(page, ''), peerResponseOf(model, '')))
          throw new Error(`${target} is not reproducible`)
        const load = { ...READ_STATUS, target, headers: { 'Accept-Encoding': coding } }
        return measureAndEnd(server, load, warmUpRequests, measuredRequests)
      }
      service.push(await measure(await startService(workspace, ENV)))
      bare.push(await measure(await startPeer(workspace, 'page', model)))
    }
  }
  return pagesTables(measuredRequests, pages)
}
