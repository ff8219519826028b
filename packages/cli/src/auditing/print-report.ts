import type { CommandOutput } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { pluralOf } from '@public-api/cli-kit/wording'
import type { KeyChange } from '@public-api/client-internal/history/audit-history'
import type { LogReport } from '@public-api/client-internal/log/compare-log'
import { noticesOf } from '@public-api/contract/registry/release-notices'
import { formatRemovedEvent } from '@public-api/contract/snapshots/removed-events'
import { checkpointLines, describeCheckpoint } from '../log/log-inputs.ts'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import { UNPINNED_WARNING } from '../verifying/unpinned-warning.ts'
import { describeVersion, formatChanges, formatVersion } from './describe-version.ts'
import type { AuditSettings, FullReport } from './run-audit.ts'

/** Maximum number of printed versions, the newest ones. */
const MAX_PRINTED = 20

/** The warning about an unannounced signing key. */
function keyWarning({ from, to }: KeyChange): string {
  return `warning: the signing key changed from ${from} to ${to} without an announcement that an earlier audit saw. Ask the operator, through another channel, whether ${to} is theirs`
}

function printNewVersions({ newVersions, keyId }: FullReport, output: CommandOutput): void {
  if (newVersions.length === 0) {
    output.out('No new versions.')
    return
  }
  const printed = newVersions.slice(-MAX_PRINTED)
  const omitted = newVersions.length - printed.length
  output.out(`${pluralOf(newVersions.length, 'new version')}, signed by ${keyId}:`)
  if (omitted > 0) output.out(`  (${omitted} older ones; --json lists them all)`)
  for (const version of printed) {
    output.out(`  ${formatVersion(version)}`)
    output.out(`      ${formatChanges(version)}`)
  }
}

function printLog(log: LogReport, output: CommandOutput): void {
  for (const line of checkpointLines(log.checkpoint)) output.out(line)
  if (log.previousSize !== undefined) {
    output.out(`It extends the log of the last audit, ${pluralOf(log.previousSize, 'version')}.`)
  }
  const { size } = log.checkpoint
  if (log.pending > 0) {
    output.out(
      `The API has ${pluralOf(size + log.pending, 'version')}, and the log ${size}: the rest may follow within 24 hours.`,
    )
  }
  for (const { name, size: seen } of log.witnesses) {
    output.out(
      seen === undefined
        ? `The witness ${name} does not say what it saw.`
        : `The witness ${name} saw ${pluralOf(seen, 'version')}.`,
    )
  }
  for (const copy of log.mirrors) {
    output.out(`The copy ${copy.url} has the same history, ${pluralOf(copy.size, 'version')}.`)
  }
}

/** The log as one JSON object. */
function describeLog({ checkpoint, previousSize, pending, mirrors, witnesses }: LogReport): object {
  return {
    ...describeCheckpoint(checkpoint),
    previousSize: previousSize ?? null,
    pending,
    mirrors,
    witnesses: witnesses.map(({ name, size }) => ({ name, size: size ?? null })),
  }
}

function printText(report: FullReport, settings: AuditSettings, output: CommandOutput): void {
  const { head, previousHead, versionsRead, resources, unavailable } = report
  output.out(
    `The history is valid. Newest version: ${sanitizeForTerminal(head.snapshotId)} (${head.hash}).`,
  )
  output.out(`${pluralOf(versionsRead, 'version')} recomputed.`)
  if (previousHead !== undefined) {
    const relation = previousHead.hash === head.hash ? 'is' : 'continues'
    output.out(
      `It ${relation} the head of the last audit${relation === 'is' ? '' : ` (${sanitizeForTerminal(previousHead.snapshotId)})`}.`,
    )
  } else {
    output.out(
      settings.stateFile === undefined
        ? 'No earlier audit to compare with; --state FILE saves the head for the next one.'
        : `This was the first audit. Its head is saved in ${settings.stateFile}.`,
    )
  }
  printNewVersions(report, output)
  output.out(
    `${pluralOf(resources.length, 'resource')} ${resources.length === 1 ? 'matches' : 'match'} the newest version.`,
  )
  if (unavailable.length > 0) {
    output.out(`Unavailable at the moment: ${sanitizeForTerminal(unavailable.join(', '), 2000)}.`)
  }
  for (const { resource, redactedAt, reason } of report.redactions.slice(0, MAX_PRINTED)) {
    output.out(
      `Redacted: ${sanitizeForTerminal(resource)} at ${sanitizeForTerminal(redactedAt, 40)} (${sanitizeForTerminal(reason)}).`,
    )
  }
  for (const { snapshotId, ...event } of report.removed.slice(-MAX_PRINTED)) {
    output.out(sanitizeForTerminal(`${snapshotId} ${formatRemovedEvent(event)}.`, 400))
  }
  if (report.log !== undefined) printLog(report.log, output)
  if (settings.pinnedKeyIds === undefined) output.out(UNPINNED_WARNING)
}

/** The report as one JSON object. */
function describe(
  report: FullReport,
  { pinnedKeyIds }: AuditSettings,
  notices: ReturnType<typeof noticesOf>,
): object {
  const { head, previousHead, keyId, keyChange, newVersions, log, ...counts } = report
  const { snapshotId, sequence, createdAt, previousHash, hash } = head
  return {
    ok: true,
    isPinned: pinnedKeyIds !== undefined,
    head: { snapshotId, sequence, createdAt, previousHash, hash },
    previousHead: previousHead ?? null,
    keyId,
    keyChange: keyChange ?? null,
    newVersions: newVersions.map((version) => describeVersion(version, keyId)),
    ...counts,
    ...(log === undefined ? {} : { log: describeLog(log) }),
    warnings: [
      ...(keyChange?.isAnnounced === false ? ['UNANNOUNCED_KEY'] : []),
      ...notices.map(({ code }) => code),
    ],
  }
}

/** Prints the report of an audit; with `quiet`, only warnings. */
export function printReport(
  report: FullReport,
  settings: AuditSettings & { readonly json: boolean },
  output: CommandOutput,
): void {
  const { keyChange, head } = report
  const notices = noticesOf(head, Date.now())
  if (keyChange?.isAnnounced === false) output.error(keyWarning(keyChange))
  for (const { text } of notices) output.error(`warning: ${sanitizeForTerminal(text, 1000)}`)
  if (settings.json) output.out(formatJson(describe(report, settings, notices)))
  else if (!settings.quiet) printText(report, settings, output)
}
