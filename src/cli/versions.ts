import { createCommand } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { numberOption } from '@public-api/cli-kit/option-values'
import { openReadableReleases, RELEASES_OPTION } from './releases-folder.ts'

export const command = createCommand({
  usage: 'versions [--limit N] [options]',
  about: `Lists the published versions, newest first, with their times, notes and changes,
and what was redacted from them, when and why. The whole chain is checked first.`,
  options: {
    limit: numberOption('N: only the newest N versions', [1, 1_000_000_000]),
    releases: RELEASES_OPTION,
  },
  json: 'print the entries as one JSON object, newest first',
  exit: '0 done, 1 a damaged history or failure, 2 wrong usage',
  async run({ values }) {
    const { folder, store } = openReadableReleases(values.releases)
    const { readVersions } = await import('../publishing/releases/published-versions.ts')
    const versions = readVersions(store)
    const newestFirst = versions.toReversed().slice(0, values.limit)
    const redactions = store.listRedactions()
    const lines = newestFirst.flatMap(
      ({ snapshotId, createdAt, hash, note, changes, resources }) => [
        `${snapshotId}  ${createdAt}  ${hash.slice(0, 16)}`,
        `  ${formatJson(note)}`,
        ...changes.map(({ resource, kind }) => `  ${kind}: ${resource}`),
        ...redactions
          .filter(({ resource, digest }) => resources[resource] === digest)
          .map(
            ({ resource, redactedAt, reason }) =>
              `  redacted: ${resource}, ${redactedAt}, ${reason}`,
          ),
      ],
    )
    return {
      json: { folder, versions: newestFirst, redactions },
      lines: lines.length === 0 ? [`No version is published in ${folder}.`] : lines,
    }
  },
})
