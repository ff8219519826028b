import { messageOf } from '../src/contract/error-message.ts'
import { parseArgs } from 'node:util'
import type { KeyCounts } from './made-keys.ts'
import { AUDITED_VERSIONS } from './verification-result.ts'

/** The parts of the benchmark that can be run alone. */
export const PARTS = [
  'start',
  'cost',
  'memory',
  'registration',
  'export',
  'keys',
  'verification',
  'pages',
] as const
export type Part = (typeof PARTS)[number]

/** What one run does. */
export interface BenchOptions {
  readonly help: boolean
  readonly json: boolean
  readonly write: boolean
  readonly quick: boolean
  /** YYYY-MM-DD, as it stands in the report. */
  readonly date: string
  readonly parts: ReadonlySet<Part>
  readonly rounds: number
  /** Requests of one subject in one round, before and while it is measured. */
  readonly warmUpRequests: number
  readonly measuredRequests: number
  /** Requests between two readings of the memory, of which there are four under load. */
  readonly memoryStepRequests: number
  /** Lengths of the lists that are registered on, the shortest first. */
  readonly listRows: readonly number[]
  readonly registrationRounds: number
  /** Registrations by one process before it is measured, and in one block that is measured. */
  readonly registrationWarmUpRequests: number
  readonly registrationRequests: number
  /** Length of the list that is exported. */
  readonly exportRows: number
  /** Stores of keys, the one with fewest first. The last has as many revoked keys as active ones, or more. */
  readonly keyStores: readonly KeyCounts[]
  readonly keyRounds: number
  /** Requests to one process before and while it is measured. */
  readonly keyWarmUpRequests: number
  readonly keyRequests: number
  /** Ids of a kind that are looked up. */
  readonly keyLookups: number
  /** Requests of one kind of refused key, before and while they are timed. */
  readonly keyTimingWarmUpRequests: number
  readonly keyTimingRequests: number
  readonly verificationRounds: number
  /** Checks of one kind in one round. */
  readonly verificationChecks: number
  /** Length of the history that is audited, and how often. */
  readonly auditVersions: number
  readonly auditRuns: number
  readonly pageRounds: number
  /** Requests for one page from one process before and while it is measured. */
  readonly pageWarmUpRequests: number
  readonly pageRequests: number
}

/** An option is wrong; the message says which and what was expected. */
export class OptionsError extends Error {}

export const HELP = `Usage: npm run bench -- [options]

Measures the service beside its peers: CPU time per request, requests per second, memory, time to start;
registering on lists of up to a million rows; opening a list of 100,000; reading with an API
key, and whether the time of a refusal tells its reason; checking an answer, and auditing
a history of 10,000 versions; sending a page.

  --quick           fewer rounds, requests and rows: about four minutes, and a
                    rough answer
  --rounds <n>      rounds of the cost part (7, or 3 with --quick), of the registration part
                    (5, or 3), of the keys part (4, or 2), of the verification part
                    (5, or 2) and of the pages part (5, or 2)
  --only <part>     one part alone: ${PARTS.slice(0, -1).join(', ')},
                    ${PARTS.at(-1)}; may be repeated
  --json            the result as JSON
  --write           also writes the tables of docs/benchmarks.md; only for a full run
  --date <day>      YYYY-MM-DD that the report shows (today when left out)
  --help            this text

It wants two processors that nothing else uses and 2 GB of disk where temporary files
are (TMPDIR), and takes about a quarter of an hour.

Exit code: 0 measured, 1 a target is not met (never with --quick, whose answer is
rough) or something could not be measured, 2 wrong usage.
`

function isPart(text: string): text is Part {
  return PARTS.some((part) => part === text)
}

function readParts(only: readonly string[]): ReadonlySet<Part> {
  const parts = only.filter(isPart)
  if (parts.length < only.length) {
    throw new OptionsError(`--only: expected one of ${PARTS.join(', ')}, found ${only.join(', ')}`)
  }
  return new Set(parts.length === 0 ? PARTS : parts)
}

/** Reads the command line. Throws OptionsError. */
export function readOptions(args: readonly string[], now: Date): BenchOptions {
  const read = () =>
    parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        date: { type: 'string' },
        rounds: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
      },
    }).values
  let values: ReturnType<typeof read>
  try {
    values = read()
  } catch (error) {
    throw new OptionsError(messageOf(error))
  }
  const { help, quick, json, write, only } = values
  const rounds = values.rounds ?? (quick ? '3' : '7')
  if (!/^[1-9]\d{0,2}$/.test(rounds)) {
    throw new OptionsError(`--rounds: expected a whole number from 1 to 999, found "${rounds}"`)
  }
  const date = values.date ?? now.toISOString().slice(0, 10)
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) {
    throw new OptionsError(`--date: expected YYYY-MM-DD, found "${date}"`)
  }
  if (write && (quick || only.length > 0)) {
    throw new OptionsError('--write: expected a full run, found --quick or --only beside it')
  }
  return {
    help,
    json,
    write,
    quick,
    date,
    parts: readParts(only),
    rounds: Number(rounds),
    // V8 compiles, on the same processor, for the first 25,000 requests or so: what is counted comes after.
    warmUpRequests: quick ? 30_000 : 40_000,
    measuredRequests: quick ? 10_000 : 40_000,
    memoryStepRequests: quick ? 25_000 : 250_000,
    listRows: quick ? [0, 20_000] : [0, 1000, 10_000, 100_000, 1_000_000],
    registrationRounds: values.rounds === undefined && !quick ? 5 : Number(rounds),
    // Both ways through the code, to a new address and to a known one, are compiled in the first 10,000 or so.
    registrationWarmUpRequests: quick ? 6000 : 12_000,
    // So many that the garbage collections of a block are several: one more or less tips a ratio by a tenth of a short one.
    registrationRequests: quick ? 300 : 1600,
    exportRows: quick ? 4000 : 100_000,
    keyStores: quick
      ? [
          { active: 0, dead: 0 },
          { active: 1000, dead: 20_000 },
        ]
      : [
          { active: 0, dead: 0 },
          { active: 1000, dead: 0 },
          { active: 10_000, dead: 0 },
          { active: 10_000, dead: 1_000_000 },
        ],
    keyRounds: values.rounds === undefined ? (quick ? 2 : 4) : Number(rounds),
    keyWarmUpRequests: quick ? 10_000 : 25_000,
    keyRequests: quick ? 4000 : 15_000,
    keyLookups: quick ? 5000 : 20_000,
    keyTimingWarmUpRequests: quick ? 3000 : 10_000,
    keyTimingRequests: quick ? 5000 : 40_000,
    verificationRounds: values.rounds === undefined ? (quick ? 2 : 5) : Number(rounds),
    verificationChecks: quick ? 1600 : 8000,
    auditVersions: quick ? 2000 : AUDITED_VERSIONS,
    auditRuns: quick ? 1 : 3,
    pageRounds: values.rounds === undefined ? (quick ? 2 : 5) : Number(rounds),
    pageWarmUpRequests: quick ? 10_000 : 25_000,
    pageRequests: quick ? 8000 : 20_000,
  }
}
