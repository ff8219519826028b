import { randomBytes } from 'node:crypto'
import {
  type Command,
  CommandFailure,
  createCommand,
  EXIT_CODES,
  UsageError,
} from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { parseWholeNumber } from '@public-api/cli-kit/option-values'
import { textOption, textOptionOr } from '@public-api/cli-kit/options'
import { ApiError } from '@public-api/contract/errors/api-error'
import { API_KEY_LABEL_PATTERN } from '@public-api/contract/keys/api-key'
import { type Issuance, ISSUANCE } from '@public-api/contract/keys/issuance'
import { LIMITS } from '@public-api/contract/terms/limits'
import { createApiKeys, TooManyKeysError } from '../../service/api-keys/api-keys.ts'
import { SYSTEM_CLOCK } from '../../service/clock.ts'
import { createMemoryCounters } from '../../storage/counters/memory-counters.ts'
import type { ApiKeyStore } from '../../storage/stores/api-key-store.ts'
import { StorageError } from '../../storage/stores/storage-error.ts'
import { DATABASE_OPTION, databasePlace, readConfig, withDatabase } from '../database.ts'
import { readHashSecret } from '../hash-secret.ts'
import { writeToStandardOutput } from '../standard-output.ts'

const { minTtlDays, maxTtlDays, defaultTtlDays, maxActiveKeys, maxLabelLength } = LIMITS

const TTL_DAYS = { unit: 'days', least: minTtlDays, most: maxTtlDays }
const LABEL = new RegExp(API_KEY_LABEL_PATTERN)

function parseLabel(text: string | undefined): string | null {
  if (text === undefined) return null
  if (LABEL.test(text)) return text
  throw new UsageError(
    `--label expects 1 to ${maxLabelLength} letters, digits, spaces, ".", "_" and "-"`,
  )
}

/** Creates a key as the service does. Rejects with a CommandFailure or an error of the store. */
export async function issueKey(
  store: ApiKeyStore,
  hashSecret: string,
  wanted: { readonly label: string | null; readonly ttlDays: number },
) {
  const apiKeys = createApiKeys({
    store,
    counters: createMemoryCounters({ clock: SYSTEM_CLOCK }),
    clock: SYSTEM_CLOCK,
    hashSecret,
    // Used by checks only.
    previousHashSecrets: [],
    randomBytes,
    onRehashFailure: () => undefined,
  })
  try {
    return await apiKeys.issue(wanted)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // The service gives its callers only a code; the cause has the reason.
    if (error.cause instanceof StorageError) throw error.cause
    if (!(error.cause instanceof TooManyKeysError)) throw error
    throw new CommandFailure(
      'FULL',
      `the maximum of ${maxActiveKeys} keys is active; revoke one, or wait until one expires`,
    )
  }
}

/** `svc api-keys issue` with the registry's value of issuance. The program has only one such value. */
export function createIssueCommand(issuance: Issuance): Command {
  return createCommand({
    usage: 'api-keys issue [options]',
    about: `Creates an API key and prints it once, because only its hash is stored. Standard
output contains only the key; everything else goes to standard error.

While issuance is paused in the registry, no key is created. Only a reviewed
change of the registry resumes it, no option, variable or file.

Needs the key-hash secret of the service (SVC_API_KEY_HASH_SECRET or its file in the
secrets folder). At most ${maxActiveKeys} keys are active at one time, including those
that the service issued. The hourly limit of the service does not apply here.`,
    options: {
      label:
        textOption(`LABEL: a name for the key: 1 to ${maxLabelLength} letters, digits, spaces, "."
      "_" and "-" (default: none)`),
      'ttl-days': textOptionOr(
        String(defaultTtlDays),
        `DAYS: its lifetime, ${minTtlDays} to ${maxTtlDays} days`,
      ),
      database: DATABASE_OPTION,
    },
    json: 'print the key and its metadata as one JSON object',
    exit: '0 done, 1 issuance is paused or failure, 2 wrong usage',
    async run({ values }, output) {
      // Checked first, as in the service.
      if (!issuance.enabled) {
        throw new CommandFailure(
          'ISSUANCE_PAUSED',
          `issuing keys is paused in the registry (${issuance.reason}); only a reviewed change to the registry resumes it (packages/contract/keys/issuance.ts); no option, variable or file can`,
        )
      }
      const wanted = {
        label: parseLabel(values.label),
        ttlDays: parseWholeNumber('--ttl-days', values['ttl-days'], TTL_DAYS),
      }
      const { secret } = readHashSecret(readConfig(), 'keyHashSecret')
      const issued = await withDatabase(values.database, 'read-write', ({ apiKeys }) =>
        issueKey(apiKeys, secret, wanted),
      )
      const text = values.json ? formatJson({ ok: true, ...issued }) : issued.key
      if (!(await writeToStandardOutput(`${text}\n`))) {
        throw new CommandFailure(
          'UNREAD',
          `the key ${issued.keyId} was created but could not be printed, and it cannot be shown again; revoke it`,
        )
      }
      const { keyId, label, expiresAt } = issued
      const name = label === null ? keyId : `${keyId} (${label})`
      if (!values.json) {
        output.error(
          `Issued the key ${name} in ${databasePlace(values.database)}, valid until ${expiresAt}, under ${issuance.reference}. It is shown only once.`,
        )
      }
      return EXIT_CODES.done
    },
  })
}

export const command: Command = createIssueCommand(ISSUANCE)
