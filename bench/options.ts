import type { ParseArgsOptionsConfig } from 'node:util'
import { type parseScriptArgs, ScriptUsageError } from '../scripts/script-main.ts'
import { sizesOf, type BenchSizes } from './sizes.ts'

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
export interface BenchOptions extends BenchSizes {
  readonly json: boolean
  readonly write: boolean
  readonly quick: boolean
  /** YYYY-MM-DD, as it stands in the report. */
  readonly date: string
  readonly parts: ReadonlySet<Part>
}

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

/** The options of the command line. */
export const FLAGS = {
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  date: { type: 'string' },
  rounds: { type: 'string' },
  only: { type: 'string', multiple: true, default: [] },
} as const satisfies ParseArgsOptionsConfig

type FlagValues = ReturnType<typeof parseScriptArgs<typeof FLAGS>>['values']

function isPart(text: string): text is Part {
  return PARTS.some((part) => part === text)
}

function readParts(only: readonly string[]): ReadonlySet<Part> {
  const parts = only.filter(isPart)
  if (parts.length < only.length) {
    throw new ScriptUsageError(
      `--only: expected one of ${PARTS.join(', ')}, found ${only.join(', ')}`,
    )
  }
  return new Set(parts.length === 0 ? PARTS : parts)
}

function readRounds(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) {
    throw new ScriptUsageError(`--rounds: expected a whole number from 1 to 999, found "${text}"`)
  }
  return Number(text)
}

/** What a run does, from the values of its flags; `now` is its date unless one is given. Throws a ScriptUsageError. */
export function readOptions(values: FlagValues, now: Date): BenchOptions {
  const { quick, json, write, only, rounds, date = now.toISOString().slice(0, 10) } = values
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) {
    throw new ScriptUsageError(`--date: expected YYYY-MM-DD, found "${date}"`)
  }
  if (write && (quick || only.length > 0)) {
    throw new ScriptUsageError('--write: expected a full run, found --quick or --only beside it')
  }
  const sizes = sizesOf(quick, rounds === undefined ? undefined : readRounds(rounds))
  return { ...sizes, json, write, quick, date, parts: readParts(only) }
}
