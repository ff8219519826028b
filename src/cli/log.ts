import { type Command, createCommand, EXIT_CODES } from '../../packages/cli/src/command/command.ts'
import { openReleasesFolder, withPublishErrors } from './releases-folder.ts'

const HELP = `Usage: svc log [options]

Lists the published versions, newest first: when, with which note, and what
changed. The whole chain is checked first.

Options:
  --releases DIR   folder with the published releases
                   (default: SVC_RELEASES_DIR, else releases)
  --json           print the entries as one JSON object, newest first
  -h, --help       print this text

Exit code: 0 done, 1 a damaged history or failure, 2 wrong usage.`

/** `svc log`: the version chain. */
export const logCommand: Command = createCommand({
  help: HELP,
  options: { releases: { type: 'string' }, json: { type: 'boolean', default: false } },
  async run({ values }, output) {
    const { folder, store } = openReleasesFolder(values.releases)
    const { readVersions } = await import('../publishing/append-version.ts')
    const versions = await withPublishErrors(async () => readVersions(store))
    const newestFirst = versions.toReversed()
    if (values.json) {
      output.out(JSON.stringify({ ok: true, folder, versions: newestFirst }))
      return EXIT_CODES.done
    }
    if (newestFirst.length === 0) output.out(`No version is published in ${folder}.`)
    for (const { snapshotId, createdAt, hash, note, changes } of newestFirst) {
      output.out(`${snapshotId}  ${createdAt}  ${hash.slice(0, 16)}`)
      output.out(`  ${JSON.stringify(note)}`)
      for (const { resource, kind } of changes) output.out(`  ${kind}: ${resource}`)
    }
    return EXIT_CODES.done
  },
})
