import { createCommand, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { choiceOption, numberOption, timeOption } from '@public-api/cli-kit/option-values'
import { type OptionValues, textOption, textOptions } from '@public-api/cli-kit/options'
import { type Progress, withProgress } from '@public-api/cli-kit/progress'
import { pluralOf } from '@public-api/cli-kit/wording'
import { LOCALES } from '@public-api/contract/terms/locales'
import { INTERESTS } from '@public-api/contract/waitlist/registration-schema'
import { createDecryptor } from '../../crypto/age-file.ts'
import type { WaitlistEntry } from '../../service/waitlist/waitlist-entry.ts'
import type { StoredRegistration, WaitlistStore } from '../../storage/stores/waitlist-store.ts'
import { DATABASE_OPTION, databasePlace, readConfig, withDatabase } from '../database.ts'
import { createNewFile } from '../new-file.ts'
import { writeToStandardOutput } from '../standard-output.ts'
import { EXPORT_FORMATS, hasGuardedCell } from './export-rows.ts'
import { IDENTITY_OPTION, readIdentities, requireMatchingIdentity } from './identities.ts'
import { openRows } from './open-rows.ts'
import { readSentTickets } from './sent-tickets.ts'

/** Which registrations to export. A missing member accepts all. */
interface Batch {
  /** Registered at this time or later. */
  readonly sinceMs?: number | undefined
  /** Registered before this time, so that consecutive periods share no registration. */
  readonly untilMs?: number | undefined
  /** With any of these interests. */
  readonly interests?: readonly string[] | undefined
  readonly locales?: readonly string[] | undefined
  /** Tickets of earlier batches. */
  readonly excluded?: ReadonlySet<string> | undefined
  readonly limit?: number | undefined
}

/** Whether a row can be in the batch, by what it shows without decryption. */
function mayBeInBatch(
  { ticket, registeredAtMs }: Pick<StoredRegistration, 'ticket' | 'registeredAtMs'>,
  { sinceMs = -Infinity, untilMs = Infinity, excluded }: Batch,
): boolean {
  return registeredAtMs >= sinceMs && registeredAtMs < untilMs && excluded?.has(ticket) !== true
}

/** Whether a registration has an interest and a locale of the batch. */
function isInBatch(
  { interests, locale }: Pick<WaitlistEntry, 'interests' | 'locale'>,
  batch: Batch,
): boolean {
  return (
    (batch.interests?.some((each) => interests.includes(each)) ?? true) &&
    (batch.locales?.includes(locale) ?? true)
  )
}

/** What to export, and where to write it. */
export interface ExportOptions {
  readonly store: Pick<WaitlistStore, 'readAfter'>
  /** age identities, at least one. */
  readonly identities: readonly string[]
  readonly format: keyof typeof EXPORT_FORMATS
  readonly batch?: Batch
  /** Takes the next part of the file. Resolves with `false` when the reader has closed. */
  readonly write: (part: Uint8Array) => Promise<boolean>
  /** Prints each skipped row, in the order of the list. */
  readonly progress?: Pick<Progress, 'advance' | 'print'>
}

/**
 * Decrypts the list and writes the registrations of the batch in order of registration, one page in memory at a time.
 * Rows that cannot be decrypted or do not match their columns are printed, skipped and counted in `leftOut`. `guarded`
 * counts rows of a CSV file with a cell that differs from its text. `isComplete` is false when the reader closed before
 * the end. Rejects with an AgeError for an invalid identity, and with errors of the store and of `write`.
 */
export async function exportWaitlist(options: ExportOptions) {
  const { store, identities, format, batch = {}, write, progress } = options
  const { limit = Number.POSITIVE_INFINITY } = batch
  const decryptor = await createDecryptor(identities)
  let [exported, leftOut, guarded] = [0, 0, 0]
  const { header, rowOf } = EXPORT_FORMATS[format]
  if (header !== '' && !(await write(Buffer.from(header)))) {
    return { exported, leftOut, guarded, isComplete: false }
  }
  // What the row shows without decryption decides first: an excluded row costs no decryption.
  const rows = openRows(store, decryptor, (row) => mayBeInBatch(row, batch))
  for await (const { read, opened, failures } of rows) {
    for (const failure of failures) progress?.print(failure)
    const picked = opened.filter(({ entry }) => isInBatch(entry, batch)).slice(0, limit - exported)
    const text = picked.map(({ entry }) => rowOf(entry)).join('')
    exported += picked.length
    if (format === 'csv') guarded += picked.filter(({ entry }) => hasGuardedCell(entry)).length
    leftOut += failures.length
    const isRead = text === '' || (await write(Buffer.from(text)))
    progress?.advance(read)
    if (!isRead) return { exported, leftOut, guarded, isComplete: false }
    if (exported === limit) break
  }
  return { exported, leftOut, guarded, isComplete: true }
}

/** Exports into a new file, or to standard output. */
async function writeOut(
  store: WaitlistStore,
  out: string | undefined,
  options: Pick<ExportOptions, 'identities' | 'format' | 'batch'>,
) {
  const { total, byRecipient } = await store.count()
  const recipients = byRecipient.map(({ recipient }) => recipient)
  if (total > 0) await requireMatchingIdentity(options.identities, recipients)
  const file = out === undefined ? undefined : await createNewFile(out)
  // No progress between the rows on a terminal.
  const stream =
    file === undefined && process.stdout.isTTY
      ? { write: (text: string) => process.stderr.write(text) }
      : process.stderr
  try {
    const write = file?.write ?? writeToStandardOutput
    const result = await withProgress(
      'Decrypting',
      total,
      (progress) => exportWaitlist({ ...options, store, progress, write }),
      stream,
    )
    await file?.finish()
    return result
  } catch (error) {
    await file?.abandon()
    throw error
  }
}

/** The options that choose a batch. */
const BATCH_OPTIONS = {
  since: timeOption('TIME: only registrations at this time or later'),
  until: timeOption('TIME: only registrations before this time'),
  interest: {
    ...choiceOption(
      'INTEREST: only registrations with this interest; repeatable, for any of them',
      INTERESTS,
    ),
    multiple: true,
  },
  locale: {
    ...choiceOption('LOCALE: only registrations in this language; repeatable', LOCALES),
    multiple: true,
  },
  limit: numberOption('N: at most so many registrations', [1, 1_000_000_000]),
  exclude: textOptions(`FILE: leave out the registrations of an earlier export, or of a
      file with one ticket a line; repeatable`),
} as const

/** Throws a UsageError for times in the wrong order, and a CommandFailure for a file that cannot be used. */
function batchOf(values: OptionValues<typeof BATCH_OPTIONS>): Batch {
  const { since, until, interest: interests, locale: locales, limit, exclude = [] } = values
  const sinceMs = since === undefined ? undefined : Date.parse(since)
  const untilMs = until === undefined ? undefined : Date.parse(until)
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    throw new UsageError('--until must be later than --since')
  }
  const excluded = new Set(exclude.flatMap(readSentTickets))
  return { sinceMs, untilMs, interests, locales, limit, excluded }
}

