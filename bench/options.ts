import type { ParseArgsOptionsConfig } from 'node:util'
import { UsageError } from '@public-api/cli-kit/command'
import { type parseScriptArgs } from '../scripts/script-main.ts'

/** The history length that the audit's target applies to. */
export const AUDITED_VERSIONS = 10_000

/** The parts of the benchmark. Each can be run alone. */
export const PARTS = ['growth', 'log', 'copy', 'cost', 'verification'] as const
export type Part = (typeof PARTS)[number]

/** Size of a full run. */
const FULL = {
  rounds: 7,
  // V8 compiles during the first 25,000 requests or so, on the measured processor.
  warmUpRequests: 40_000,
  measuredRequests: 40_000,
  verificationChecks: 5000,
  auditVersions: AUDITED_VERSIONS,
  auditRuns: 3,
  copiedVersions: [100, 1000, AUDITED_VERSIONS],
}

const QUICK: Partial<typeof FULL> = {
  rounds: 3,
  warmUpRequests: 30_000,
  measuredRequests: 10_000,
  verificationChecks: 1600,
  auditVersions: 2000,
  auditRuns: 1,
  copiedVersions: [100, 1000],
}

/** Parts of one run. */
export interface BenchOptions extends Readonly<typeof FULL> {
  readonly write: boolean
  readonly quick: boolean
  readonly parts: ReadonlySet<Part>
}

export const HELP = `Usage: npm run bench -- [options]

Measures the service beside its peers: CPU time and rate of a response, a long history,
its log and its copies, verification of a response, and the audit of a history of ${AUDITED_VERSIONS.toLocaleString('en')} versions. Linux only.

  --quick           fewer rounds and requests: about three minutes, rough figures
  --only <part>     one part: ${PARTS.join(', ')}; may be repeated
  --write           also replace the tables of docs/benchmarks.md; needs a full run
  --help            show this text

Needs two processors that nothing else uses, and 1 GB of disk below TMPDIR.

Exit code: 0 measured, 1 a target was missed (never with --quick) or a part failed,
2 wrong usage.
`

/** The command line's options. */
export const FLAGS = {
  quick: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] },
} as const satisfies ParseArgsOptionsConfig

type FlagValues = ReturnType<typeof parseScriptArgs<typeof FLAGS>>['values']

/** The parts and sizes of a run, from its flags. Throws a UsageError. */
export function parseOptions({ quick, write, only }: FlagValues): BenchOptions {
  const parts = PARTS.filter((part) => only.includes(part))
  if (parts.length < new Set(only).size) {
    throw new UsageError(`--only: expected one of ${PARTS.join(', ')}, found ${only.join(', ')}`)
  }
  if (write && (quick || only.length > 0)) {
    throw new UsageError('--write: expected a full run, found --quick or --only')
  }
  return {
    ...FULL,
    ...(quick ? QUICK : {}),
    write,
    quick,
    parts: new Set(parts.length === 0 ? PARTS : parts),
  }
}
