import type { Cores } from './cores.ts'
import type { Load, LoadGenerator } from './load.ts'
import type { BenchOptions } from './options.ts'
import { askOnce, peerAnswerOf, requireSameAnswer, type Answer } from './same-answer.ts'
import { startPeer, startService, type MeasuredServer } from './server.ts'
import { spreadOf, type Spread } from './statistics.ts'
import { SUBJECTS, type Subject, type SubjectId } from './subjects.ts'
import type { Workspace } from './workspace.ts'

/** Keep-alive connections of the load: enough that the server always has a next request. */
export const CONNECTIONS = 16

/** What one subject cost. */
export interface SubjectCost {
  readonly id: SubjectId
  readonly title: string
  readonly cpuMicrosPerRequest: Spread
  readonly requestsPerSecond: Spread
  /** CPU time of the server by the clock's time: well below 1, the load or the machine limited the rate. */
  readonly serverBusy: number
}

/** A ratio that was promised. */
export interface RatioResult {
  readonly title: string
  /** Of the two costs of one round each. */
  readonly ratio: Spread
  readonly target: number
  readonly isMet: boolean
}

/** Result of the cost part. */
export interface CostResult {
  readonly bodyBytes: number
  readonly connections: number
  readonly rounds: number
  readonly requestsPerRound: number
  readonly subjects: readonly SubjectCost[]
  readonly ratios: readonly RatioResult[]
}

/** What one process showed under a load, each of these once. */
export interface Sample {
  /** CPU time of a request, all threads. */
  readonly cpuMicros: number
  /** Requests in a second. */
  readonly rate: number
  /** CPU time by the clock's time. */
  readonly busy: number
}

/** Requests of one measurement, before and while it is measured. */
export type Amounts = Pick<BenchOptions, 'warmUpRequests' | 'measuredRequests'>

interface Target {
  readonly title: string
  readonly of: SubjectId
  readonly to: SubjectId
  readonly target: number
}

/** What the project promised itself before the first line of code. */
const TARGETS: readonly Target[] = [
  {
    title: 'service / Fastify 5 with node:crypto',
    of: 'service',
    to: 'fastify-crypto',
    target: 0.6,
  },
  {
    title: 'service / bare node:http with the same signer',
    of: 'service',
    to: 'node-signed',
    target: 1.15,
  },
  { title: 'service: 304 / 200', of: 'not-modified', to: 'service', target: 1 },
]

/** What the cost part works with. */
export interface CostParts {
  readonly workspace: Workspace
  readonly cores: Cores
  readonly generator: LoadGenerator
  readonly options: BenchOptions
  readonly progress: (text: string) => void
}

function startSubject({ workspace, cores }: CostParts, { peer }: Subject): Promise<MeasuredServer> {
  return peer === undefined
    ? startService(workspace, cores.server)
    : startPeer(workspace, cores.server, peer)
}

/** The service's own answer, which every peer repeats; written where the peers read it. */
async function readModelAnswer({ workspace, cores }: CostParts): Promise<Answer> {
  const service = await startService(workspace, cores.server)
  const answer = await askOnce(service.port, SUBJECTS[0].target)
  await service.end()
  workspace.writeAnswer(peerAnswerOf(answer, workspace.readSigningKeyPem()))
  return answer
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

async function measure(parts: CostParts, subject: Subject, model: Answer): Promise<Sample> {
  const { workspace, generator, options } = parts
  const server = await startSubject(parts, subject)
  try {
    if (subject.answers !== 'otherwise') {
      const answer = await askOnce(server.port, subject.target)
      const isSigned = subject.answers === 'as-service'
      requireSameAnswer(subject.title, model, answer, isSigned, workspace.readSigningKeyPem())
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

/**
 * Measures every subject once a round, round after round, so that what else the machine does meets all alike. Each
 * measurement is of a fresh process after a warm-up, so that a lucky or unlucky one is one sample and no more.
 */
export async function measureCost(parts: CostParts): Promise<CostResult> {
  const { options, progress } = parts
  const samples = new Map<SubjectId, Sample[]>(SUBJECTS.map(({ id }) => [id, []]))
  const model = await readModelAnswer(parts)
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const subject of SUBJECTS) {
      progress(`cost: round ${round} of ${options.rounds}, ${subject.title}`)
      samples.get(subject.id)?.push(await measure(parts, subject, model))
    }
  }
  const of = (id: SubjectId) => samples.get(id) ?? []
  return {
    bodyBytes: Buffer.byteLength(model.body),
    connections: CONNECTIONS,
    rounds: options.rounds,
    requestsPerRound: options.measuredRequests,
    subjects: SUBJECTS.map(({ id, title }) => ({
      id,
      title,
      cpuMicrosPerRequest: spreadOf(of(id).map(({ cpuMicros }) => cpuMicros)),
      requestsPerSecond: spreadOf(of(id).map(({ rate }) => rate)),
      serverBusy: spreadOf(of(id).map(({ busy }) => busy)).median,
    })),
    ratios: TARGETS.map(({ title, of: one, to: other, target }) => {
      const others = of(other)
      const ratio = spreadOf(
        of(one).map(({ cpuMicros }, round) => cpuMicros / (others[round]?.cpuMicros ?? Number.NaN)),
      )
      return { title, ratio, target, isMet: ratio.median <= target }
    }),
  }
}
