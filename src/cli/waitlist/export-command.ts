import { createCommand, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import {
  parseChoice,
  parseInstantOption,
  parseWholeNumber,
} from '@public-api/cli-kit/option-values'
import { textOption, textOptionOr, textOptions } from '@public-api/cli-kit/options'
import { type Progress, withProgress } from '@public-api/cli-kit/progress'
import { pluralOf } from '@public-api/cli-kit/wording'
import { LOCALES } from '@public-api/contract/registry/locales'
import { INTERESTS } from '@public-api/contract/waitlist/registration-schema'
import { createDecryptor } from '../../crypto/age-file.ts'
import type { WaitlistEntry } from '../../service/waitlist/waitlist-entry.ts'
import type { StoredRegistration, WaitlistStore } from '../../storage/stores/waitlist-store.ts'
import { DATABASE_OPTION, databasePlace, readConfig, withDatabase } from '../database.ts'
import { createNewFile } from '../new-file.ts'
import { writeToStandardOutput } from '../standard-output.ts'
import {
  EXPORT_FORMATS,
  EXPORT_HEADERS,
  type ExportFormat,
  formatExportRow,
  hasGuardedCell,
} from './export-rows.ts'
import { IDENTITY_OPTION, readIdentities, requireMatchingIdentity } from './identities.ts'
import { openRows } from './open-rows.ts'
import { readSentTickets } from './sent-tickets.ts'

/** Which registrations to export. A missing member accepts all. */
interface Batch {
  /** Registered at this time or later. */
  readonly sinceMs?: number
  /** Registered before this time, so that consecutive periods share no registration. */
  readonly untilMs?: number
  /** With any of these interests. */
  readonly interests?: readonly string[]
  readonly locales?: readonly string[]
  /** Tickets of earlier batches. */
  readonly excluded?: ReadonlySet<string>
  readonly limit?: number
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
  readonly format: ExportFormat
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
  const header = EXPORT_HEADERS[format]
  if (header !== '' && !(await write(Buffer.from(header)))) {
    return { exported, leftOut, guarded, isComplete: false }
  }
  // What the row shows without decryption decides first: an excluded row costs no decryption.
  const rows = openRows(store, decryptor, (row) => mayBeInBatch(row, batch))
  for await (const { read, opened, failures } of rows) {
    for (const failure of failures) progress?.print(failure)
    const picked = opened.filter(({ entry }) => isInBatch(entry, batch)).slice(0, limit - exported)
    const text = picked.map(({ entry }) => formatExportRow(entry, format)).join('')
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
  // No progress bar between the rows on a terminal.
  const stream =
    file === undefined && process.stdout.isTTY
      ? { write: (text: string) => process.stderr.write(text) }
      : process.stderr
  try {
    const result = await withProgress({ label: 'Decrypting', total, stream }, (progress) =>
      exportWaitlist({ ...options, store, progress, write: file?.write ?? writeToStandardOutput }),
    )
    await file?.finish()
    return result
  } catch (error) {
    await file?.abandon()
    throw error
  }
}

interface BatchOptions {
  readonly since?: string
  readonly until?: string
  readonly interest?: readonly string[]
  readonly locale?: readonly string[]
  readonly limit?: string
  readonly exclude?: readonly string[]
}

/** Throws a UsageError for a wrong value, and a CommandFailure for a file that cannot be used. */
function parseBatch({ since, until, interest, locale, limit, exclude = [] }: BatchOptions): Batch {
  const sinceMs = Date.parse(parseInstantOption('--since', since) ?? '')
  const untilMs = Date.parse(parseInstantOption('--until', until) ?? '')
  if (sinceMs >= untilMs) throw new UsageError('--until must be later than --since')
  return {
    ...(since === undefined ? {} : { sinceMs }),
    ...(until === undefined ? {} : { untilMs }),
    ...(interest && {
      interests: interest.map((each) => parseChoice('--interest', each, INTERESTS)),
    }),
    ...(locale && { locales: locale.map((each) => parseChoice('--locale', each, LOCALES)) }),
    ...(limit === undefined
      ? {}
      : { limit: parseWholeNumber('--limit', limit, { least: 1, most: 1_000_000_000 }) }),
    excluded: new Set(exclude.flatMap(readSentTickets)),
  }
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

In CSV, a cell that a spreadsheet could read as a formula gets a leading
apostrophe. JSON lines and listmonk's import format contain the exact values.`,
  options: {
    identity: IDENTITY_OPTION,
    format: {
      ...textOptionOr('csv', 'FORMAT: csv, jsonl or listmonk'),
      choices: EXPORT_FORMATS,
    },
    since: textOption('TIME: only registrations at this time or later'),
    until: textOption('TIME: only registrations before this time'),
    interest: {
      ...textOptions(
        'INTEREST: only registrations with this interest; repeatable, for any of them',
      ),
      choices: INTERESTS,
    },
    locale: {
      ...textOptions('LOCALE: only registrations in this language; repeatable'),
      choices: LOCALES,
    },
    limit: textOption('N: at most so many registrations'),
    exclude: textOptions(`FILE: leave out the registrations of an earlier export, or of a
      file with one ticket a line; repeatable`),
    out: textOption(`FILE: a new file, readable by its owner alone; never overwrites (default:
      standard output)`),
    database: DATABASE_OPTION,
  },
  json: 'print the summary as one JSON object; needs --out',
  exit: '0 done, 1 rows left out or failure, 2 wrong usage',
  async run({ values }, output) {
    const format = parseChoice('--format', values.format, EXPORT_FORMATS)
    const { out, json, database } = values
    if (json && out === undefined) {
      throw new UsageError('--json requires --out FILE, because the rows go to standard output')
    }
    const batch = parseBatch(values)
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
