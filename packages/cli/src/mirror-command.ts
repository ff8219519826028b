import { createCommand, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import { printFinding } from './auditing/print-finding.ts'
import { checkpointLines, readPolicyFile, withLogErrors, witnessedAt } from './log/log-inputs.ts'
import { CopyFinding, mirror, type MirrorRun } from './log/mirror.ts'
import { parseOrigin } from './log/parse-origin.ts'
import { sanitizeForTerminal } from './verifying/sanitize-for-terminal.ts'

function nowLine(now: MirrorRun['now']): string {
  return 'snapshotId' in now
    ? `now.json: ${now.snapshotId} is the newest version of the service.`
    : `now.json is as it was: ${sanitizeForTerminal(now.reason, 300)}`
}

/** `svc mirror`: copies and verifies the published files of a service. */
export const command = createCommand({
  usage: 'mirror URL DIR --policy FILE [options]',
  about: `Copies the transparency log of a service and every published resource into DIR,
and verifies each file before it is written. DIR can be served by any static
host: svc audit and the library read it like the service. now.json proves how old the
copy is; clients read it while the service is away. Run it again to
continue; what is there and correct is kept, unless the service redacted it since.
A checkpoint that contradicts the copy is not taken: both are kept as evidence. So are both if the service has fewer
versions (LAGGING), which is a finding (WITHHELD) once the smaller checkpoint was
cosigned more than 10 minutes after that of the copy.`,
  options: { policy: textOption('FILE: whom you trust (c2sp.org/tlog-policy); required') },
  exit: `0 the copy is complete, 1 something must not be trusted, 2 wrong usage, 3 unreachable, or
    not settled: the service has fewer versions than the copy, as during a release`,
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [url, folder, ...rest] = positionals
    if (url === undefined || folder === undefined || rest.length > 0) {
      throw new UsageError('expected the URL of a service and a folder')
    }
    if (values.policy === undefined) throw new UsageError('expected --policy FILE')
    const base = parseOrigin(url)
    const policy = await readPolicyFile(values.policy)
    try {
      const report = await withLogErrors(() => mirror(base, folder, policy, Date.now()), base)
      const { checkpoint, added, redacted, removed, now } = report
      const { origin, size } = checkpoint
      const more = redacted === 0 ? '' : `, ${redacted} redacted (unsigned)`
      return {
        json: {
          folder,
          origin,
          size,
          witnessedAt: witnessedAt(checkpoint),
          added,
          redacted,
          removed,
          now,
        },
        lines: [
          `Copied to ${folder}: ${added} new files${more}.`,
          removed > 0 && `${pluralOf(removed, 'file')} removed, because the service redacted them.`,
          ...checkpointLines(checkpoint),
          nowLine(now),
        ],
      }
    } catch (error) {
      if (!(error instanceof CopyFinding)) throw error
      const { message, finding } = error
      const exitCode = finding.code === 'LAGGING' ? EXIT_CODES.unreachable : EXIT_CODES.failure
      const { evidenceFile } = finding
      const { json } = values
      return printFinding(
        { ...finding, message },
        { evidenceFile, json, exitCode, mayBeThere: true },
        output,
      )
    }
  },
})
