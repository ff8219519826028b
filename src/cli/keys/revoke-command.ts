import { API_KEY_ID_LENGTH, API_KEY_PREFIX } from '../../contract/api-key.ts'
import { formatInstant } from '../../contract/instant.ts'
import type { ApiKeyStore, StoredApiKey } from '../../storage/api-key-store.ts'
import { formatLocation } from '../../storage/open-storage.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'
import { createCommand, UsageError } from '../../../packages/cli/src/command/command.ts'
import { DATABASE_OPTION, databaseLocation, withStorage } from '../database.ts'
import { readOneLine } from '../standard-input.ts'
import { parseKeyId } from './key-id.ts'

/** The result of a revocation. */
interface Revocation {
  readonly key: StoredApiKey
  readonly revokedAtMs: number
  readonly wasRevoked: boolean
}

async function readKeyId(positionals: readonly string[]): Promise<string> {
  if (positionals.length > 1) throw new UsageError('expected one key id')
  const [given = '-'] = positionals
  return parseKeyId(
    given === '-' ? await readOneLine('key id', 'Id of the key to revoke: ') : given,
  )
}

/** Undefined for an unknown key. */
async function revokeKey(
  store: ApiKeyStore,
  keyId: string,
  nowMs: number,
): Promise<Revocation | undefined> {
  const key = await store.find(keyId)
  const revokedAtMs = await store.revoke(keyId, nowMs)
  if (key === undefined || revokedAtMs === undefined) return undefined
  // Another process may have revoked it since it was read.
  return { key, revokedAtMs, wasRevoked: key.revokedAtMs !== null || revokedAtMs !== nowMs }
}

function formatRevocation({ key, revokedAtMs, wasRevoked }: Revocation): string {
  const { keyId, label } = key
  const name = label === null ? keyId : `${keyId} (${label})`
  const moment = formatInstant(revokedAtMs)
  return wasRevoked
    ? `The key ${name} has been revoked since ${moment}; nothing was changed.`
    : `Revoked the key ${name} at ${moment}; its next request is refused.`
}

/** `svc keys revoke`. */
export const command = createCommand({
  usage: 'keys revoke [KEYID] [options]',
  about: `Revokes an API key permanently, from its next request on, also while the service
runs. KEYID is only the id of the key, the ${API_KEY_ID_LENGTH} digits between "${API_KEY_PREFIX}" and the
next "_": a whole key is refused, because its secret must not be in the shell
history. For a revoked key, prints the time of its revocation.

Without KEYID, or with -, the id is read from standard input.`,
  options: {
    database: DATABASE_OPTION,
  },
  exit: '0 revoked, now or before, 1 no such key or failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    const keyId = await readKeyId(positionals)
    const database = databaseLocation(values.database)
    const revocation = await withStorage(database, 'read-write', ({ apiKeys }) =>
      revokeKey(apiKeys, keyId, Date.now()),
    )
    if (revocation === undefined) {
      throw new CommandFailure('UNKNOWN_KEY', `no key ${keyId} in ${formatLocation(database)}`)
    }
    return {
      json: {
        keyId,
        label: revocation.key.label,
        status: 'revoked',
        revokedAt: formatInstant(revocation.revokedAtMs),
        wasRevoked: revocation.wasRevoked,
      },
      lines: [formatRevocation(revocation)],
    }
  },
})
