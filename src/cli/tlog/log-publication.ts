import type { CosignReport } from '../../tlog/signing/cosign-log.ts'
import type { LogPublication } from '../../tlog/signing/published-log.ts'
import { readConfig } from '../database.ts'

/** The log of a releases folder, with the secrets of this machine. Throws a ConfigError. */
export function logPublication(releasesDir: string): LogPublication {
  const { secretsDir } = readConfig(['SVC_SECRETS_DIR', 'SVC_LOG_KEY'])
  const keyText = process.env['SVC_TLOG_KEY']
  return { releasesDir, secrets: { secretsDir, keyText: keyText === '' ? undefined : keyText } }
}

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
      ? `The log ${origin} in ${folder} serves ${size} versions.`
      : `The policy of the log in ${folder} is not met for ${size} versions: ${missing.join(', ')} missing; ${served}. svc tlog cosign asks again.`,
    ...witnessLines(report),
  ]
}
