import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { BASE_PATH } from '../src/contract/api-version.ts'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import { CONNECTIONS, measureLoad, type BenchContext, type Load, type Sample } from './load.ts'
import { fetchOnce, peerResponseOf, requireEqualResponse } from './peer-response.ts'
import type { FetchedResponse } from './peer-response.ts'
import { startProgram, startMeasuredService, type MeasuredServer } from './processes.ts'
import { medianOf, oneDigit, ratioCells, spreadCells, whole, type PartReport } from './report.ts'

/** A request that every server responds to with the same body. */
export const READ_STATUS = {
  method: 'GET',
  target: ENDPOINTS.status.path,
  headers: {},
  expectedStatus: 200,
  connections: CONNECTIONS,
} as const satisfies Partial<Load>

/** One row of the cost table: a server and the request it gets. */
interface Subject extends Partial<Pick<Load, 'method' | 'target' | 'expectedStatus'>> {
  readonly id: string
  readonly title: string
  readonly isPeer?: boolean
}

/** In the order of a round. */
const SUBJECTS = [
  { id: 'service', title: 'the service' },
  { id: 'node-signed', title: 'bare node:http, same signer', isPeer: true },
  { id: 'fastify-crypto', title: 'Fastify 5, node:crypto', isPeer: true },
  { id: 'fastify-sodium', title: 'Fastify 5, same signer', isPeer: true },
  { id: 'hono', title: 'Hono 4, same signer', isPeer: true },
  { id: 'node-unsigned', title: 'bare node:http, unsigned', isPeer: true },
  { id: 'not-modified', title: 'the service: 304 to If-None-Match', expectedStatus: 304 },
  { id: 'head', title: 'the service: HEAD', method: 'HEAD' },
  {
    id: 'not-found',
    title: 'the service: 404, signed',
    target: `${BASE_PATH}/nothing-here`,
    expectedStatus: 404,
  },
  { id: 'time', title: 'the service: /time, signed', target: ENDPOINTS.time.path },
] as const satisfies readonly Subject[]

export type SubjectId = (typeof SUBJECTS)[number]['id']

/** Bounds of the ratio of two CPU times. */
const RATIO_TARGETS = [
  ['service / Fastify 5 with node:crypto', 'service', 'fastify-crypto', 0.6],
  ['service / bare node:http with the same signer', 'service', 'node-signed', 1.15],
  ['service: 304 / 200', 'not-modified', 'service', 1],
] as const

/** Warms a server up, measures it under the same load, and ends it. */
export async function measureAndEnd(
  { generator }: BenchContext,
  server: MeasuredServer,
  load: Omit<Load, 'port' | 'requests'>,
  amounts: { readonly warmUpRequests: number; readonly measuredRequests: number },
): Promise<Sample> {
  try {
    await generator.run({ ...load, port: server.port, requests: amounts.warmUpRequests })
    return await measureLoad(generator, server, { ...load, requests: amounts.measuredRequests })
  } finally {
    await server.end()
  }
}

/** Starts a peer that repeats a response. */
export function startPeer(
  { workspace }: BenchContext,
  peer: string,
  response: FetchedResponse,
): Promise<MeasuredServer> {
  const file = path.join(workspace.folder, 'peer-response.json')
  const model = peerResponseOf(response, workspace.readSigningKeyPem())
  writeFileSync(file, JSON.stringify(model))
  return startProgram(workspace, 'peer.ts', [file, peer])
}

async function measure(
  context: BenchContext,
  { id, title, isPeer = false, ...request }: Subject,
  model: FetchedResponse,
): Promise<Sample> {
  const { workspace, options } = context
  const server = isPeer
    ? await startPeer(context, id, model)
    : await startMeasuredService(workspace)
  if (isPeer) {
    const response = await fetchOnce(server.port, model.target)
    const isSigned = id !== 'node-unsigned'
    requireEqualResponse(title, model, response, isSigned, workspace.readSigningKeyPem())
  }
  const isConditional = id === 'not-modified'
  const headers = isConditional ? { 'If-None-Match': model.headers.get('etag') ?? '' } : {}
  return measureAndEnd(context, server, { ...READ_STATUS, ...request, headers }, options)
}

/** The report from the samples of every subject; samples of one round have the same index. */
export function costReport(
  facts: { readonly bodyBytes: number; readonly requestsPerRound: number },
  samplesOf: (id: SubjectId) => readonly Pick<Sample, 'cpuMicros' | 'rate' | 'busy'>[],
): PartReport {
  const cpuOf = (id: SubjectId) => samplesOf(id).map(({ cpuMicros }) => cpuMicros)
  const rounds = samplesOf('service').length
  return {
    tables: [
      {
        title: `Cost of one response (${whole(facts.bodyBytes)} bytes of body, ${CONNECTIONS} connections, ${rounds} rounds of ${whole(facts.requestsPerRound)} requests)`,
        heading: 'server|CPU µs|spread|requests/s|spread|server busy',
        rows: SUBJECTS.map(({ id, title }) => {
          const samples = samplesOf(id)
          const rates = samples.map(({ rate }) => rate)
          const busy = medianOf(samples.map((sample) => sample.busy))
          const cells = [...spreadCells(cpuOf(id), oneDigit), ...spreadCells(rates, whole)]
          return [title, ...cells, `${whole(busy * 100)} %`]
        }),
      },
      {
        title: 'Targets, in CPU time per request',
        heading: 'ratio|median|spread|target|',
        rows: RATIO_TARGETS.map(([title, of, to, atMost]) => [
          title,
          ...ratioCells(title, [cpuOf(of), cpuOf(to)], { atMost }),
        ]),
      },
    ],
  }
}

/**
 * Measures every subject once per round, round after round, so that a disturbance affects all alike. Each measurement
 * uses a fresh process after a warm-up.
 */
export async function measureCost(context: BenchContext): Promise<PartReport> {
  const { workspace, options, progress } = context
  const samples = new Map<SubjectId, Sample[]>(SUBJECTS.map(({ id }) => [id, []]))
  const service = await startMeasuredService(workspace)
  const model = await fetchOnce(service.port, READ_STATUS.target)
  await service.end()
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const subject of SUBJECTS) {
      progress(`cost: round ${round} of ${options.rounds}, ${subject.title}`)
      samples.get(subject.id)?.push(await measure(context, subject, model))
    }
  }
  return costReport(
    { bodyBytes: model.body.length, requestsPerRound: options.measuredRequests },
    (id) => samples.get(id) ?? [],
  )
}
