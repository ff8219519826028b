import path from 'node:path'
import { pluralOf } from '@public-api/cli-kit/wording'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { CosignOptions, CosignReport } from '../../tlog/signing/cosign-log.ts'
import type { LogPublication } from '../../tlog/signing/published-log.ts'
import { TlogError } from '../../tlog/tlog-error.ts'
import { readConfig } from '../database.ts'

/** The log of a releases folder, with the secrets of this machine. Throws a ConfigError. */
export function logPublication(releasesDir: string): LogPublication {
  // The last one is the former name of SVC_TLOG_KEY, which is refused: the key would silently not be used.
  const config = readConfig(['SVC_SECRETS_DIR', 'SVC_TLOG_KEY_FILE', 'SVC_LOG_KEY'])
  const { tlogKeyFile: keyFile } = config
  const secretsDir = keyFile === undefined ? config.secretsDir : path.dirname(keyFile)
  const keyText = process.env['SVC_TLOG_KEY'] || undefined
  return { releasesDir, secrets: { secretsDir, keyFile, keyText } }
}

/**
 * Signs the versions that the log of a folder lacks, if this process has its key, and asks the witnesses. `pending` is why
 * versions are not signed. Rejects with a TlogError, such as for versions that contradict what was signed.
 */
export async function extendLog(
  releasesDir: string,
  read: () => readonly VersionEntry[],
  asks: CosignOptions['asks'],
): Promise<{ readonly report: CosignReport; readonly pending: string | undefined }> {
  const { signLog } = await import('../../tlog/signing/published-log.ts')
  const { cosignLog } = await import('../../tlog/signing/cosign-log.ts')
  const reason = await stopsAtContradiction(() => signLog(logPublication(releasesDir), read))
  const report = await cosignLog({ releasesDir, nowMs: Date.now(), asks }, read)
  const versions = read()
  const missing = versions.slice(report.size).map(({ snapshotId }) => snapshotId)
  const [first, last] = [missing[0], missing.at(-1)]
  const named = first === last ? `${first} is` : `${first} to ${last} are`
  const isPending = reason !== undefined && first !== undefined
  return { report, pending: isPending ? `${named} pending in the log: ${reason}` : undefined }
}

/** The reason why work on the log failed; undefined if it did not. Rejects if versions contradict what was signed. */
export async function stopsAtContradiction(
  work: () => Promise<unknown>,
): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof TlogError && error.code !== 'BEHIND') return error.message
    throw error
  }
}

/** What follows the reason why versions are pending. */
export const PENDING_ADVICE =
  'svc tlog cosign signs what is pending, as a user who can read the key'

const LABELS = {
  cosigned: 'cosigned',
  alarm: 'ALARM',
  'not-configured': 'not configured',
  failed: 'failed',
  skipped: 'not asked',
} as const

/** What the witnesses did, as lines for a person. */
export function witnessLines({ witnesses }: Pick<CosignReport, 'witnesses'>): readonly string[] {
  return witnesses.map(({ name, outcome, detail, cosignedAt }) => {
    const at = cosignedAt === null ? '' : ` at ${cosignedAt}`
    return `  ${name}: ${LABELS[outcome]}${outcome === 'cosigned' ? at : `: ${detail}`}`
  })
}

/** The state after the witnesses were asked, as lines for a person. */
export function cosignLines(report: CosignReport, folder: string): readonly string[] {
  const { origin, size, servedSize, isMet, witnesses } = report
  const missing = witnesses.filter(({ cosignedAt }) => cosignedAt === null).map(({ name }) => name)
  const served =
    servedSize === 0 ? 'no checkpoint is served' : `the checkpoint of ${servedSize} stays served`
  return [
    isMet
      ? `The log ${origin} in ${folder} serves ${pluralOf(size, 'version')}.`
      : `The policy of the log in ${folder} is not met for ${pluralOf(size, 'version')}: ${missing.join(', ')} missing; ${served}. svc tlog cosign asks again.`,
    ...witnessLines(report),
  ]
}
