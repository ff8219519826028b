import { CommandFailure, createCommand, UsageError } from '@public-api/cli-kit/command'
import { pluralOf } from '@public-api/cli-kit/wording'
import { formatVersions } from './find.ts'
import { openReleasesFolder } from './releases-folder.ts'

export const command = createCommand({
  usage: 'verify-releases [DIR] [options]',
  about: `Checks a releases folder from end to end: every version with its hash and its
changes, the digest of every resource of every version, and every redaction.
Nothing is written.

  DIR              folder with the published releases
                   (default: SVC_RELEASES_DIR, else releases)`,
  options: {},
  exit: '0 everything matches, 1 findings or failure, 2 wrong usage',
  takesArguments: true,
  async run({ positionals }) {
    if (positionals.length > 1) throw new UsageError('expected at most one folder')
    const { folder, store } = openReleasesFolder(positionals[0])
    const { verifyReleases } = await import('../publishing/releases/verify-releases.ts')
    const { versions, resources, redacted, findings } = await verifyReleases(store)
    const redactions = redacted.length
    if (findings.length > 0) {
      throw new CommandFailure(
        'FINDINGS',
        `${folder} has ${pluralOf(findings.length, 'finding')}`,
        {
          details: findings.map(({ where, message }) => `${where}: ${message}`),
          members: { folder, findings },
        },
      )
    }
    const head = versions.at(-1)?.snapshotId
    return {
      json: { folder, head, versions: versions.length, resources, redactions, redacted, findings },
      lines: [
        `${folder} is intact up to ${head}: ${pluralOf(versions.length, 'version')}, ${pluralOf(resources, 'resource')}, ${pluralOf(redactions, 'redaction')}.`,
        ...redacted.map(
          ({ resource, snapshotIds, redactedAt, reason }) =>
            `  redacted: ${resource} of ${formatVersions(snapshotIds)}, ${redactedAt}, ${reason}`,
        ),
      ],
    }
  },
})
