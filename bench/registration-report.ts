import { judge, targetCells, type PartReport, type Target } from './report.ts'
import { spreadOf } from './statistics.ts'
import { spreadCells, twoDigits, whole } from './table.ts'

/** Averages over some requests of one kind. */
export interface Block {
  /** CPU time of the server's process per request, all threads. */
  readonly cpuMicros: number
  readonly latencyMs: { readonly median: number; readonly p95: number }
  /** Requests per second. */
  readonly rate: number
}

/** Blocks of new and of known addresses, measured alternately. */
export interface BothKinds {
  readonly unknown: readonly Block[]
  readonly known: readonly Block[]
}

/** One round on one waitlist. */
export interface WaitlistSample {
  /** On one connection, one request after the other. */
  readonly sequential: BothKinds
  /** On several connections. */
  readonly concurrent: BothKinds
}

/** All samples of one run; those of one round have the same index in every waitlist. */
export interface RegistrationSamples {
  readonly requests: number
  readonly connections: number
  /** The shortest waitlist first. */
  readonly waitlists: readonly {
    readonly rows: number
    readonly samples: readonly WaitlistSample[]
  }[]
}

const GROWTH_TARGET = 1.5
/** The CPU times of new and known addresses may differ by this share. */
const DIFFERENCE_TARGET = 0.05

const fineRatio = (value: number) => value.toFixed(3)

function meanOf(blocks: readonly Block[], pick: (block: Block) => number): number {
  return blocks.reduce((sum, block) => sum + pick(block), 0) / blocks.length
}

function nameOf(rows: number): string {
  return rows === 0 ? 'empty' : `${whole(rows)} rows`
}

/** Latency and rate of new addresses, compared with the shortest waitlist of the same round. */
function growthOf(
  rows: number,
  samples: readonly WaitlistSample[],
  shortest: readonly WaitlistSample[],
) {
  const latency = (sample: WaitlistSample | undefined) =>
    meanOf(sample?.sequential.unknown ?? [], ({ latencyMs }) => latencyMs.median)
  const p95 = ({ sequential }: WaitlistSample) =>
    meanOf(sequential.unknown, ({ latencyMs }) => latencyMs.p95)
  const ratio = spreadOf(samples.map((sample, round) => latency(sample) / latency(shortest[round])))
  const what = `a registration on a waitlist of ${whole(rows)} rows, relative to an empty one`
  return {
    rows,
    latencyMs: spreadOf(samples.map(latency)),
    p95Ms: spreadOf(samples.map(p95)),
    ratio,
    rate: spreadOf(samples.map(({ concurrent }) => meanOf(concurrent.unknown, ({ rate }) => rate))),
    target: judge(what, ratio.median, { atMost: GROWTH_TARGET }, twoDigits),
  }
}

/** The CPU time of known addresses compared with new ones. */
function differenceOf(rows: number, connections: number, kinds: readonly BothKinds[]) {
  const cpu = (blocks: readonly Block[]) => meanOf(blocks, ({ cpuMicros }) => cpuMicros)
  const ratio = spreadOf(kinds.map(({ known, unknown }) => cpu(known) / cpu(unknown)))
  const target: Target = {
    what: `a known address relative to a new one on a waitlist of ${whole(rows)} rows, connections: ${connections}`,
    found: fineRatio(ratio.median),
    expected: `within ${whole(DIFFERENCE_TARGET * 100)} % of 1`,
    isMet: Math.abs(ratio.median - 1) <= DIFFERENCE_TARGET,
  }
  return {
    rows,
    connections,
    unknown: spreadOf(kinds.map(({ unknown }) => cpu(unknown))),
    known: spreadOf(kinds.map(({ known }) => cpu(known))),
    ratio,
    target,
  }
}

/** The report of the registration part. Throws a RangeError if a waitlist has no sample. */
export function registrationReport({
  requests,
  connections,
  waitlists,
}: RegistrationSamples): PartReport {
  const shortest = waitlists[0]?.samples ?? []
  const growth = waitlists.map(({ rows, samples }) => growthOf(rows, samples, shortest))
  const differences = waitlists.flatMap(({ rows, samples }) => [
    differenceOf(
      rows,
      1,
      samples.map(({ sequential }) => sequential),
    ),
    differenceOf(
      rows,
      connections,
      samples.map(({ concurrent }) => concurrent),
    ),
  ])
  return {
    tables: [
      {
        title: `One registration (one connection, ${shortest.length} rounds of ${whole(requests * 2)}; rate on ${connections} connections)`,
        heading: 'waitlist|median ms|spread|p95 ms|to empty|spread|target||requests/s|spread',
        rows: growth.map((each) => [
          nameOf(each.rows),
          ...spreadCells(each.latencyMs, twoDigits),
          twoDigits(each.p95Ms.median),
          ...spreadCells(each.ratio, twoDigits),
          ...targetCells(each.target),
          ...spreadCells(each.rate, whole),
        ]),
      },
      {
        title: 'A known address compared with a new one, CPU time of the server per request',
        heading: 'waitlist|connections|new µs|known µs|known / new|spread|target|',
        rows: differences.map((each) => [
          nameOf(each.rows),
          String(each.connections),
          whole(each.unknown.median),
          whole(each.known.median),
          ...spreadCells(each.ratio, fineRatio),
          ...targetCells(each.target),
        ]),
      },
    ],
    targets: [...growth, ...differences].map(({ target }) => target),
  }
}
