import { CommandFailure, createCommand, UsageError } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { formatResource } from './format-diff.ts'
import { openReadableReleases, RELEASES_OPTION } from './releases-folder.ts'

export const command = createCommand({
  usage: 'show VS-NNNN [RESOURCE] [options]',
  about: `Shows a published version, or every text of one of its resources.

  VS-NNNN          a version
  RESOURCE         its name, such as status or wallet/security`,
  options: { releases: RELEASES_OPTION },
  json: 'print the version or the data of the resource as one JSON object',
  exit: '0 done, 1 no such version or resource, or a damaged one, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    const [snapshotId, resource, ...others] = positionals
    if (snapshotId === undefined || others.length > 0) {
      throw new UsageError('expected a version and at most one resource, such as VS-0001 status')
    }
    const { store } = openReadableReleases(values.releases)
    const { readVersions, requireVersion, resourceFault } =
      await import('../publishing/releases/published-versions.ts')
    const entry = requireVersion(readVersions(store), snapshotId)
    if (resource === undefined) {
      return {
        json: entry,
        lines: [
          `${snapshotId}  ${entry.createdAt}  ${entry.hash}`,
          `  ${formatJson(entry.note)}`,
          ...entry.changes.map((change) => `  ${change.kind}: ${change.resource}`),
          ...Object.entries(entry.resources).map(([name, digest]) => `  ${digest}  ${name}`),
        ],
      }
    }
    const digest = Object.hasOwn(entry.resources, resource) ? entry.resources[resource] : undefined
    if (digest === undefined) {
      const names = Object.keys(entry.resources).join(', ')
      throw new CommandFailure('RESOURCE', `${snapshotId} has no such resource; expected ${names}`)
    }
    const redaction = store.readRedaction(resource, digest)
    if (redaction !== undefined) {
      const { redactedAt, reason } = redaction
      throw new CommandFailure('REDACTED', `${resource} was redacted at ${redactedAt}: ${reason}`)
    }
    const fault = resourceFault(store, resource, digest)
    if (fault !== undefined)
      throw new CommandFailure('DAMAGED', `${snapshotId} ${resource}: ${fault}`)
    const data = JSON.parse(store.readResourceText(resource, digest)) as JsonValue
    return {
      json: { snapshotId, resource, digest, data },
      lines: formatResource(data),
    }
  },
})
