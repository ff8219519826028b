import type { ParseArgsOptionsConfig } from 'node:util'
import { UsageError } from '@public-api/cli-kit/command'
import { type parseScriptArgs } from '../scripts/script-main.ts'

/** The parts of the benchmark. Each can be run alone. */
export const PARTS = ['verification', 'growth', 'cost'] as const
export type Part = (typeof PARTS)[number]

/** Size of a full run. */
const FULL = {
  rounds: 7,
  // V8 compiles during the first 25,000 requests or so, on the measured processor.
  warmUpRequests: 40_000,
  measuredRequests: 40_000,
  verificationChecks: 5000,
  organizations: [
    { versions: 100, incidents: 50 },
    { versions: 1000, incidents: 1000 },
  ],
}

/** The organization of the largest bounds, in place of the larger one of a full run. */
const LARGE = { versions: 10_000, incidents: 5000 }

const QUICK: Partial<typeof FULL> = {
  rounds: 3,
  warmUpRequests: 30_000,
  measuredRequests: 10_000,
  verificationChecks: 1600,
  organizations: [
    { versions: 50, incidents: 25 },
    { versions: 200, incidents: 200 },
  ],
}

/** Parts of one run. */
export interface BenchOptions extends Readonly<typeof FULL> {
  readonly write: boolean
  readonly quick: boolean
  readonly parts: ReadonlySet<Part>
}

export const HELP = `Usage: npm run bench -- [options]

Measures the service beside its peers: an organization of five years, CPU time and rate of a
response, and verification of a response. Linux only.

  --quick           fewer rounds and requests: about three minutes, rough figures
  --only <part>     one part: ${PARTS.join(', ')}; may be repeated
  --large           10,000 versions and 5,000 incidents in place of 1,000 and 1,000; takes an
                    hour and 4 GB of disk
  --write           also replace the tables of docs/benchmarks.md; needs a full run
  --help            show this text

Needs two processors that nothing else uses, 1 GB of disk below TMPDIR, Hugo, and Go with
Debian's golang-golang-x-mod-dev.

Exit code: 0 measured, 1 a target was missed (never with --quick) or a part failed,
2 wrong usage.
`

/** The command line's options. */
export const FLAGS = {
  quick: { type: 'boolean', default: false },
  large: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] },
} as const satisfies ParseArgsOptionsConfig

type FlagValues = ReturnType<typeof parseScriptArgs<typeof FLAGS>>['values']

/** The parts and sizes of a run, from its flags. Throws a UsageError. */
export function parseOptions({ quick, large, write, only }: FlagValues): BenchOptions {
  const parts = PARTS.filter((part) => only.includes(part))
  if (parts.length < new Set(only).size) {
    throw new UsageError(`--only: expected one of ${PARTS.join(', ')}, found ${only.join(', ')}`)
  }
  if (write && (quick || large || only.length > 0)) {
    throw new UsageError('--write: expected a full run, found --quick, --large or --only')
  }
  const { organizations, ...others } = quick ? { ...FULL, ...QUICK } : FULL
  return {
    ...others,
    organizations: large ? [...organizations.slice(0, 1), LARGE] : organizations,
    write,
    quick,
    parts: new Set(parts.length === 0 ? PARTS : parts),
  }
}
