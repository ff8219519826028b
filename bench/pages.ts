import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { CONNECTIONS, measureUnderLoad, type BenchContext } from './cost.ts'
import { PAGE_CODINGS, pagesReport, type MeasuredPage, type PageSample } from './pages-report.ts'
import type { PeerPage } from './peer-page.ts'
import type { PartReport } from './report.ts'
import { fetchOnce, repeatableHeadersOf } from './response-equality.ts'
import { startPeer, startService, type MeasuredServer } from './server.ts'

/** The overview and the longest page. */
const TARGETS = ['/en', '/en/reference']

const headersFor = (coding: string) => ({ 'Accept-Encoding': coding })

async function fetchPage(port: number, target: string, coding: string): Promise<PeerPage> {
  const response = await fetchOnce(port, target, headersFor(coding))
  const { status, headers, body } = response
  const sent = headers['content-encoding'] ?? 'identity'
  if (status !== 200 || sent !== coding) {
    throw new Error(`${target}: expected 200 in ${coding}, found ${status} in ${String(sent)}`)
  }
  return { headers: repeatableHeadersOf(response), bodyBase64: body.toString('base64') }
}

/**
 * Measures the service beside a server that ignores the request and sends the same bytes under the same headers, each in a
 * fresh process, alternating.
 */
export async function measurePages(context: BenchContext): Promise<PartReport> {
  const { cores, generator, options, progress } = context
  const { pageWarmUpRequests: warmUpRequests, pageRequests: measuredRequests } = options
  // Pages contain the base URL, which otherwise differs with each port.
  const env = { ...context.workspace.env, SVC_BASE_URL: 'https://service.example' }
  const workspace = { ...context.workspace, env }
  const file = path.join(workspace.folder, 'page.json')
  const pages: (MeasuredPage & {
    readonly model: string
    readonly samples: { service: PageSample[]; bare: PageSample[] }
  })[] = []
  const source = await startService(workspace, cores.server)
  for (const target of TARGETS) {
    for (const coding of PAGE_CODINGS) {
      const page = await fetchPage(source.port, target, coding)
      const bodyBytes = Buffer.byteLength(page.bodyBase64, 'base64')
      const samples = { service: [], bare: [] }
      pages.push({ target, coding, bodyBytes, model: JSON.stringify(page), samples })
    }
  }
  await source.end()

  for (let round = 1; round <= options.pageRounds; round += 1) {
    for (const { target, coding, model, samples } of pages) {
      const measure = async (server: MeasuredServer): Promise<PageSample> => {
        try {
          const page = await fetchPage(server.port, target, coding)
          if (JSON.stringify(page) !== model) throw new Error(`${target} is not reproducible`)
          const load = { method: 'GET', target, headers: headersFor(coding), expectedStatus: 200 }
          const amounts = { warmUpRequests, measuredRequests }
          return await measureUnderLoad(generator, server, load, amounts)
        } finally {
          await server.end()
        }
      }
      progress(`pages: round ${round} of ${options.pageRounds}, ${target} in ${coding}`)
      writeFileSync(file, model)
      samples.service.push(await measure(await startService(workspace, cores.server)))
      samples.bare.push(await measure(await startPeer(workspace, cores.server, ['page', file])))
    }
  }
  return pagesReport({ connections: CONNECTIONS, requestsPerRound: measuredRequests }, pages)
}
