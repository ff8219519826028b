import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { CONNECTIONS, measureUnderLoad, type CostParts } from './cost.ts'
import {
  PAGE_CODINGS,
  summarizePages,
  type MeasuredPage,
  type PageCoding,
  type PageSample,
  type PagesResult,
} from './pages-result.ts'
import { startPeer, startService, type MeasuredServer } from './server.ts'

/** A page as the service sends it, as the process that repeats it reads it from a file. */
export interface PageAnswer {
  /** Names and values in turn, without those of the connection. */
  readonly headers: readonly string[]
  readonly bodyBase64: string
}

/** The front door, and the longest page there is. */
const TARGETS = ['/en', '/en/reference']

const OF_THE_CONNECTION: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive'])

const headersFor = (coding: PageCoding) => ({ 'Accept-Encoding': coding })

/** Asks for a page once, and takes its bytes as they come. Throws unless it is sent in the coding that was asked for. */
async function askForPage(port: number, target: string, coding: PageCoding): Promise<PageAnswer> {
  const options = { host: '127.0.0.1', port, path: target, headers: headersFor(coding) }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ ...options, agent: false }, resolve).once('error', reject)
  })
  const { statusCode, rawHeaders } = response
  const bytes = await buffer(response)
  const sent = response.headers['content-encoding'] ?? 'identity'
  if (statusCode !== 200 || sent !== coding) {
    throw new Error(`${target}: expected 200 in ${coding}, found ${statusCode} in ${sent}`)
  }
  const headers: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (!OF_THE_CONNECTION.has(name.toLowerCase())) headers.push(name, value)
  }
  return { headers, bodyBase64: bytes.toString('base64') }
}

/** Throws unless a page is what the service sent at first, to the last byte and header. */
function requireSamePage(target: string, first: PageAnswer, now: PageAnswer): void {
  if (JSON.stringify(first) === JSON.stringify(now)) return
  throw new Error(`${target} is another one than the service sent at first`)
}

/**
 * Measures what is between a page in memory and the wire: the service beside a server that looks at nothing and sends the
 * same bytes under the same headers, each a fresh process, one after the other, round after round.
 */
export async function measurePages(parts: CostParts): Promise<PagesResult> {
  const { cores, generator, options, progress } = parts
  // Pages name their own address, which would be another one with each port.
  const env = { ...parts.workspace.env, SVC_BASE_URL: 'https://service.example' }
  const workspace = { ...parts.workspace, env }
  const file = path.join(workspace.folder, 'page-answer.json')
  const amounts = {
    warmUpRequests: options.pageWarmUpRequests,
    measuredRequests: options.pageRequests,
  }
  const measured: (MeasuredPage & {
    readonly answer: PageAnswer
    readonly samples: { service: PageSample[]; bare: PageSample[] }
  })[] = []
  const model = await startService(workspace, cores.server)
  for (const target of TARGETS) {
    for (const coding of PAGE_CODINGS) {
      const answer = await askForPage(model.port, target, coding)
      const bodyBytes = Buffer.byteLength(answer.bodyBase64, 'base64')
      measured.push({ target, coding, bodyBytes, answer, samples: { service: [], bare: [] } })
    }
  }
  await model.end()

  for (let round = 1; round <= options.pageRounds; round += 1) {
    for (const { target, coding, answer, samples } of measured) {
      const measure = async (server: MeasuredServer): Promise<PageSample> => {
        try {
          requireSamePage(target, answer, await askForPage(server.port, target, coding))
          const headers = headersFor(coding)
          const load = { method: 'GET', target, headers, expectedStatus: 200 }
          return await measureUnderLoad(generator, server, load, amounts)
        } finally {
          await server.end()
        }
      }
      progress(`pages: round ${round} of ${options.pageRounds}, ${target} in ${coding}`)
      writeFileSync(file, JSON.stringify(answer))
      samples.service.push(await measure(await startService(workspace, cores.server)))
      samples.bare.push(await measure(await startPeer(workspace, cores.server, ['page', file])))
    }
  }
  return summarizePages(
    { connections: CONNECTIONS, requestsPerRound: options.pageRequests },
    measured,
  )
}
