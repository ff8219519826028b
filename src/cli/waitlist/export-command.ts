import { createOpener } from '../../crypto/sealed-box.ts'
import type { WaitlistCount, WaitlistStore } from '../../storage/waitlist-store.ts'
import {
  type Command,
  createCommand,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from '../command.ts'
import { parseChoice } from '../option-values.ts'
import { createProgress } from '../progress.ts'
import { writeToStandardOutput } from '../standard-output.ts'
import { CommandFailure } from '../command-failure.ts'
import { databaseFile, readConfig, withStorage } from '../database.ts'
import { EXPORT_FORMATS, type ExportFormat } from './export-rows.ts'
import { type ExportResult, exportWaitlist } from './export-waitlist.ts'
import { readIdentities } from './identities.ts'
import { parseJobs } from './jobs.ts'
import { createNewFile } from '../new-file.ts'
import { pluralOf } from '../wording.ts'
import { formatProblem, shortRecipient } from './wording.ts'

const HELP = `Usage: svc waitlist export [options]

Opens the registrations with the identity and writes them out in the order of
registering. Works anywhere: with a copied database and the identity it needs
neither configuration nor secrets folder. Rows that do not open are named on
standard error and left out.

In CSV a cell that a spreadsheet could take for a formula gets an apostrophe in
front; JSON lines hold the exact values.

Options:
  --identity FILE  file with age identities, - for standard input; may be given
                   again (default: waitlist-identity.txt in the secrets folder)
  --format FORMAT  csv or jsonl (default: csv)
  --out FILE       a new file, readable by its owner alone; never overwrites
                   (default: standard output)
  --jobs N         threads that open rows (default: one for each core)
  --database FILE  the database (default: the one of the configuration)
  --json           print the summary as one JSON object; needs --out
  -h, --help       print this text

Exit code: 0 done, 1 rows left out or failure, 2 wrong usage.`

const OPTIONS = {
  identity: { type: 'string', multiple: true, default: [] as string[] },
  format: { type: 'string', default: 'csv' },
  out: { type: 'string' },
  jobs: { type: 'string' },
  database: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

interface Settings {
  readonly identities: readonly string[]
  readonly format: ExportFormat
  readonly out: string | undefined
  readonly jobs: number
  readonly database: string
  readonly json: boolean
}

/** Takes parts of the export, and gives the result its place. */
interface Sink {
  write(part: Uint8Array): Promise<boolean>
  finish(): Promise<void>
  abandon(): Promise<void>
}

async function openSink(out: string | undefined): Promise<Sink> {
  if (out !== undefined) {
    const file = await createNewFile(out)
    return {
      ...file,
      async write(part) {
        await file.write(part)
        return true
      },
    }
  }
  return {
    write: writeToStandardOutput,
    finish: async () => undefined,
    abandon: async () => undefined,
  }
}

/** A list that no row of can be opened is told at once, and not row by row. */
async function requireFittingIdentity(
  identities: readonly string[],
  { total, byRecipient }: WaitlistCount,
): Promise<void> {
  const { recipients } = await createOpener(identities)
  if (total === 0 || byRecipient.some(({ recipient }) => recipients.includes(recipient))) return
  const names = (list: readonly string[]): string => list.map(shortRecipient).join(', ')
  throw new CommandFailure(
    'NO_IDENTITY_FITS',
    `the identity is that of ${names(recipients)}, and no row is sealed to it: the rows are sealed to ${names(byRecipient.map(({ recipient }) => recipient))}`,
  )
}

async function writeOut(store: WaitlistStore, settings: Settings): Promise<ExportResult> {
  const { identities, format, jobs, out } = settings
  const count = await store.count()
  await requireFittingIdentity(identities, count)
  const sink = await openSink(out)
  const progress = createProgress({
    // A bar among the rows would only disturb.
    stream:
      out === undefined && process.stdout.isTTY
        ? { write: (text) => process.stderr.write(text) }
        : process.stderr,
    label: 'Opening',
    total: count.total,
    env: process.env,
    nowMs: () => performance.now(),
  })
  try {
    const result = await exportWaitlist({
      store,
      identities,
      format,
      jobs,
      write: (part) => sink.write(part),
      onProgress: (rows) => progress.advance(rows),
      onProblem: (problem) => progress.tell(formatProblem(problem)),
    })
    progress.end()
    await sink.finish()
    return result
  } catch (error) {
    progress.end()
    await sink.abandon()
    throw error
  }
}

function tellResult(
  { exported, leftOut, isComplete }: ExportResult,
  { out, json }: Settings,
  output: CommandOutput,
): ExitCode {
  const isWhole = leftOut === 0
  // Nobody waits for a word on what they did not want to see the end of.
  if (!isComplete) return isWhole ? EXIT_CODES.done : EXIT_CODES.failure
  if (json) output.out(JSON.stringify({ ok: isWhole, exported, leftOut, file: out }))
  else {
    const where = out === undefined ? '' : ` to ${out}`
    const rest = isWhole
      ? ''
      : ` ${pluralOf(leftOut, 'row')} could not be opened and ${leftOut === 1 ? 'is' : 'are'} left out (named above).`
    // Not on standard output, where the rows are.
    output.error(`Exported ${pluralOf(exported, 'registration')}${where}.${rest}`)
  }
  return isWhole ? EXIT_CODES.done : EXIT_CODES.failure
}

/** `svc waitlist export`. */
export const exportCommand: Command = createCommand({
  help: HELP,
  options: OPTIONS,
  async run({ values }, output) {
    const format = parseChoice('--format', values.format, EXPORT_FORMATS)
    const jobs = parseJobs(values.jobs)
    if (values.json && values.out === undefined) {
      throw new UsageError('--json needs --out FILE: standard output has the rows')
    }
    const settings: Settings = {
      identities: await readIdentities(values.identity, readConfig),
      format,
      out: values.out,
      jobs,
      database: databaseFile(values.database),
      json: values.json,
    }
    const result = await withStorage(settings.database, 'read-only', ({ waitlist }) =>
      writeOut(waitlist, settings),
    )
    return tellResult(result, settings, output)
  },
})
