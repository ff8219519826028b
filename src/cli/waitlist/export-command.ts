import type { DatabaseLocation } from '../../storage/storage.ts'
import type { WaitlistStore } from '../../storage/waitlist-store.ts'
import {
  createCommand,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from '../../../packages/cli/src/command/command.ts'
import { textOption, textOptions, textOptionOr } from '../../../packages/cli/src/command/options.ts'
import { parseChoice } from '../../../packages/cli/src/command/option-values.ts'
import { withProgress } from '../../../packages/cli/src/command/progress.ts'
import { writeToStandardOutput } from '../standard-output.ts'
import { DATABASE_OPTION, databaseLocation, readConfig, withStorage } from '../database.ts'
import { EXPORT_FORMATS, type ExportFormat } from './export-rows.ts'
import { type ExportResult, exportWaitlist } from './export-waitlist.ts'
import { readIdentities, requireMatchingIdentity } from './identities.ts'
import { createNewFile } from '../new-file.ts'
import { pluralOf } from '../../../packages/cli/src/command/wording.ts'
import { formatProblem } from './format-row.ts'

interface Settings {
  readonly identities: readonly string[]
  readonly format: ExportFormat
  readonly out: string | undefined
  readonly database: DatabaseLocation
  readonly json: boolean
}

/** Where an export is written: a new file, or standard output. */
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

async function writeOut(store: WaitlistStore, settings: Settings): Promise<ExportResult> {
  const { identities, format, out } = settings
  const count = await store.count()
  const recipients = count.byRecipient.map(({ recipient }) => recipient)
  if (count.total > 0) await requireMatchingIdentity(identities, recipients)
  const sink = await openSink(out)
  // No progress bar between the rows on a terminal.
  const stream =
    out === undefined && process.stdout.isTTY
      ? { write: (text: string) => process.stderr.write(text) }
      : process.stderr
  try {
    const result = await withProgress(
      { label: 'Decrypting', total: count.total, stream },
      (progress) =>
        exportWaitlist({
          store,
          identities,
          format,
          write: (part) => sink.write(part),
          onProgress: (rows) => progress.advance(rows),
          onProblem: (problem) => progress.print(formatProblem(problem)),
        }),
    )
    await sink.finish()
    return result
  } catch (error) {
    await sink.abandon()
    throw error
  }
}

function printResult(
  { exported, leftOut, isComplete }: ExportResult,
  { out, json }: Settings,
  output: CommandOutput,
): ExitCode {
  const isWhole = leftOut === 0
  // The reader closed standard output, so a summary is not wanted.
  if (!isComplete) return isWhole ? EXIT_CODES.done : EXIT_CODES.failure
  if (json) output.out(JSON.stringify({ ok: isWhole, exported, leftOut, file: out }))
  else {
    const where = out === undefined ? '' : ` to ${out}`
    const rest = isWhole
      ? ''
      : ` ${pluralOf(leftOut, 'row')} could not be decrypted and ${leftOut === 1 ? 'was' : 'were'} left out (see above).`
    // Standard output carries the rows.
    output.error(`Exported ${pluralOf(exported, 'registration')}${where}.${rest}`)
  }
  return isWhole ? EXIT_CODES.done : EXIT_CODES.failure
}

/** `svc waitlist export`. */
export const command = createCommand({
  usage: 'waitlist export [options]',
  about: `Decrypts the registrations with the identity and writes them in the order of
registering. With a copied database and the identity it needs neither the
configuration nor the secrets folder. Rows that cannot be decrypted are reported
on standard error and left out.

In CSV, a cell that a spreadsheet could read as a formula gets a leading
apostrophe. JSON lines contain the exact values.`,
  options: {
    identity:
      textOptions(`FILE: file with age identities, - for standard input; repeatable (default:
      waitlist-identity.txt in the secrets folder)`),
    format: textOptionOr('csv', 'FORMAT: csv or jsonl'),
    out: textOption(`FILE: a new file, readable by its owner alone; never overwrites (default:
      standard output)`),
    database: DATABASE_OPTION,
  },
  json: 'print the summary as one JSON object; needs --out',
  exit: '0 done, 1 rows left out or failure, 2 wrong usage',
  async run({ values }, output) {
    const format = parseChoice('--format', values.format, EXPORT_FORMATS)
    if (values.json && values.out === undefined) {
      throw new UsageError('--json requires --out FILE, because the rows go to standard output')
    }
    const settings: Settings = {
      identities: await readIdentities(values.identity ?? [], readConfig),
      format,
      out: values.out,
      database: databaseLocation(values.database),
      json: values.json,
    }
    const result = await withStorage(settings.database, 'read-only', ({ waitlist }) =>
      writeOut(waitlist, settings),
    )
    return printResult(result, settings, output)
  },
})
