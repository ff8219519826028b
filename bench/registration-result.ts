import { spreadOf, type Spread } from './statistics.ts'

/** What some requests of one kind cost, each on average, and how long they took. */
export interface Block {
  /** CPU time of the server's process, all threads. */
  readonly cpuMicros: number
  readonly latencyMs: { readonly median: number; readonly p95: number }
  /** Requests in a second. */
  readonly rate: number
}

/** Blocks of new and of known addresses, which were measured in turn. */
export interface BothKinds {
  readonly unknown: readonly Block[]
  readonly known: readonly Block[]
}

/** What one process showed on one list. */
export interface ListSample {
  /** On one connection: the next request after the answer to the one before. */
  readonly alone: BothKinds
  /** On several connections. */
  readonly together: BothKinds
  /** Median of a request that is refused before anything is sealed. */
  readonly refusedMs: number
  /** Median of a row's durable write by itself. */
  readonly insertMs: number
}

/** What the bare server that stores plain text showed. */
export interface FloorSample {
  readonly alone: Block
  readonly together: Block
}

/** Registering on a list of one length. */
export interface ListResult {
  /** At the start. */
  readonly rows: number
  readonly latencyMs: Spread
  readonly p95Ms: Spread
  /** Of the median latency to that on the shortest list, within each round. */
  readonly ratio: Spread
  readonly isMet: boolean
  readonly insertMs: Spread
  readonly requestsPerSecond: Spread
}

/** New addresses beside known ones, on a list of one length. */
export interface LikenessResult {
  readonly rows: number
  readonly connections: number
  readonly unknownMicros: Spread
  readonly knownMicros: Spread
  /** Known to new, in CPU time, within each round. */
  readonly ratio: Spread
  readonly isMet: boolean
  readonly unknownMs: Spread
  readonly knownMs: Spread
}

/** A step on the way to an answer, in latency. */
export interface ShareResult {
  readonly title: string
  readonly latencyMs: Spread
  /** Undefined where it was measured on one connection only. */
  readonly requestsPerSecond: Spread | undefined
}

/** Result of the registration part. */
export interface RegistrationResult {
  readonly rounds: number
  /** Of one kind in one block on one connection; there are two blocks of each kind in a round. */
  readonly requests: number
  readonly connections: number
  readonly sealedBytes: number
  /** Whether the databases were on a file system that is no disk. */
  readonly isInMemory: boolean
  readonly lists: readonly ListResult[]
  /** Most that the median on a long list may be of that on the shortest. */
  readonly growthTarget: number
  readonly likeness: readonly LikenessResult[]
  /** Most that the CPU times of new and known addresses may differ by, as a share. */
  readonly likenessTarget: number
  readonly shares: readonly ShareResult[]
}

const GROWTH_TARGET = 1.5
const LIKENESS_TARGET = 0.05

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function meanOf(blocks: readonly Block[], pick: (block: Block) => number): number {
  return mean(blocks.map(pick))
}

const cpuOf = ({ cpuMicros }: Block) => cpuMicros
const medianOf = ({ latencyMs }: Block) => latencyMs.median

/** All samples of one run, those of one round at the same place in every list. */
export interface RegistrationSamples {
  readonly requests: number
  readonly connections: number
  readonly sealedBytes: number
  readonly isInMemory: boolean
  /** The shortest list first. */
  readonly samples: readonly { readonly rows: number; readonly samples: readonly ListSample[] }[]
  readonly floor: readonly FloorSample[]
}

function listResult(
  rows: number,
  samples: readonly ListSample[],
  shortest: readonly ListSample[],
): ListResult {
  const latency = ({ alone }: ListSample) => meanOf(alone.unknown, medianOf)
  const ratio = spreadOf(
    samples.map((sample, round) => {
      const other = shortest[round]
      return other === undefined ? Number.NaN : latency(sample) / latency(other)
    }),
  )
  const p95 = ({ alone }: ListSample) => meanOf(alone.unknown, ({ latencyMs }) => latencyMs.p95)
  const rate = ({ together }: ListSample) => meanOf(together.unknown, (block) => block.rate)
  return {
    rows,
    latencyMs: spreadOf(samples.map(latency)),
    p95Ms: spreadOf(samples.map(p95)),
    ratio,
    isMet: ratio.median <= GROWTH_TARGET,
    insertMs: spreadOf(samples.map(({ insertMs }) => insertMs)),
    requestsPerSecond: spreadOf(samples.map(rate)),
  }
}

function likenessResult(
  rows: number,
  connections: number,
  kinds: readonly BothKinds[],
): LikenessResult {
  const ratio = spreadOf(
    kinds.map(({ known, unknown }) => meanOf(known, cpuOf) / meanOf(unknown, cpuOf)),
  )
  return {
    rows,
    connections,
    unknownMicros: spreadOf(kinds.map(({ unknown }) => meanOf(unknown, cpuOf))),
    knownMicros: spreadOf(kinds.map(({ known }) => meanOf(known, cpuOf))),
    ratio,
    isMet: Math.abs(ratio.median - 1) <= LIKENESS_TARGET,
    unknownMs: spreadOf(kinds.map(({ unknown }) => meanOf(unknown, medianOf))),
    knownMs: spreadOf(kinds.map(({ known }) => meanOf(known, medianOf))),
  }
}

function shareResults(
  shortest: readonly ListSample[],
  { latencyMs, requestsPerSecond, insertMs }: ListResult,
  floor: readonly FloorSample[],
): readonly ShareResult[] {
  return [
    { title: 'a registration', latencyMs, requestsPerSecond },
    {
      title: 'refused before it is sealed: HTTP, checks, signature',
      latencyMs: spreadOf(shortest.map(({ refusedMs }) => refusedMs)),
      requestsPerSecond: undefined,
    },
    {
      title: 'the durable write of its row alone, no HTTP',
      latencyMs: insertMs,
      requestsPerSecond: undefined,
    },
    {
      title: 'bare node:http and node:sqlite, plain text',
      latencyMs: spreadOf(floor.map(({ alone }) => alone.latencyMs.median)),
      requestsPerSecond: spreadOf(floor.map(({ together }) => together.rate)),
    },
  ]
}

/** Makes the result of all samples. Throws a RangeError where there are none. */
export function summarize({ samples, floor, ...facts }: RegistrationSamples): RegistrationResult {
  const shortest = samples[0]?.samples ?? []
  const lists = samples.map(({ rows, samples: of }) => listResult(rows, of, shortest))
  const [first] = lists
  if (first === undefined) throw new RangeError('expected at least one list')
  return {
    ...facts,
    rounds: shortest.length,
    lists,
    growthTarget: GROWTH_TARGET,
    likeness: samples.flatMap(({ rows, samples: of }) => [
      likenessResult(
        rows,
        1,
        of.map(({ alone }) => alone),
      ),
      likenessResult(
        rows,
        facts.connections,
        of.map(({ together }) => together),
      ),
    ]),
    likenessTarget: LIKENESS_TARGET,
    shares: shareResults(shortest, first, floor),
  }
}
