import { CommandFailure, createCommand } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { API_KEY_ID_LENGTH, API_KEY_PREFIX } from '@public-api/contract/keys/api-key'
import { formatInstant } from '@public-api/contract/text/instant'
import { formatLocation } from '../../storage/open-storage.ts'
import { DATABASE_OPTION, databaseLocation, withDatabase } from '../database.ts'
import { readOneLine } from '../standard-input.ts'
import { parseKeyId } from './key-id.ts'

export const command = createCommand({
  usage: 'api-keys revoke [KEYID] [options]',
  about: `Revokes an API key permanently, from its next request on, also while the service
runs. KEYID is only the ID of the key, the ${API_KEY_ID_LENGTH} digits between "${API_KEY_PREFIX}" and the
next "_": a whole key is refused, because its secret must not be in the shell
history. For a revoked key, prints the time of its revocation.

Without KEYID, or with -, the ID is read from standard input.`,
  options: {
    database: DATABASE_OPTION,
  },
  exit: '0 revoked, now or before, 1 no such key or failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    const given = onlyArgument(positionals, 'key ID', '-')
    const keyId = parseKeyId(
      given === '-' ? await readOneLine('key ID', 'ID of the key to revoke: ') : given,
    )
    const database = databaseLocation(values.database)
    const nowMs = Date.now()
    const { key, revokedAtMs } = await withDatabase(
      database,
      'read-write',
      async ({ apiKeys }) => ({
        key: await apiKeys.find(keyId),
        revokedAtMs: await apiKeys.revoke(keyId, nowMs),
      }),
    )
    if (key === undefined || revokedAtMs === undefined) {
      throw new CommandFailure('UNKNOWN_KEY', `no key ${keyId} in ${formatLocation(database)}`)
    }
    // Another process may have revoked it since it was read.
    const wasRevoked = key.revokedAtMs !== null || revokedAtMs !== nowMs
    const { label } = key
    const place = formatLocation(database)
    const name = label === null ? keyId : `${keyId} (${label})`
    const revokedAt = formatInstant(revokedAtMs)
    return {
      json: { keyId, label, status: 'revoked', revokedAt, wasRevoked },
      lines: [
        wasRevoked
          ? `The key ${name} in ${place} has been revoked since ${revokedAt}; nothing was changed.`
          : `Revoked the key ${name} in ${place} at ${revokedAt}; its next request is refused.`,
      ],
    }
  },
})