export const command = createCommand({
  usage: 'waitlist export [options]',
  about: `Decrypts the registrations with the identity and writes them in the order of
registering. With a copied database and the identity it needs neither the
configuration nor the secrets folder. Rows that cannot be decrypted are reported
on standard error and left out.

With filters it writes a batch: the registrations that match all of them,
oldest first. Name the files of earlier batches with --exclude, and no person
is in two.

In CSV, addresses are exact; another cell that a spreadsheet could read as a formula gets a leading
apostrophe. JSON lines and listmonk's import format contain the exact values.`,
  options: {
    identity: IDENTITY_OPTION,
    format: {
      ...choiceOption(
        'FORMAT: csv, jsonl or listmonk',
        Object.keys(EXPORT_FORMATS) as (keyof typeof EXPORT_FORMATS)[],
      ),
      default: 'csv',
    },
    ...BATCH_OPTIONS,
    out: textOption(`FILE: a new file, readable by its owner alone; never overwrites (default:
      standard output)`),
    database: DATABASE_OPTION,
  },
  json: 'print the summary as one JSON object; needs --out',
  exit: '0 done, 1 rows left out or failure, 2 wrong usage',
  async run({ values }, output) {
    const { format, out, json, database } = values
    if (json && out === undefined) {
      throw new UsageError('--json requires --out FILE, because the rows go to standard output')
    }
    const batch = batchOf(values)
    const identities = await readIdentities(values.identity ?? [], readConfig)
    const { exported, leftOut, guarded, isComplete } = await withDatabase(
      database,
      'read-only',
      ({ waitlist }) => writeOut(waitlist, out, { identities, format, batch }),
    )
    const isWhole = leftOut === 0
    if (!isComplete) {
      // The reader closed standard output, so a summary is not wanted.
    } else if (json) {
      output.out(formatJson({ ok: isWhole, exported, leftOut, guarded, file: out }))
    } else {
      const where = out === undefined ? '' : ` to ${out}`
      const were = leftOut === 1 ? 'was' : 'were'
      const rest = ` ${pluralOf(leftOut, 'row')} could not be decrypted and ${were} left out (see above).`
      // Standard output carries the rows.
      output.error(
        `Exported ${pluralOf(exported, 'registration')} of ${databasePlace(database)}${where}.${isWhole ? '' : rest}`,
      )
      if (guarded > 0) {
        output.error(
          `Warning: ${pluralOf(guarded, 'row')} with an apostrophe where a spreadsheet would read a formula, or with a replaced control character; the exact values have --format jsonl and --format listmonk.`,
        )
      }
    }
    return isWhole ? EXIT_CODES.done : EXIT_CODES.failure
  },
})
