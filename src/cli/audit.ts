import {
  type Command,
  CommandFailure,
  createCommand,
  UsageError,
} from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { pluralOf } from '@public-api/cli-kit/wording'
import { command as auditService } from '@public-api/cli/src/audit-command.ts'
import { formatRemovedEvent } from '@public-api/contract/snapshots/removed-events'
import { formatVersions } from './find.ts'
import { openExistingReleases } from './releases-folder.ts'

const auditFolder = createCommand({
  usage: 'audit DIR [--json]',
  about: `With DIR, checks a releases folder from end to end: every version with its hash and
its changes, the digest of every resource of every version, and every redaction.
Nothing is written.`,
  options: {},
  takesArguments: true,
  async run({ positionals }) {
    const { folder, store } = openExistingReleases(onlyArgument(positionals, 'folder'))
    const { verifyReleases } = await import('../publishing/releases/verify-releases.ts')
    const { versions, resources, redacted, removed, findings } = await verifyReleases(store)
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
      json: {
        folder,
        head,
        versions: versions.length,
        resources,
        redactions,
        redacted,
        removed,
        findings,
      },
      lines: [
        `${folder} is intact up to ${head}: ${pluralOf(versions.length, 'version')}, ${pluralOf(resources, 'resource')}, ${pluralOf(redactions, 'redaction')}.`,
        ...redacted.map(
          ({ resource, snapshotIds, redactedAt, reason }) =>
            `  redacted: ${resource} of ${formatVersions(snapshotIds)}, ${redactedAt}, ${reason}`,
        ),
        ...removed.map(
          ({ snapshotId, ...event }) => `  ${snapshotId} ${formatRemovedEvent(event)}`,
        ),
      ],
    }
  },
})

/** `svc audit` of a service, by its URL, or of a releases folder. */
export const command: Command = {
  ...auditService,
  usage: [auditService.usage, auditFolder.usage].flat(),
  about: `${auditService.about}\n\n${auditFolder.about}`,
  async run(parsed, output, toFailure) {
    const [given] = parsed.positionals
    if (given === undefined || /^[a-z]+:\/\//i.test(given)) {
      return auditService.run(parsed, output, toFailure)
    }
    const other = Object.entries(parsed.values).find(
      ([name, value]) =>
        name !== 'json' && (value || undefined) !== auditService.options[name]?.default,
    )
    if (other !== undefined)
      throw new UsageError(`--${other[0]} is for a service, and ${given} is a folder`)
    return auditFolder.run(parsed, output, toFailure)
  },
}
