import type { CostResult } from './cost.ts'
import type { ExportResult } from './export.ts'
import { keyTables, missedInKeys } from './key-tables.ts'
import type { KeysResult } from './keys-result.ts'
import type { MemoryResult } from './memory.ts'
import { missedInPages, pagesTable } from './page-tables.ts'
import type { PagesResult } from './pages-result.ts'
import type { RegistrationResult } from './registration-result.ts'
import type { StartResult } from './start-up.ts'
import { range, verdict, whole, type Table } from './table.ts'
import { missedInVerification, verificationTables } from './verification-tables.ts'
import type { VerificationResult } from './verification-result.ts'
import { exportTable, missedInRegistration, registrationTables } from './waitlist-tables.ts'

/** Everything one run found, as --json prints it. A part that was not asked for is left out. */
export interface BenchReport {
  readonly date: string
  readonly quick: boolean
  readonly machine: {
    readonly processors: string
    readonly node: string
    readonly nodeOptions: readonly string[]
    readonly placement: string
  }
  readonly cost?: CostResult
  /** Null where the system does not tell the memory of a process. */
  readonly memory?: MemoryResult | null
  readonly start?: StartResult
  readonly registration?: RegistrationResult
  readonly export?: ExportResult
  readonly keys?: KeysResult
  readonly verification?: VerificationResult
  readonly pages?: PagesResult
}

function costTables(cost: CostResult): readonly Table[] {
  const micros = (value: number) => value.toFixed(1)
  const ratio = (value: number) => value.toFixed(2)
  return [
    {
      title: `Cost of one answer (${whole(cost.bodyBytes)} bytes of body, ${cost.connections} connections, ${cost.rounds} rounds of ${whole(cost.requestsPerRound)} requests)`,
      heading: ['what answers', 'CPU µs', 'spread', 'requests/s', 'spread', 'server busy'],
      rows: cost.subjects.map((subject) => [
        subject.title,
        micros(subject.cpuMicrosPerRequest.median),
        range(subject.cpuMicrosPerRequest, micros),
        whole(subject.requestsPerSecond.median),
        range(subject.requestsPerSecond, whole),
        `${whole(subject.serverBusy * 100)} %`,
      ]),
    },
    {
      title: 'What was promised, in CPU time per request',
      heading: ['ratio', 'median', 'spread', 'at most', ''],
      rows: cost.ratios.map((each) => [
        each.title,
        ratio(each.ratio.median),
        range(each.ratio, ratio),
        each.target.toFixed(2),
        verdict(each.isMet),
      ]),
    },
  ]
}

function memoryTable(memory: MemoryResult): Table {
  const megabytes = (value: number) => value.toFixed(1)
  return {
    title: 'Resident memory of the process that npm start runs',
    heading: ['when', 'MB', 'at most', ''],
    rows: [
      [
        'idle after the start',
        megabytes(memory.afterStartMegabytes),
        megabytes(memory.afterStartTarget),
        verdict(memory.isAfterStartMet),
      ],
      ...memory.underLoad.map(({ requests, megabytes: value }) => [
        `after ${whole(requests)} requests`,
        megabytes(value),
        '',
        '',
      ]),
      [
        'growth from the first of these to the last',
        megabytes(memory.growthMegabytes),
        megabytes(memory.growthTarget),
        verdict(memory.isGrowthMet),
      ],
    ],
  }
}

function startTable(start: StartResult): Table {
  return {
    title: 'From npm start to the first answer, secrets made before',
    heading: ['starts', 'median ms', 'spread', 'less than', ''],
    rows: [
      [
        String(start.starts),
        whole(start.firstAnswerMs.median),
        range(start.firstAnswerMs, whole),
        whole(start.targetMs),
        verdict(start.isMet),
      ],
    ],
  }
}

/** The tables of a report. */
export function tablesOf(report: BenchReport): readonly Table[] {
  const { cost, memory, start, registration, export: exported, keys, verification, pages } = report
  return [
    ...(cost === undefined ? [] : costTables(cost)),
    ...(memory === undefined || memory === null ? [] : [memoryTable(memory)]),
    ...(start === undefined ? [] : [startTable(start)]),
    ...(registration === undefined ? [] : registrationTables(registration)),
    ...(exported === undefined ? [] : [exportTable(exported)]),
    ...(keys === undefined ? [] : keyTables(keys)),
    ...(verification === undefined ? [] : verificationTables(verification)),
    ...(pages === undefined ? [] : [pagesTable(pages)]),
  ]
}

/** One line for each target that was measured and missed; empty when all were met. */
export function missedTargets({
  cost,
  memory,
  start,
  registration,
  keys,
  verification,
  pages,
}: BenchReport): readonly string[] {
  const missed: string[] = []
  const expect = (isMet: boolean, what: string, found: string, bound: string): void => {
    if (!isMet) missed.push(`${what}: found ${found}, expected ${bound}`)
  }
  for (const { title, ratio, target, isMet } of cost?.ratios ?? []) {
    expect(isMet, title, ratio.median.toFixed(2), `at most ${target.toFixed(2)}`)
  }
  if (memory !== undefined && memory !== null) {
    const { afterStartMegabytes, afterStartTarget, growthMegabytes, growthTarget } = memory
    const found = `${afterStartMegabytes.toFixed(1)} MB`
    expect(memory.isAfterStartMet, 'memory after the start', found, `at most ${afterStartTarget}`)
    const growth = `${growthMegabytes.toFixed(1)} MB`
    expect(memory.isGrowthMet, 'growth of the memory', growth, `at most ${growthTarget}`)
  }
  if (start !== undefined) {
    const { firstAnswerMs, targetMs, isMet } = start
    expect(
      isMet,
      'time to the first answer',
      `${whole(firstAnswerMs.median)} ms`,
      `less than ${targetMs}`,
    )
  }
  return [
    ...missed,
    ...(registration === undefined ? [] : missedInRegistration(registration)),
    ...(keys === undefined ? [] : missedInKeys(keys)),
    ...(verification === undefined ? [] : missedInVerification(verification)),
    ...(pages === undefined ? [] : missedInPages(pages)),
  ]
}

/**
 * The exit code of a run: 1 when a target is missed. A quick run always ends with 0, since its few requests judge
 * nothing.
 */
export function exitCodeOf(report: BenchReport): 0 | 1 {
  return !report.quick && missedTargets(report).length > 0 ? 1 : 0
}

/** One line each on where and when it was measured. */
export function factsOf(report: BenchReport): readonly string[] {
  const { date, quick, machine, memory, registration, export: exported } = report
  const options = machine.nodeOptions.length === 0 ? 'none' : machine.nodeOptions.join(' ')
  return [
    `Measured on ${date}${quick ? ' with --quick: a rough answer' : ''}.`,
    `Machine: ${machine.processors}; ${machine.placement}.`,
    `Node ${machine.node}; its options, for all alike: ${options}.`,
    ...(memory === null
      ? ['Memory was not measured: this system does not tell it (no /proc).']
      : []),
    ...(registration?.isInMemory === true
      ? [
          'The databases were in memory (tmpfs), so no disk was waited for; TMPDIR names another folder.',
        ]
      : []),
    ...(exported?.hasAgeProgram === false ? ['The age program is not on this machine.'] : []),
  ]
}
