import { isDeepStrictEqual } from 'node:util'

import type { Config } from '../../config.ts'
import { AgeError, createEncryptor } from '../../crypto/age-file.ts'
import type { DatabaseLocation } from '../../storage/storage.ts'
import type { WaitlistStore } from '../../storage/waitlist-store.ts'
import { createCommand, EXIT_CODES, UsageError } from '../../../packages/cli/src/command/command.ts'
import { textOption, textOptions } from '../../../packages/cli/src/command/options.ts'
import { withProgress } from '../../../packages/cli/src/command/progress.ts'
import { databaseLocation, readConfig, withStorage } from '../database.ts'
import { readIdentities, requireMatchingIdentity } from './identities.ts'
import { createIdentityFile, requireNoFile } from './new-identity.ts'
import { setRecipient, type SettingOutcome } from './recipient-setting.ts'
import { type ResealResult, resealWaitlist } from './reseal-waitlist.ts'
import { pluralOf } from '../../../packages/cli/src/command/wording.ts'
import { formatProblem } from './format-row.ts'

interface Settings {
  readonly config: Config
  readonly database: DatabaseLocation
  /** Whether this is the database of the service, whose setting then changes too. */
  readonly isConfigured: boolean
  /** Exactly one of the two. */
  readonly recipient: string | undefined
  readonly newIdentity: string | undefined
  readonly identityFiles: readonly string[]
}

interface Outcome extends ResealResult {
  readonly recipient: string
  /** Undefined when the setting of the service was left unchanged. */
  readonly setting: SettingOutcome | undefined
}

/** The old identities. Rejects with a CommandFailure when they match none of the recipients. */
async function readOldIdentities(
  { identityFiles, config }: Settings,
  recipients: readonly string[],
): Promise<readonly string[]> {
  const identities = await readIdentities(identityFiles, () => config)
  await requireMatchingIdentity(identities, recipients)
  return identities
}

async function resealAll(
  store: WaitlistStore,
  recipient: string,
  identities: readonly string[],
): Promise<ResealResult> {
  const { total, byRecipient } = await store.count()
  const already = byRecipient.find((each) => each.recipient === recipient)?.count ?? 0
  if (already === total) return { resealed: 0, already, changedMeanwhile: 0, failed: 0 }
  return withProgress({ label: 'Encrypting', total: total - already }, (progress) =>
    resealWaitlist({
      store,
      identities,
      recipient,
      onProgress: (rows) => progress.advance(rows),
      onProblem: (problem) => progress.print(formatProblem(problem)),
    }),
  )
}

async function rotate(store: WaitlistStore, settings: Settings): Promise<Outcome> {
  const { byRecipient } = await store.count()
  const others = byRecipient
    .map((each) => each.recipient)
    .filter((each) => each !== settings.recipient)
  const old = others.length === 0 ? [] : await readOldIdentities(settings, others)
  // The new identity is on disk before anything is encrypted to it.
  const made =
    settings.newIdentity === undefined
      ? undefined
      : await createIdentityFile(settings.newIdentity, Date.now())
  const recipient = made?.recipient ?? settings.recipient ?? ''
  const setting = settings.isConfigured ? await setRecipient(settings.config, recipient) : undefined
  // With the new identity, every new file is decrypted and compared.
  const identities = made === undefined ? old : [...old, made.identity]
  return { ...(await resealAll(store, recipient, identities)), recipient, setting }
}

function formatSetting({ setting, recipient, resealed }: Outcome): readonly string[] {
  if (setting === undefined) {
    return ['The recipient of the service was left unchanged: --database names another database.']
  }
  if (setting.kind === 'manual') {
    return [
      `${setting.place} is set in the environment, which this command cannot change. Before the`,
      `next start of the service, set it to ${recipient}`,
    ]
  }
  if (setting.kind === 'written') {
    return [
      `${setting.place} now contains the new recipient.`,
      'A running service uses it from its next start. After that, run this again with',
      `--recipient ${recipient}`,
      'for registrations received in the meantime.',
    ]
  }
  // A row with the old recipient shows that the service was not restarted.
  return [
    `${setting.place} already contains this recipient.`,
    ...(resealed === 0
      ? []
      : ['If the service was not restarted since then, restart it and run this again.']),
  ]
}

