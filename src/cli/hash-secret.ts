import path from 'node:path'
import { CommandFailure } from '@public-api/cli-kit/command'
import { formatConfigMistake } from '../config-mistake.ts'
import { type Config, SECRET_VARIABLES } from '../config.ts'
import { inspectSecrets } from '../secrets.ts'

/** The hash secrets of commands, each with its name and the failure code when it is missing. */
const HASH_SECRETS = {
  addressHashSecret: { name: 'address-hash secret', code: 'ADDRESS_HASH_SECRET' },
  keyHashSecret: { name: 'key-hash secret', code: 'KEY_HASH_SECRET' },
} as const

/** A hash secret of the service and its place. Creates none. Throws a CommandFailure. */
export function readHashSecret(
  config: Config,
  which: keyof typeof HASH_SECRETS,
): { readonly secret: string; readonly place: string } {
  const { variable, file } = SECRET_VARIABLES[which]
  const inFolder = path.join(config.secretsDir, file)
  const { secrets, mistakes } = inspectSecrets(config, Date.now())
  const secret = secrets[which]
  if (secret !== undefined) {
    return { secret, place: config.secretVariables[which] === undefined ? inFolder : variable }
  }
  const mistake = mistakes.find((each) => [variable, inFolder].includes(each.variable))
  const { name, code } = HASH_SECRETS[which]
  throw new CommandFailure(
    code,
    mistake === undefined
      ? `expected the ${name} in ${variable} or ${inFolder}, found neither`
      : formatConfigMistake(mistake),
  )
}
