import path from 'node:path'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import { CONNECTIONS, measureLoad, type Load, type Sample } from './load.ts'
import type { BenchOptions } from './options.ts'
import { startProgram, type Server } from './processes.ts'
import {
  medianOf,
  ratioCells,
  ratiosOf,
  showProgress,
  spreadCells,
  twoDigits,
  whole,
  type Table,
  type Target,
} from './report.ts'
import { fillWaitlist, registrationBody, trimWaitlist } from './waitlist-fixture.ts'
import type { Workspace } from './workspace.ts'

/** A prime, which spreads the known addresses over the whole waitlist. */
const STEP = 7_368_787

/** A part of the body of each response, whose status is the same. */
const EXPECTED = { unknown: '"EA-', known: 'DUPLICATE' } as const
type Kind = keyof typeof EXPECTED

const REGISTER = {
  method: ENDPOINTS.register.method,
  target: ENDPOINTS.register.path,
  headers: { [HEADERS.contentType]: 'application/json' },
  expectedStatus: ENDPOINTS.register.success.status,
} as const satisfies Partial<Load>

const GROWTH_TARGET = 1.5
/** The CPU times of new and known addresses may differ by this share. */
const DIFFERENCE_TARGET = 0.05

export type Block = Pick<Sample, 'cpuMicros' | 'latencyMs' | 'rate'>

/** Blocks of new and of known addresses, measured alternately. */
type BothKinds = { readonly [Each in Kind]: readonly Block[] }

/** The connections of each measurement: one request after the other, or several at a time. */
const MODES = [
  ['sequential', 1],
  ['concurrent', CONNECTIONS],
] as const

/** One round on one waitlist. */
export type WaitlistSample = { readonly [Each in (typeof MODES)[number][0]]: BothKinds }

/** All samples of one waitlist; those of one round have the same index in every waitlist. */
interface MeasuredWaitlist {
  readonly rows: number
  readonly samples: readonly WaitlistSample[]
}

const fineRatio = (value: number) => value.toFixed(3)

function meanOf(blocks: readonly Block[], pick: (block: Block) => number): number {
  return blocks.reduce((sum, block) => sum + pick(block), 0) / blocks.length
}

function nameOf(rows: number): string {
  return rows === 0 ? 'empty' : `${whole(rows)} rows`
}

/** Latency and rate of new addresses, compared with the shortest waitlist of the same round. */
function growthRow({ rows, samples }: MeasuredWaitlist, shortest: readonly WaitlistSample[]) {
  const latenciesOf = (of: readonly WaitlistSample[]) =>
    of.map(({ sequential }) => meanOf(sequential.unknown, ({ latencyMs }) => latencyMs))
  const rates = samples.map(({ concurrent }) => meanOf(concurrent.unknown, ({ rate }) => rate))
  const latencies = latenciesOf(samples)
  const what = `a registration on a waitlist of ${whole(rows)} rows, relative to an empty one`
  return [
    nameOf(rows),
    ...spreadCells(latencies, twoDigits),
    ...ratioCells(what, [latencies, latenciesOf(shortest)], { atMost: GROWTH_TARGET }),
    ...spreadCells(rates, whole),
  ]
}

/** The CPU time of known addresses compared with new ones. */
function differenceRow(rows: number, connections: number, rounds: readonly BothKinds[]) {
  const cpuOf = (kind: Kind) => rounds.map((each) => meanOf(each[kind], (block) => block.cpuMicros))
  const ratios = ratiosOf(cpuOf('known'), cpuOf('unknown'))
  const target: Target = {
    what: `a known address relative to a new one on a waitlist of ${whole(rows)} rows, connections: ${connections}`,
    found: fineRatio(medianOf(ratios)),
    expected: `within ${whole(DIFFERENCE_TARGET * 100)} % of 1`,
    isMet: Math.abs(medianOf(ratios) - 1) <= DIFFERENCE_TARGET,
  }
  return [
    nameOf(rows),
    String(connections),
    whole(medianOf(cpuOf('unknown'))),
    whole(medianOf(cpuOf('known'))),
    ...spreadCells(ratios, fineRatio),
    target,
  ]
}