function formatOutcome(outcome: Outcome, { newIdentity }: Settings): readonly string[] {
  const { resealed, already, changedMeanwhile, failed, recipient } = outcome
  const were = (count: number): string => (count === 1 ? 'was' : 'were')
  return [
    `Encrypted ${pluralOf(resealed, 'registration')} to ${recipient}; ${already} already ${already === 1 ? 'has' : 'have'} it.`,
    ...(changedMeanwhile === 0
      ? []
      : [
          `${pluralOf(changedMeanwhile, 'row')} changed in the meantime and ${were(changedMeanwhile)} left unchanged.`,
        ]),
    ...(failed === 0
      ? []
      : [
          `${pluralOf(failed, 'row')} could not be decrypted and ${were(failed)} left unchanged (see above).`,
        ]),
    ...formatSetting(outcome),
    ...(newIdentity === undefined
      ? []
      : [`The new identity is in ${newIdentity}. Move it off the server.`]),
    'Keep the old identity as long as you keep backups that need it.',
  ]
}

/** Throws a UsageError for an invalid recipient. */
function parseRecipient(text: string): string {
  try {
    return createEncryptor(text).recipient
  } catch (error) {
    if (!(error instanceof AgeError)) throw error
    throw new UsageError(
      '--recipient expects an age X25519 recipient, as age-keygen prints it (age1…)',
    )
  }
}

/** `svc waitlist rotate-recipient`. */
export const command = createCommand({
  usage: [
    'waitlist rotate-recipient --recipient RECIPIENT [options]',
    'waitlist rotate-recipient --new-identity FILE [options]',
  ],
  about: `Sets the age recipient of the service, effective at its next start, and encrypts
every registration with another recipient to the new one. It can be stopped at
any moment and run again.

Every row is decrypted with the old identity, and its ticket and time are
compared with the columns beside it, before it is encrypted again. With
--new-identity, or with the new identity given by --identity, the new file is
decrypted and compared too. A row that cannot be decrypted is reported and left
unchanged.`,
  options: {
    recipient: textOption('RECIPIENT: the new recipient, as age-keygen prints it (age1…)'),
    'new-identity': textOption('FILE: create an identity in a new file, use its recipient'),
    identity: textOptions(`FILE: file with the old identities, - for standard input; repeatable
      (default: waitlist-identity.txt in the secrets folder)`),
    database: textOption(`FILE: another database than the configured one; the setting of the service
      is then left unchanged`),
  },
  json: 'print the summary as one JSON object',
  exit: '0 done, 1 rows left unchanged or failure, 2 wrong usage',
  async run({ values }) {
    const newIdentity = values['new-identity']
    if ((values.recipient === undefined) === (newIdentity === undefined)) {
      throw new UsageError('expected either --recipient RECIPIENT or --new-identity FILE')
    }
    const recipient = values.recipient === undefined ? undefined : parseRecipient(values.recipient)
    const config = readConfig()
    const database = databaseLocation(values.database)
    const settings: Settings = {
      config,
      database,
      isConfigured: isDeepStrictEqual(config.database, database),
      recipient,
      newIdentity,
      identityFiles: values.identity ?? [],
    }
    if (newIdentity !== undefined) await requireNoFile(newIdentity)
    const outcome = await withStorage(database, 'read-write', ({ waitlist }) =>
      rotate(waitlist, settings),
    )
    const ok = outcome.failed === 0
    return {
      json: { ok, ...outcome, setting: outcome.setting ?? { kind: 'unchanged', place: null } },
      lines: formatOutcome(outcome, settings),
      exitCode: ok ? EXIT_CODES.done : EXIT_CODES.failure,
    }
  },
})
