import path from 'node:path'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import { HEADERS } from '../src/contract/headers.ts'
import { CONNECTIONS, measureLoad, type BenchContext, type Load, type Sample } from './load.ts'
import { startProgram, type MeasuredServer } from './processes.ts'
import {
  medianOf,
  ratioCells,
  ratiosOf,
  spreadCells,
  twoDigits,
  whole,
  type PartReport,
  type Target,
} from './report.ts'
import { fillWaitlist, openRowMaker, REGISTRATION_BODY, trimWaitlist } from './waitlist-fixture.ts'

/** Primes that spread the known addresses of a block over the whole waitlist, each block differently. */
const STEPS = [7_368_787, 2_750_159, 5_800_079, 1_299_709, 8_675_309] as const

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

export type Block = Omit<Sample, 'busy'>

/** Blocks of new and of known addresses, measured alternately. */
type BothKinds = { readonly [Each in Kind]: readonly Block[] }

/** The connections of each measurement: one request after the other, or several at a time. */
const MODES = { sequential: 1, concurrent: CONNECTIONS } as const
type Mode = keyof typeof MODES

/** One round on one waitlist. */
export type WaitlistSample = { readonly [Each in Mode]: BothKinds }

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
    of.map(({ sequential }) => meanOf(sequential.unknown, ({ latencyMs }) => latencyMs.median))
  const p95s = samples.map(({ sequential }) =>
    meanOf(sequential.unknown, ({ latencyMs }) => latencyMs.p95),
  )
  const rates = samples.map(({ concurrent }) => meanOf(concurrent.unknown, ({ rate }) => rate))
  const latencies = latenciesOf(samples)
  const what = `a registration on a waitlist of ${whole(rows)} rows, relative to an empty one`
  return [
    nameOf(rows),
    ...spreadCells(latencies, twoDigits),
    twoDigits(medianOf(p95s)),
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
export function registrationReport(
  requests: number,
  waitlists: readonly MeasuredWaitlist[],
): PartReport {
  const shortest = waitlists[0]?.samples ?? []
  return {
    tables: [
      {
        title: `One registration (one connection, ${shortest.length} rounds of ${whole(requests * 2)}; rate on ${CONNECTIONS} connections)`,
        heading: 'waitlist|median ms|spread|p95 ms|to empty|spread|target||requests/s|spread',
        rows: waitlists.map((waitlist) => growthRow(waitlist, shortest)),
      },
      {
        title: 'A known address compared with a new one, CPU time of the server per request',
        heading: 'waitlist|connections|new µs|known µs|known / new|spread|target|',
        rows: waitlists.flatMap(({ rows, samples }) =>
          Object.entries(MODES).map(([mode, connections]) =>
            differenceRow(
              rows,
              connections,
              samples.map((sample) => sample[mode as Mode]),
            ),
          ),
        ),
      },
    ],
  }
}

/** A measured server with its waitlist. */
interface Measured {
  readonly context: BenchContext
  readonly server: MeasuredServer
  readonly rows: number
  readonly file: string
  readonly samples: WaitlistSample[]
  knownBlocks: number
}

/** Measures new and known addresses alternately, so that drift affects both alike. */
async function measureBoth(
  measured: Measured,
  connections: number,
  requests: number,
): Promise<BothKinds> {
  const { context, server, file, rows } = measured
  const blocks: { [Each in Kind]: Block[] } = { unknown: [], known: [] }
  /** Addresses on the waitlist, numbered from 0. */
  let known = rows
  for (const kind of ['unknown', 'known', 'known', 'unknown'] as const) {
    const step = STEPS[measured.knownBlocks % STEPS.length] ?? 1
    const numbers =
      kind === 'unknown'
        ? { first: known, count: requests, step: 1 }
        : { first: 0, count: known, step }
    if (kind === 'unknown') known += requests
    else measured.knownBlocks += 1
    const body = { text: REGISTRATION_BODY, ...numbers }
    const load = { ...REGISTER, connections, requests, body, expectedText: EXPECTED[kind] }
    blocks[kind].push(await measureLoad(context.generator, server, load))
  }
  trimWaitlist(file, rows)
  return blocks
}

/** Starts a warm server on a waitlist of this length. */
async function startMeasured(
  context: BenchContext,
  maker: Awaited<ReturnType<typeof openRowMaker>>,
  rows: number,
): Promise<Measured> {
  const { workspace, options, progress } = context
  const file = path.join(workspace.folder, `waitlist-${rows}.sqlite`)
  await fillWaitlist(file, maker, rows, (made) =>
    progress(`registration: creating a waitlist, ${made} of ${rows} rows`),
  )
  const server = await startProgram(workspace, 'registration-server.ts', [], {
    SVC_DATABASE_URL: `sqlite:${file}`,
    SVC_CHALLENGE: 'test',
  })
  const measured = { context, server, rows, file, samples: [], knownBlocks: 0 }
  progress(`registration: warming up on a waitlist of ${rows} rows`)
  await measureBoth(measured, CONNECTIONS, Math.ceil(options.registrationWarmUpRequests / 4))
  return measured
}

/**
 * Measures registrations on waitlists of several lengths, each once per round. Each waitlist has its own process, warm
 * before the first round: compilation takes longer than a round, and new and known addresses differ by a few per cent in
 * a process that has seen more of one kind.
 */
export async function measureRegistration(context: BenchContext): Promise<PartReport> {
  const { workspace, options, progress } = context
  const { registrationRounds: rounds, registrationRequests: requests } = options
  const maker = await openRowMaker(workspace)
  const running: Measured[] = []
  for (const rows of options.waitlistRows) running.push(await startMeasured(context, maker, rows))
  for (let round = 1; round <= rounds; round += 1) {
    for (const measured of running) {
      progress(`registration: round ${round} of ${rounds}, ${measured.rows} rows`)
      measured.samples.push({
        sequential: await measureBoth(measured, MODES.sequential, requests),
        concurrent: await measureBoth(measured, MODES.concurrent, requests),
      })
    }
  }
  for (const { server } of running) await server.end()
  return registrationReport(requests, running)
}
