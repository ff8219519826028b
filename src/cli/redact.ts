import { createCommand, UsageError } from '@public-api/command/command'
import { textOption } from '@public-api/command/options'
import {
  openReleasesFolder,
  requireText,
  withPublishErrors,
  RELEASES_OPTION,
} from './releases-folder.ts'

export const command = createCommand({
  usage: 'redact VS-NNNN RESOURCE --reason TEXT [options]',
  about: `Permanently removes the bytes of one published resource, such as a secret or the
data of a person, and leaves the reason and the time. The chain keeps its
digest and stays valid. A resource of the newest version must be replaced
first: correct the content and publish it, then redact the previous version.

  VS-NNNN          a version that has the resource
  RESOURCE         its name, such as status or wallet/security`,
  options: {
    reason: textOption('TEXT: one line for readers of the history; required'),
    releases: RELEASES_OPTION,
  },
  takesArguments: true,
  async run({ values, positionals }) {
    const [snapshotId, resource, ...others] = positionals
    if (snapshotId === undefined || resource === undefined || others.length > 0) {
      throw new UsageError('expected a version and a resource, such as VS-0001 status')
    }
    const reason = requireText('reason', values.reason)
    const { folder, store } = openReleasesFolder(values.releases)
    const { redactResource } = await import('../publishing/redact-resource.ts')
    const result = await withPublishErrors(
      () => redactResource({ store, nowMs: Date.now(), snapshotId, resource, reason }),
      'nothing was removed',
    )
    return {
      json: { folder, ...result },
      lines: [
        `Redacted ${resource} of ${result.snapshotIds.join(', ')} in ${folder}.`,
        'Copies elsewhere are not affected: remove it from backups, version control and the content folder too.',
      ],
    }
  },
})
