import { type CommandOutput, UsageError } from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import { parsePins } from '../verifying/address.ts'

/** `--pin-from` of the commands that trust keys. */
export const PIN_FROM_OPTION =
  textOption(`SOURCE: trust the key IDs that the operator publishes elsewhere: dns:HOST, or
      the https:// URL of a JSON file (svc signing-key record prints both); http://
      only for this machine, such as http://localhost`)

interface PinChoice {
  readonly pin: readonly string[] | undefined
  readonly pinFrom: string | undefined
}

/**
 * The key IDs to trust for the service at `origin`; undefined without either option. Warns if the way to the source is
 * not protected. Rejects with a UsageError, or with a CommandFailure if the source gives no record (exit code 3).
 */
export async function choosePins(
  { pin, pinFrom }: PinChoice,
  origin: string,
  output: CommandOutput,
): Promise<readonly string[] | undefined> {
  if (pinFrom === undefined) return parsePins(pin)
  if (pin !== undefined) throw new UsageError('expected either --pin or --pin-from')
  // Loaded on demand, with a DNS client.
  const { parsePinSource, readKeyRecord } = await import('./pin-source.ts')
  const source = parsePinSource(pinFrom)
  const { keyIds, warning } = await readKeyRecord(source, URL.parse(origin)?.host ?? '')
  if (warning !== undefined) output.error(`warning: ${warning}`)
  return keyIds
}
