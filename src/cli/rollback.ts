import { createCommand, UsageError } from '../../packages/cli/src/command/command.ts'
import { runPublication } from './publish.ts'

const HELP = `Usage: svc rollback VS-NNNN --note TEXT [options]

Publishes the content of an older version as the next version. History only
grows: nothing is removed. The content folder is not changed, so correct it
before you publish from it again.

Options:
  --note TEXT      one line for readers of the history; required
  --releases DIR   folder with the published releases
                   (default: SVC_RELEASES_DIR, else releases)
  --json           print the result as one JSON object
  -h, --help       print this text

Exit code: 0 done or nothing to do, 1 failure, 2 wrong usage.`

/** `svc rollback`: older content as a new version. */
export const rollbackCommand = createCommand({
  help: HELP,
  options: {
    releases: { type: 'string' },
    note: { type: 'string' },
  },
  takesArguments: true,
  async run({ values, positionals }) {
    const [snapshotId, ...others] = positionals
    if (snapshotId === undefined || others.length > 0) {
      throw new UsageError('expected one version, such as VS-0001')
    }
    const { rollBackRelease } = await import('../publishing/roll-back-release.ts')
    return runPublication(values, (publication) => rollBackRelease({ snapshotId, ...publication }))
  },
})
