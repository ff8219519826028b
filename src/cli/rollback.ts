import { createCommand } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { textOption } from '@public-api/cli-kit/options'
import {
  ONLY_OPTION,
  parseResources,
  PUBLICATION_OPTIONS,
  requireNamedReleases,
  runPublication,
} from './publication.ts'
import { contentFolder } from './releases-folder.ts'

export const command = createCommand({
  usage: 'rollback VS-NNNN [options]',
  about: `Publishes the content of an older version as the next version, and brings the
content folder to it, so that the next edit starts from what is published. Files
with edits that were not published are copied first. No version is removed, and
a redacted resource stays as it is in the newest version.`,
  options: {
    note: {
      ...textOption(`TEXT: one line for readers of the history, which can never be
    removed (default: which version comes back)`),
      short: 'm',
    },
    only: ONLY_OPTION,
    ...PUBLICATION_OPTIONS,
  },
  exit: '0 done or nothing to do, 1 failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    const snapshotId = onlyArgument(positionals, 'version, such as VS-0001')
    requireNamedReleases(values)
    const only = parseResources(values.only)
    const contentDir = contentFolder(values.content)
    const { rollBackRelease } = await import('../publishing/releases/roll-back-release.ts')
    return runPublication(
      values,
      (publication) => rollBackRelease({ snapshotId, contentDir, only, ...publication }),
      ({ restored }) => {
        const { changed = [], saved = [], byHand = [] } = restored ?? {}
        return [
          ...changed.map((file) => `  changed in ${contentDir}: ${file}`),
          ...saved.map((file) => `  saved edits that were not published: ${contentDir}/${file}`),
          ...byHand.map((line) => `  to do by hand: ${line}`),
        ]
      },
    )
  },
})
