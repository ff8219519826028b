import type { Config } from '../../config.ts'
import { formatInstant } from '../../contract/instant.ts'
import { retireKey } from '../../service/signing-key-rotation.ts'
import { createCommand, UsageError } from '../../../packages/cli/src/command/command.ts'
import { textOption } from '../../../packages/cli/src/command/options.ts'
import { readConfig } from '../database.ts'
import { parseInstantOption } from '../../../packages/cli/src/command/option-values.ts'
import {
  APPLY_ADVICE,
  deleteNextKey,
  readKeyFiles,
  refuseAsFailure,
  writeKeyMetadata,
} from './key-files.ts'

/** Result of the retirement. */
type Retirement = 'withdrawn' | 'ended'

/** Withdraws an announced key or ends the period of a retired one. Throws a CommandFailure. */
export function retireSigningKey(config: Config, keyId: string, notAfter: string): Retirement {
  const files = readKeyFiles(config)
  const keys = refuseAsFailure(() => retireKey(files.keys, keyId, notAfter))
  writeKeyMetadata(files.paths.metadata, keys)
  if (keys.length === files.keys.length) return 'ended'
  if (files.next?.keyId === keyId) deleteNextKey(files)
  return 'withdrawn'
}

/** `svc signing-key retire`. */
export const command = createCommand({
  usage: 'signing-key retire KEYID [options]',
  about: `Withdraws an announced key (its private half is deleted; it has signed nothing),
or ends the period of a retired key, for example after its private half leaked:
verifiers then refuse later signatures of this key. The current key cannot be
retired; promote another one first. Write -- before a KEYID that begins with a
hyphen.`,
  options: {
    'not-after': textOption(`TIME: when the retired key's period ends, such as 2027-01-31T00:00:00Z
      (default: now)`),
  },
  takesArguments: true,
  async run({ values, positionals }) {
    const [keyId, ...others] = positionals
    // Not repeated in the message: a private key may have been pasted by mistake.
    if (keyId === undefined || others.length > 0 || !/^[\w-]{43}$/.test(keyId)) {
      throw new UsageError(
        'expected one key id of 43 characters, as svc signing-key list prints it',
      )
    }
    const end = parseInstantOption('--not-after', values['not-after']) ?? formatInstant(Date.now())
    const retirement = retireSigningKey(readConfig(), keyId, end)
    const done =
      retirement === 'withdrawn'
        ? `Withdrew signing key ${keyId}.`
        : `Signatures of key ${keyId} made after ${end} are no longer valid.`
    return { json: { keyId, retirement }, lines: [done, APPLY_ADVICE] }
  },
})
