import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { CONNECTIONS, measureLoad, runLoad, type Load, type Sample } from './load.ts'
import type { BenchOptions } from './options.ts'
import { fetchOnce, peerResponseOf, requireEqualResponse } from './peer-response.ts'
import type { FetchedResponse } from './peer-response.ts'
import { startProgram, startService, type Server } from './processes.ts'
import {
  medianOf,
  oneDigit,
  ratioCells,
  showProgress,
  spreadCells,
  whole,
  type Table,
} from './report.ts'
import type { Workspace } from './workspace.ts'

/** A request that every server responds to with the same body. */
export const READ_STATUS = {
  method: 'GET',
  target: ENDPOINTS.status.path,
  headers: {},
  expectedStatus: 200,
  connections: CONNECTIONS,
} as const satisfies Partial<Load>

/** Asks for a signature by RFC 9421. */
const ACCEPT_SIGNATURE =
  'svc=("@method";req "@target-uri";req "@status" "content-digest");created;expires;tag="svc-response"'

/** One row of the cost table: a server and the request it gets. */
interface Subject extends Partial<Pick<Load, 'method' | 'target' | 'expectedStatus'>> {
  readonly id: string
  readonly title: string
  readonly isPeer?: true
}

/** In the order of a round. */
const SUBJECTS = [
  { id: 'service', title: 'the service' },
  { id: 'node-signed', title: 'bare node:http, same signer', isPeer: true },
  { id: 'fastify-crypto', title: 'Fastify 5, node:crypto', isPeer: true },
  { id: 'fastify-sodium', title: 'Fastify 5, same signer', isPeer: true },
  { id: 'node-unsigned', title: 'bare node:http, unsigned', isPeer: true },
  { id: 'not-modified', title: 'the service: 304 to If-None-Match', expectedStatus: 304 },
  { id: 'message-signature', title: 'the service: 200, also signed by RFC 9421' },
  { id: 'head', title: 'the service: HEAD', method: 'HEAD' },
  { id: 'not-found', title: 'the service: 404', target: `${BASE_PATH}/none`, expectedStatus: 404 },
  { id: 'time', title: 'the service: /time, signed', target: ENDPOINTS.time.path },
] as const satisfies readonly Subject[]

export type SubjectId = (typeof SUBJECTS)[number]['id']

/** Bounds of the ratio of two CPU times. */
const RATIO_TARGETS = [
  ['service', 'fastify-crypto', 'CPU time: service / Fastify 5 with node:crypto', 0.6],
  ['service', 'node-signed', 'CPU time: service / bare node:http with the same signer', 1.05],
  ['not-modified', 'service', 'CPU time: service, 304 / 200', 1],
] as const

/** Starts a peer that repeats a response of the service. */
export async function startPeer(
  workspace: Workspace,
  id: string,
  model: FetchedResponse,
): Promise<Server> {
  const key = workspace.readSigningKeyPem()
  const file = path.join(workspace.folder, 'peer-response.json')
  writeFileSync(file, JSON.stringify(peerResponseOf(model, key)))
  const server = await startProgram(workspace, ['peer.ts', file, id])
  const response = await fetchOnce(server.port, model.target)
  requireEqualResponse(id, model, response, id !== 'node-unsigned', key)
  return server
}

/** The report from the samples of every subject. */
export function costTables(
  bodyBytes: number,
  requests: number,
  samplesOf: (id: SubjectId) => readonly Pick<Sample, 'cpuMicros' | 'rate' | 'busy'>[],
): readonly Table[] {
  const figuresOf = (id: SubjectId, name: 'cpuMicros' | 'rate' | 'busy') =>
    samplesOf(id).map((sample) => sample[name])
  const cost = `Cost of one response of ${whole(bodyBytes)} bytes`
  const rounds = `${samplesOf('service').length} rounds of ${whole(requests)} requests`
  return [
    {
      title: `${cost}, ${CONNECTIONS} connections, ${rounds}`,
      heading: 'server|CPU µs|spread|requests/s|spread|server busy',
      rows: SUBJECTS.map(({ id, title }) => [
        title,
        ...spreadCells(figuresOf(id, 'cpuMicros'), oneDigit),
        ...spreadCells(figuresOf(id, 'rate'), whole),
        `${whole(medianOf(figuresOf(id, 'busy')) * 100)} %`,
      ]),
    },
    {
      title: `${cost}: targets`,
      heading: 'ratio|median|spread|target|',
      rows: RATIO_TARGETS.map(([of, to, title, atMost]) => {
        const times = [figuresOf(of, 'cpuMicros'), figuresOf(to, 'cpuMicros')]
        return [title, ...ratioCells(title, times, { atMost })]
      }),
    },
  ]
}

/**
 * Measures every subject once per round, round after round, so that a disturbance affects all alike. Each measurement
 * uses a fresh process after a warm-up.
 */
export async function measureCost(
  workspace: Workspace,
  { rounds, warmUpRequests, measuredRequests }: BenchOptions,
): Promise<readonly Table[]> {
  const samples = new Map<SubjectId, Sample[]>(SUBJECTS.map(({ id }) => [id, []]))
  const service = await startService(workspace)
  const model = await fetchOnce(service.port, READ_STATUS.target)
  await service.end()
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of SUBJECTS) {
      const { id, title, ...request } = subject
      showProgress(`cost: round ${round} of ${rounds}, ${title}`)
      const isPeer = 'isPeer' in subject
      const server = await (isPeer ? startPeer(workspace, id, model) : startService(workspace))
      const headers =
        id === 'not-modified'
          ? { 'If-None-Match': model.headers.get('etag') ?? '' }
          : id === 'message-signature'
            ? { 'Accept-Signature': ACCEPT_SIGNATURE }
            : {}
      const load = { ...READ_STATUS, ...request, headers }
      await runLoad({ ...load, port: server.port, requests: warmUpRequests })
      const sample = await measureLoad(server, { ...load, requests: measuredRequests })
      samples.get(id)?.push(sample)
      await server.end()
    }
  }
  return costTables(model.body.length, measuredRequests, (id) => samples.get(id) ?? [])
}
