import type { Config } from '../../config.ts'
import { promoteNextKey } from '../../service/signing-key-rotation.ts'
import type { PublishedSigningKey } from '../../service/signing-key-document.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'
import { createCommand } from '../../../packages/cli/src/command/command.ts'
import { textOptionOr } from '../../../packages/cli/src/command/options.ts'
import { readConfig } from '../database.ts'
import { parseWholeNumber } from '../../../packages/cli/src/command/option-values.ts'
import {
  APPLY_ADVICE,
  readKeyFiles,
  refuseAsFailure,
  replaceCurrentKey,
  toMetadata,
  writeKeyMetadata,
} from './key-files.ts'

const HOUR_MS = 3_600_000

/** Promotes the announced key and returns its metadata. Throws a CommandFailure. */
export function promoteSigningKey(
  config: Config,
  nowMs: number,
  overlapMs: number,
): PublishedSigningKey {
  const files = readKeyFiles(config)
  const { keys, next, paths } = files
  const pending = keys.find(({ keyId, status }) => keyId === next?.keyId && status === 'current')
  // The metadata is the commit point: the server finds the private key under either name.
  if (pending !== undefined) {
    replaceCurrentKey(files)
    return pending
  }
  const promoted = refuseAsFailure(() => promoteNextKey(keys, nowMs, overlapMs))
  const current = promoted.find(({ status }) => status === 'current')
  if (current === undefined || current.keyId !== next?.keyId) {
    throw new CommandFailure(
      'SIGNING_KEYS',
      `expected the private key of ${current?.keyId ?? 'the announced key'} in ${paths.next}, found ${next?.keyId ?? 'no file'}`,
    )
  }
  writeKeyMetadata(paths.metadata, promoted)
  replaceCurrentKey(files)
  return current
}

/** `svc signing-key promote`. */
export const command = createCommand({
  usage: 'signing-key promote [options]',
  about: `Makes the announced key the current one. The previous key becomes retired and
its private half is deleted. Its signatures stay valid for the overlap; reload
the server within that time. To finish an interrupted promotion, run the command
again.`,
  options: {
    'overlap-hours': textOptionOr('24', 'N: how long the retired key stays valid, 0 to 8760'),
  },
  async run({ values }) {
    const overlapHours = parseWholeNumber('--overlap-hours', values['overlap-hours'], {
      unit: 'hours',
      least: 0,
      most: 8760,
    })
    const key = promoteSigningKey(readConfig(), Date.now(), overlapHours * HOUR_MS)
    return {
      json: { key: toMetadata(key) },
      lines: [`Promoted signing key ${key.keyId}.`, APPLY_ADVICE],
    }
  },
})
