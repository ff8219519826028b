import { createCommand } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { NO_CARDS_OPTION, NO_WITNESSES_OPTION, NOTE_OPTION, runPublication } from './publish.ts'
import { RELEASES_OPTION } from './releases-folder.ts'

export const command = createCommand({
  usage: 'rollback VS-NNNN --note TEXT [options]',
  about: `Publishes the content of an older version as the next version. No
version is removed. The content folder is not changed: correct it, and
publish from it again with --over and the ID of this new version.`,
  options: {
    note: NOTE_OPTION,
    releases: RELEASES_OPTION,
    'no-cards': NO_CARDS_OPTION,
    'no-witnesses': NO_WITNESSES_OPTION,
  },
  exit: '0 done or nothing to do, 1 failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    const snapshotId = onlyArgument(positionals, 'version, such as VS-0001')
    const { rollBackRelease } = await import('../publishing/releases/roll-back-release.ts')
    return runPublication(values, (publication) => rollBackRelease({ snapshotId, ...publication }))
  },
})
