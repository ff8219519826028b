import type { Config } from '../../config.ts'
import { formatInstant } from '../../contract/instant.ts'
import type { PublishedSigningKey } from '../../service/signing-key-document.ts'
import type { KeyPeriod } from '../../service/signing-key-document.ts'
import { checkNewKey } from '../../service/signing-key-rotation.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'
import { createCommand } from '../../../packages/cli/src/command/command.ts'
import { textOption } from '../../../packages/cli/src/command/options.ts'
import { readConfig } from '../database.ts'
import { parseInstantOption } from '../../../packages/cli/src/command/option-values.ts'
import {
  APPLY_ADVICE,
  createPrivateKey,
  readKeyFiles,
  refuseAsFailure,
  toMetadata,
  writeKeyMetadata,
} from './key-files.ts'

/**
 * Creates the first key or the next one and returns its metadata. A next private key that an interrupted run left behind
 * is announced rather than replaced. Throws a CommandFailure.
 */
export function createSigningKey(
  config: Config,
  period: KeyPeriod,
  nowMs: number,
): PublishedSigningKey {
  const { keys, current, next, paths } = readKeyFiles(config)
  if (current !== undefined) {
    refuseAsFailure(() => checkNewKey(keys, period, nowMs))
    const key = { ...(next ?? createPrivateKey(paths.next)), status: 'next', ...period } as const
    writeKeyMetadata(paths.metadata, [...keys, key])
    return key
  }
  if (keys.some(({ status }) => status === 'current')) {
    throw new CommandFailure(
      'SIGNING_KEYS',
      `${paths.metadata} marks a key as current, but ${paths.current} does not exist; restore the private key, or mark that key as retired`,
    )
  }
  const first = { ...period, notBefore: period.notBefore ?? formatInstant(nowMs) }
  refuseAsFailure(() => checkNewKey(keys, first, nowMs))
  const key = { ...createPrivateKey(paths.current), status: 'current', ...first } as const
  writeKeyMetadata(paths.metadata, [key, ...keys])
  return key
}

/** `svc signing-key new`. */
export const command = createCommand({
  usage: 'signing-key new [options]',
  about: `Creates an Ed25519 signing key in the secrets folder. Without a current key it
becomes the current one; otherwise it is announced as the next one, so that
clients can pin it before it signs anything. Periods are checked before any file
is written.`,
  options: {
    'not-before': textOption(`TIME: start of its period, such as 2027-01-31T00:00:00Z
      (default: now for the first key, its promotion for the next one)`),
    'not-after': textOption('TIME: end of its period (default: no end)'),
  },
  async run({ values }) {
    const key = createSigningKey(
      readConfig(),
      {
        notBefore: parseInstantOption('--not-before', values['not-before']),
        notAfter: parseInstantOption('--not-after', values['not-after']),
      },
      Date.now(),
    )
    const done =
      key.status === 'current'
        ? `Created signing key ${key.keyId}. It signs responses from the next start on.`
        : `Announced signing key ${key.keyId} as the next one. It signs after svc signing-key promote.`
    return { json: { key: toMetadata(key) }, lines: [done, APPLY_ADVICE] }
  },
})