/** The report from the waitlists, the shortest first. Throws a RangeError if a waitlist has no sample. */
export function registrationTables(
  requests: number,
  waitlists: readonly MeasuredWaitlist[],
): readonly Table[] {
  const shortest = waitlists[0]?.samples ?? []
  const differenceRows = ({ rows, samples }: MeasuredWaitlist) =>
    MODES.map(([mode, connections]) => {
      const rounds = samples.map((sample) => sample[mode])
      return differenceRow(rows, connections, rounds)
    })
  return [
    {
      title: `One registration (one connection, ${shortest.length} rounds of ${whole(requests * 2)}; rate on ${CONNECTIONS} connections)`,
      heading: 'waitlist|median ms|spread|to empty|spread|target||requests/s|spread',
      rows: waitlists.map((waitlist) => growthRow(waitlist, shortest)),
    },
    {
      title: 'A known address compared with a new one, CPU time of the server per request',
      heading: 'waitlist|connections|new µs|known µs|known / new|spread|target|',
      rows: waitlists.flatMap(differenceRows),
    },
  ]
}

/** A measured server with its waitlist. */
interface Running extends MeasuredWaitlist {
  readonly server: Server
  readonly file: string
  readonly samples: WaitlistSample[]
  /** Known addresses that were sent so far. */
  knownRequests: number
}

/** Measures new and known addresses alternately, so that drift affects both alike. */
async function measureBoth(
  running: Running,
  connections: number,
  requests: number,
): Promise<BothKinds> {
  const { server, file, rows } = running
  const blocks: { [Each in Kind]: Block[] } = { unknown: [], known: [] }
  /** Addresses on the waitlist, numbered from 0. */
  let known = rows
  for (const kind of ['unknown', 'known', 'known', 'unknown'] as const) {
    const [first, start] = [known, running.knownRequests]
    const body = (index: number) =>
      registrationBody(kind === 'unknown' ? first + index : ((start + index) * STEP) % first)
    const load = { ...REGISTER, connections, requests, body, expectedText: EXPECTED[kind] }
    blocks[kind].push(await measureLoad(server, load))
    if (kind === 'unknown') known += requests
    else running.knownRequests += requests
  }
  trimWaitlist(file, rows)
  return blocks
}

/**
 * Measures registrations on waitlists of several lengths, each once per round. Each waitlist has its own process, warm
 * before the first round: compilation takes longer than a round, and new and known addresses differ by a few per cent in
 * a process that has seen more of one kind.
 */
export async function measureRegistration(
  workspace: Workspace,
  options: BenchOptions,
): Promise<readonly Table[]> {
  const { registrationRounds: rounds, registrationRequests: requests } = options
  const waitlists: Running[] = []
  for (const rows of options.waitlistRows) {
    showProgress(`registration: creating a waitlist of ${rows} rows and warming up`)
    const file = path.join(workspace.folder, `waitlist-${rows}.sqlite`)
    await fillWaitlist(workspace, file, rows)
    const variables = { SVC_DATABASE_URL: `sqlite:${file}`, SVC_CHALLENGE: 'test' }
    const server = await startProgram(workspace, ['registration-server.ts'], variables)
    const running: Running = { server, rows, file, samples: [], knownRequests: 0 }
    await measureBoth(running, CONNECTIONS, Math.ceil(options.registrationWarmUpRequests / 4))
    waitlists.push(running)
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const running of waitlists) {
      showProgress(`registration: round ${round} of ${rounds}, ${running.rows} rows`)
      running.samples.push({
        sequential: await measureBoth(running, 1, requests),
        concurrent: await measureBoth(running, CONNECTIONS, requests),
      })
    }
  }
  for (const { server } of waitlists) await server.end()
  return registrationTables(requests, waitlists)
}
