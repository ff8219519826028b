import type { PublishedSigningKey } from '../../service/signing-key-document.ts'
import { periodStateOf } from '../../service/signing-key-document.ts'
import { createCommand, EXIT_CODES } from '../../../packages/cli/src/command/command.ts'
import { readConfig } from '../database.ts'
import { type KeyFiles, readKeyFiles, toMetadata } from './key-files.ts'

const PERIOD_LABELS = { before: 'not valid yet', within: 'valid', after: 'expired' } as const

function fileOf(key: PublishedSigningKey, { current, next, paths }: KeyFiles): string | null {
  if (key.keyId === current?.keyId) return paths.current
  return key.keyId === next?.keyId ? paths.next : null
}

/** `svc signing-key list`. */
export const command = createCommand({
  usage: 'signing-key list [options]',
  about: `Lists the published signing keys: key id, status, period, whether the period
includes now, and the file of the private key where it is present. Changes
nothing.`,
  options: {},
  exit: '0 done, 1 the current key has expired or a file is invalid, 2 wrong usage',
  async run() {
    const files = readKeyFiles(readConfig())
    const nowMs = Date.now()
    const rows = files.keys.map((key) => ({
      ...toMetadata(key),
      period: PERIOD_LABELS[periodStateOf(key, nowMs)],
      privateKey: fileOf(key, files),
    }))
    const lines = rows.flatMap(({ keyId, status, notBefore, notAfter, period, privateKey }) => [
      `${keyId}  ${status.padEnd(7)}  ${period}`,
      `  valid from ${notBefore ?? 'any time'} until ${notAfter ?? 'further notice'}`,
      ...(privateKey === null ? [] : [`  private key: ${privateKey}`]),
    ])
    const hasExpired = rows.some(
      ({ status, period }) => status === 'current' && period === 'expired',
    )
    return {
      json: { keys: rows },
      lines: lines.length === 0 ? ['No signing key. Create one with svc signing-key new.'] : lines,
      exitCode: hasExpired ? EXIT_CODES.failure : EXIT_CODES.done,
    }
  },
})
