import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  CommandFailure,
  type CommandResult,
  createCommand,
  EXIT_CODES,
  UsageError,
} from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import { withProgress } from '@public-api/cli-kit/progress'
import { pluralOf } from '@public-api/cli-kit/wording'
import { createFile } from '@public-api/client-internal/node/durable-file'
import { formatInstant } from '@public-api/contract/text/instant'
import {
  AgeError,
  createEncryptor,
  generateIdentity,
  parseIdentity,
} from '../../crypto/age-file.ts'
import { formatLocation } from '../../storage/open-storage.ts'
import { databaseLocation, readConfig, withDatabase } from '../database.ts'
import { changeFile } from '../new-file.ts'
import { IDENTITY_OPTION, readIdentities, requireMatchingIdentity } from './identities.ts'
import { setRecipient, type SettingOutcome } from './recipient-setting.ts'
import { resealWaitlist } from './reseal-waitlist.ts'

/** Rejects with a CommandFailure if the file exists. If it contains an identity, the message says how to use it. */
async function requireNoFile(file: string): Promise<void> {
  if (!existsSync(file)) return
  const advice = await readFile(file, 'utf8')
    .then(parseIdentity)
    .then(
      ({ recipient }) =>
        `the file already contains an identity. To use it, pass --recipient ${recipient} instead of --new-identity`,
      () => 'the file exists and was left unchanged',
    )
  throw new CommandFailure('EXISTS', `${file}: ${advice}`)
}

/**
 * Creates an identity in a new file with mode 0600. The file is durable when this returns. Throws a CommandFailure.
 */
function createIdentityFile(file: string, nowMs: number) {
  const pair = generateIdentity()
  // As age-keygen writes it.
  const comments = `# created: ${formatInstant(nowMs)}\n# public key: ${pair.recipient}\n`
  const text = `${comments}${pair.identity}\n`
  changeFile(file, () => createFile(file, text, { mode: 0o600 }))
  return pair
}

/** What to say about the setting of the service, which is undefined if another database was named. */
function formatSetting(
  setting: SettingOutcome | undefined,
  recipient: string,
  resealed: number,
): CommandResult['lines'] {
  if (setting === undefined) {
    return ['The recipient of the service was left unchanged: --database names another database.']
  }
  const { kind, place } = setting
  if (kind === 'manual') {
    return [
      `${place} is set in the environment, which this command cannot change. Before the`,
      `next start of the service, set it to ${recipient}`,
    ]
  }
  if (kind === 'written') {
    return [
      `${place} now contains the new recipient.`,
      'A running service uses it from its next start. After that, run this again with',
      `--recipient ${recipient}`,
      'for registrations received in the meantime.',
    ]
  }
  return [
    `${place} already contains this recipient.`,
    // A row with the old recipient shows that the service was not restarted.
    resealed > 0 && 'If the service was not restarted since then, restart it and run this again.',
  ]
}

/** What happened to the rows that were left unchanged. */
function formatUnchanged(count: number, what: string, end = '.'): string | false {
  const were = count === 1 ? 'was' : 'were'
  return count > 0 && `${pluralOf(count, 'row')} ${what} and ${were} left unchanged${end}`
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
    identity: IDENTITY_OPTION,
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
    const given = values.recipient === undefined ? undefined : parseRecipient(values.recipient)
    const config = readConfig()
    const database = databaseLocation(values.database)
    if (newIdentity !== undefined) await requireNoFile(newIdentity)
    const { setting, recipient, ...result } = await withDatabase(
      database,
      'read-write',
      async ({ waitlist: store }) => {
        const { total, byRecipient } = await store.count()
        const others = byRecipient.filter((each) => each.recipient !== given)
        const rows = others.reduce((sum, { count }) => sum + count, 0)
        const identities: string[] = []
        if (rows > 0) {
          identities.push(...(await readIdentities(values.identity ?? [], () => config)))
          const recipients = others.map((each) => each.recipient)
          await requireMatchingIdentity(identities, recipients)
        }
        // The new identity is on disk before anything is encrypted to it.
        const made =
          newIdentity === undefined ? undefined : createIdentityFile(newIdentity, Date.now())
        // With the new identity, every new file is decrypted and compared.
        if (made !== undefined) identities.push(made.identity)
        const wanted = given ?? made?.recipient ?? ''
        // Another database leaves the setting of the service unchanged.
        const isConfigured = isDeepStrictEqual(config.database, database)
        const changed = isConfigured ? await setRecipient(config, wanted) : undefined
        const resealing =
          rows === 0
            ? { resealed: 0, already: total, changedMeanwhile: 0, failed: 0 }
            : await withProgress('Encrypting', rows, (progress) =>
                resealWaitlist({ store, identities, recipient: wanted, progress }),
              )
        return { ...resealing, recipient: wanted, setting: changed }
      },
    )
    const { resealed, already, changedMeanwhile, failed } = result
    const isWhole = failed === 0
    return {
      json: {
        ok: isWhole,
        ...result,
        recipient,
        setting: setting ?? { kind: 'unchanged', place: null },
      },
      lines: [
        `Encrypted ${pluralOf(resealed, 'registration')} in ${formatLocation(database)} to ${recipient}; ${already} already ${already === 1 ? 'has' : 'have'} it.`,
        formatUnchanged(changedMeanwhile, 'changed in the meantime'),
        formatUnchanged(failed, 'could not be decrypted', ' (see above).'),
        ...formatSetting(setting, recipient, resealed),
        newIdentity !== undefined &&
          `The new identity is in ${newIdentity}. Move it off the server.`,
        'Keep the old identity as long as you keep backups that need it.',
      ],
      exitCode: isWhole ? EXIT_CODES.done : EXIT_CODES.failure,
    }
  },
})
