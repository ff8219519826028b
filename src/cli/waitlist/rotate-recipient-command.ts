import type { Config } from '../../config.ts'
import { createOpener, createSealer, SealError } from '../../crypto/sealed-box.ts'
import type { WaitlistStore } from '../../storage/waitlist-store.ts'
import {
  type Command,
  createCommand,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from '../command.ts'
import { createProgress } from '../progress.ts'
import { CommandFailure } from '../command-failure.ts'
import { databaseFile, readConfig, withStorage } from '../database.ts'
import { readIdentities } from './identities.ts'
import { parseJobs } from './jobs.ts'
import { makeIdentity, requireNoFile } from './new-identity.ts'
import { setRecipient, type SettingOutcome } from './recipient-setting.ts'
import { type ResealResult, resealWaitlist } from './reseal-waitlist.ts'
import { pluralOf } from '../wording.ts'
import { formatProblem, shortRecipient } from './wording.ts'

const HELP = `Usage: svc waitlist rotate-recipient --recipient RECIPIENT [options]
       svc waitlist rotate-recipient --new-identity FILE [options]

Makes another age recipient the one that the service seals to, from its next
start on, and seals every registration to it that has another one. It may be
stopped at any moment and run again: it goes on where it was.

Every row is opened with the old identity, and its ticket and time compared with
those beside it, before it is sealed anew. Of the new seal the form and the
length are checked, and the database is read back; with --new-identity, or with
the new identity among those of --identity, the new seal is opened too. A row
that does not open is named and left as it is.

Options:
  --recipient RECIPIENT  the new recipient, as age-keygen prints it (age1…)
  --new-identity FILE    make a new identity in a new file and use its recipient
  --identity FILE        file with the old identities, - for standard input; may
                         be given again (default: waitlist-identity.txt in the
                         secrets folder)
  --jobs N               threads (default: one for each core)
  --database FILE        another database than the configured one: its rows are
                         sealed anew and the service's setting is left alone
  --json                 print the summary as one JSON object
  -h, --help             print this text

Exit code: 0 done, 1 rows left alone or failure, 2 wrong usage.`

const OPTIONS = {
  recipient: { type: 'string' },
  'new-identity': { type: 'string' },
  identity: { type: 'string', multiple: true, default: [] as string[] },
  jobs: { type: 'string' },
  database: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

interface Settings {
  readonly config: Config
  readonly database: string
  /** Whether the service itself uses this database, and so its setting goes with it. */
  readonly isConfigured: boolean
  /** Exactly one of the two. */
  readonly recipient: string | undefined
  readonly newIdentity: string | undefined
  readonly identityFiles: readonly string[]
  readonly jobs: number
  readonly json: boolean
}

interface Outcome extends ResealResult {
  readonly recipient: string
  /** Undefined where the service's setting was left alone. */
  readonly setting: SettingOutcome | undefined
}

/** The old identities, once it is known that some row needs them and that they open one. */
async function readOldIdentities(
  settings: Settings,
  recipients: readonly string[],
): Promise<readonly string[]> {
  const identities = await readIdentities(settings.identityFiles, () => settings.config)
  const opener = await createOpener(identities)
  if (recipients.some((each) => opener.recipients.includes(each))) return identities
  throw new CommandFailure(
    'NO_IDENTITY_FITS',
    `the identity is that of ${opener.recipients.map(shortRecipient).join(', ')}, and no row is sealed to it: the rows are sealed to ${recipients.map(shortRecipient).join(', ')}. Nothing was changed`,
  )
}

async function resealAll(
  store: WaitlistStore,
  settings: Settings,
  recipient: string,
  identities: readonly string[],
): Promise<ResealResult> {
  const { total, byRecipient } = await store.count()
  const already = byRecipient.find((each) => each.recipient === recipient)?.count ?? 0
  if (already === total) return { resealed: 0, already, changedMeanwhile: 0, leftAlone: 0 }
  const progress = createProgress({
    stream: process.stderr,
    label: 'Resealing',
    total: total - already,
    env: process.env,
    nowMs: () => performance.now(),
  })
  try {
    return await resealWaitlist({
      store,
      identities,
      recipient,
      jobs: settings.jobs,
      onProgress: (rows) => progress.advance(rows),
      onProblem: (problem) => progress.tell(formatProblem(problem)),
    })
  } finally {
    progress.end()
  }
}

async function rotate(store: WaitlistStore, settings: Settings): Promise<Outcome> {
  const { byRecipient } = await store.count()
  const others = byRecipient
    .map((each) => each.recipient)
    .filter((each) => each !== settings.recipient)
  const old = others.length === 0 ? [] : await readOldIdentities(settings, others)
  // From here on something is changed, and first of all the new identity is on the disk.
  const made =
    settings.newIdentity === undefined
      ? undefined
      : await makeIdentity(settings.newIdentity, Date.now())
  const recipient = made?.recipient ?? settings.recipient ?? ''
  const setting = settings.isConfigured ? await setRecipient(settings.config, recipient) : undefined
  // The new identity opens nothing old; with it every new seal is tried.
  const identities = made === undefined ? old : [...old, made.identity]
  return { ...(await resealAll(store, settings, recipient, identities)), recipient, setting }
}

function formatSetting({ setting, recipient, resealed }: Outcome): readonly string[] {
  if (setting === undefined) {
    return [
      "The service's recipient was left alone: --database names another database than its own.",
    ]
  }
  if (setting.kind === 'to-be-set') {
    return [
      `${setting.place} stands in the environment, which cannot be changed from here. Before the`,
      `service is started again, set it to ${recipient}`,
    ]
  }
  if (setting.kind === 'written') {
    return [
      `${setting.place} now holds the new recipient.`,
      'A running service takes it up at its next start. After that, run this again with',
      `--recipient ${recipient}`,
      'for the registrations that came meanwhile.',
    ]
  }
  // Whether the service was started since then cannot be seen from here; with no such row there is no sign that it was not.
  return [
    `${setting.place} held this recipient already.`,
    ...(resealed === 0
      ? []
      : ['If the service was not started since then, start it anew and run this again.']),
  ]
}

function formatOutcome(outcome: Outcome, { newIdentity }: Settings): readonly string[] {
  const { resealed, already, changedMeanwhile, leftAlone, recipient } = outcome
  const were = (count: number): string => (count === 1 ? 'was' : 'were')
  return [
    `Sealed ${pluralOf(resealed, 'registration')} to ${recipient}; ${already} ${were(already)} sealed to it before.`,
    ...(changedMeanwhile === 0
      ? []
      : [
          `${pluralOf(changedMeanwhile, 'row')} changed meanwhile and ${were(changedMeanwhile)} left alone.`,
        ]),
    ...(leftAlone === 0
      ? []
      : [
          `${pluralOf(leftAlone, 'row')} could not be opened and ${were(leftAlone)} left alone (named above).`,
        ]),
    ...formatSetting(outcome),
    ...(newIdentity === undefined
      ? []
      : [`The new identity is in ${newIdentity}; move it to a machine that is not the server.`]),
    'Keep the old identity for as long as you keep backups from before.',
  ]
}

function tellOutcome(outcome: Outcome, settings: Settings, output: CommandOutput): ExitCode {
  const isWhole = outcome.leftAlone === 0
  if (settings.json) {
    const { setting, ...rest } = outcome
    const told = setting ?? { kind: 'left-alone', place: null }
    output.out(JSON.stringify({ ok: isWhole, ...rest, setting: told }))
  } else for (const line of formatOutcome(outcome, settings)) output.out(line)
  return isWhole ? EXIT_CODES.done : EXIT_CODES.failure
}

/** What `--recipient` names. Throws a UsageError where nobody could seal to it. */
function parseRecipient(text: string): string {
  try {
    return createSealer(text).recipient
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw new UsageError(
      '--recipient expects an age X25519 recipient, as age-keygen prints it (age1…)',
    )
  }
}

/** `svc waitlist rotate-recipient`. */
export const rotateRecipientCommand: Command = createCommand({
  help: HELP,
  options: OPTIONS,
  async run({ values }, output) {
    const newIdentity = values['new-identity']
    if ((values.recipient === undefined) === (newIdentity === undefined)) {
      throw new UsageError('expected either --recipient RECIPIENT or --new-identity FILE')
    }
    const recipient = values.recipient === undefined ? undefined : parseRecipient(values.recipient)
    const jobs = parseJobs(values.jobs)
    const config = readConfig()
    const database = databaseFile(values.database)
    const settings: Settings = {
      config,
      database,
      isConfigured: config.database.kind === 'sqlite' && config.database.file === database,
      recipient,
      newIdentity,
      identityFiles: values.identity,
      jobs,
      json: values.json,
    }
    if (newIdentity !== undefined) await requireNoFile(newIdentity)
    const outcome = await withStorage(database, 'read-write', ({ waitlist }) =>
      rotate(waitlist, settings),
    )
    return tellOutcome(outcome, settings, output)
  },
})
