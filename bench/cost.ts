import type { Cores } from './cores.ts'
import type { Load, LoadGenerator } from './load.ts'
import type { BenchOptions } from './options.ts'
import { judge, targetCells, type PartReport } from './report.ts'
import {
  fetchOnce,
  peerResponseOf,
  requireEqualResponse,
  type FetchedResponse,
} from './response-equality.ts'
import { startPeer, startService, type MeasuredServer } from './server.ts'
import { spreadOf } from './statistics.ts'
import { SUBJECTS, type Subject, type SubjectId } from './subjects.ts'
import { spreadCells, twoDigits, whole } from './table.ts'
import type { Workspace } from './workspace.ts'

/** Keep-alive connections of the load, enough to keep the server busy. */
export const CONNECTIONS = 16

/** One measurement of one process under load. */
export interface Sample {
  /** CPU time per request, all threads. */
  readonly cpuMicros: number
  /** Requests per second. */
  readonly rate: number
  /** CPU time divided by elapsed time. Well below 1, the load or the machine limited the rate. */
  readonly busy: number
}

/** Requests of one measurement, before and while it is measured. */
export type Amounts = Pick<BenchOptions, 'warmUpRequests' | 'measuredRequests'>

/** Bounds of the ratio of two CPU times. */
const RATIO_TARGETS = [
  ['service / Fastify 5 with node:crypto', 'service', 'fastify-crypto', 0.6],
  ['service / bare node:http with the same signer', 'service', 'node-signed', 1.15],
  ['service: 304 / 200', 'not-modified', 'service', 1],
] as const

/** Options of every part of the benchmark. */
export interface BenchContext {
  readonly workspace: Workspace
  readonly cores: Cores
  readonly generator: LoadGenerator
  readonly options: BenchOptions
  readonly progress: (text: string) => void
}

function startSubject(
  { workspace, cores }: BenchContext,
  { peer }: Subject,
): Promise<MeasuredServer> {
  return peer === undefined
    ? startService(workspace, cores.server)
    : startPeer(workspace, cores.server, peer)
}

/** Fetches the service's own response and writes it where the peers read it. */
async function prepareModel({ workspace, cores }: BenchContext): Promise<FetchedResponse> {
  const service = await startService(workspace, cores.server)
  const response = await fetchOnce(service.port, SUBJECTS[0].target)
  await service.end()
  workspace.writePeerResponse(peerResponseOf(response, workspace.readSigningKeyPem()))
  return response
}

/** Warms a server up, then measures it, under the same load. */
export async function measureUnderLoad(
  generator: LoadGenerator,
  server: MeasuredServer,
  load: Omit<Load, 'port' | 'connections' | 'requests'>,
  { warmUpRequests, measuredRequests }: Amounts,
): Promise<Sample> {
  const full = { ...load, port: server.port, connections: CONNECTIONS }
  await generator.run({ ...full, requests: warmUpRequests })
  const before = await server.cpuMicros()
  const { completed, seconds } = await generator.run({ ...full, requests: measuredRequests })
  const used = (await server.cpuMicros()) - before
  return { cpuMicros: used / completed, rate: completed / seconds, busy: used / 1e6 / seconds }
}

async function measure(
  context: BenchContext,
  subject: Subject,
  model: FetchedResponse,
): Promise<Sample> {
  const { workspace, generator, options } = context
  const server = await startSubject(context, subject)
  try {
    if (subject.response !== 'different') {
      const response = await fetchOnce(server.port, subject.target)
      const isSigned = subject.response === 'as-service'
      requireEqualResponse(subject.title, model, response, isSigned, workspace.readSigningKeyPem())
    }
    const load = {
      method: subject.method,
      target: subject.target,
      headers: subject.isConditional ? { 'If-None-Match': String(model.headers['etag']) } : {},
      expectedStatus: subject.expectedStatus,
    }
    return await measureUnderLoad(generator, server, load, options)
  } finally {
    await server.end()
  }
}

/** The report from the samples of every subject; samples of one round have the same index. */
export function costReport(
  facts: { readonly bodyBytes: number; readonly requestsPerRound: number },
  samplesOf: (id: SubjectId) => readonly Sample[],
): PartReport {
  const micros = (value: number) => value.toFixed(1)
  const ratios = RATIO_TARGETS.map(([title, of, to, atMost]) => {
    const others = samplesOf(to)
    const ratio = spreadOf(
      samplesOf(of).map(
        ({ cpuMicros }, round) => cpuMicros / (others[round]?.cpuMicros ?? Number.NaN),
      ),
    )
    return { title, ratio, target: judge(title, ratio.median, { atMost }, twoDigits) }
  })
  const rounds = samplesOf('service').length
  return {
    tables: [
      {
        title: `Cost of one response (${whole(facts.bodyBytes)} bytes of body, ${CONNECTIONS} connections, ${rounds} rounds of ${whole(facts.requestsPerRound)} requests)`,
        heading: 'server|CPU µs|spread|requests/s|spread|server busy',
        rows: SUBJECTS.map(({ id, title }) => {
          const samples = samplesOf(id)
          const cpu = spreadOf(samples.map(({ cpuMicros }) => cpuMicros))
          const rate = spreadOf(samples.map((sample) => sample.rate))
          const busy = spreadOf(samples.map((sample) => sample.busy)).median
          return [
            title,
            ...spreadCells(cpu, micros),
            ...spreadCells(rate, whole),
            `${whole(busy * 100)} %`,
          ]
        }),
      },
      {
        title: 'Targets, in CPU time per request',
        heading: 'ratio|median|spread|target|',
        rows: ratios.map(({ title, ratio, target }) => [
          title,
          ...spreadCells(ratio, twoDigits),
          ...targetCells(target),
        ]),
      },
    ],
    targets: ratios.map(({ target }) => target),
  }
}

/**
 * Measures every subject once per round, round after round, so that a disturbance affects all alike. Each measurement
 * uses a fresh process after a warm-up.
 */
export async function measureCost(context: BenchContext): Promise<PartReport> {
  const { options, progress } = context
  const samples = new Map<SubjectId, Sample[]>(SUBJECTS.map(({ id }) => [id, []]))
  const model = await prepareModel(context)
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
