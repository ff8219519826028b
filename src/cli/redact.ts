import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { LINE_EXPECTED, requireOption } from '@public-api/cli-kit/option-values'
import { flag, textOption } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import type { ReleaseStore } from '../releases/release-store.ts'
import { formatVersions } from './find.ts'
import { formatResource } from './format-diff.ts'
import { openExistingReleases, RELEASES_OPTION } from './releases-folder.ts'
import { withConsequence } from './server-failure.ts'
import { confirm } from './standard-input.ts'

/** Maximum number of fields that the preview shows as in the newest version. */
const MAX_SHOWN = 40

const UNCHANGED = 'nothing was removed'

/** Every field of a resource in one line each; none if its bytes are damaged or gone. */
async function listTexts(store: ReleaseStore, resource: string, digest: string) {
  const { resourceFault } = await import('../publishing/releases/published-versions.ts')
  if (resourceFault(store, resource, digest) !== undefined) return []
  return formatResource(parseJson(store.readResourceText(resource, digest)) as JsonValue)
}

export const command = createCommand({
  usage: 'redact VS-NNNN RESOURCE --reason TEXT [options]',
  about: `Permanently removes the bytes of one published resource, such as a secret or the
data of a person, and leaves the reason and the time. The chain keeps its
digest and stays valid. A resource of the newest version must be replaced
first: correct the content and publish it, then redact the previous version.
svc find shows which versions and resources contain a text.

The command shows what it would remove and asks.

  VS-NNNN          a version that has the resource
  RESOURCE         its name, such as status or wallet/security`,
  options: {
    reason: textOption('TEXT: one line for readers of the history; required'),
    yes: flag('remove without asking'),
    releases: RELEASES_OPTION,
  },
  exit: '0 done, 1 failure or not confirmed, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [snapshotId, resource, ...others] = positionals
    if (snapshotId === undefined || resource === undefined || others.length > 0) {
      throw new UsageError('expected a version and a resource, such as VS-0001 status')
    }
    const reason = requireOption('reason', values.reason, LINE_EXPECTED)
    const { folder, store } = openExistingReleases(values.releases)
    const { planRedaction, redactResource } =
      await import('../publishing/releases/redact-resource.ts')
    const plan = await withConsequence(UNCHANGED, async () =>
      planRedaction({ store, snapshotId, resource }),
    )
    if (!values.yes) {
      output.error(
        `This permanently removes ${resource} from ${formatVersions(plan.snapshotIds)} in ${folder}. The page of each version will show the reason: ${reason}`,
      )
      const texts = await listTexts(store, resource, plan.digest)
      const { newestDigest } = plan
      // What was corrected since is what a redaction is for, so it is shown whole and first.
      const kept = new Set(
        newestDigest === undefined ? [] : await listTexts(store, resource, newestDigest),
      )
      const corrected = texts.filter((line) => !kept.has(line))
      const same = texts.filter((line) => kept.has(line))
      for (const line of [...corrected, ...same.slice(0, MAX_SHOWN)]) output.error(`  ${line}`)
      const more = same.length - MAX_SHOWN
      if (more > 0) output.error(`  and ${pluralOf(more, 'more line')}, as in the newest version`)
      await confirm('Remove it? (yes/no) ', UNCHANGED)
    }
    const result = await withConsequence(UNCHANGED, () =>
      redactResource({ store, nowMs: Date.now(), snapshotId, resource, reason }),
    )
    return {
      json: { folder, ...result },
      lines: [
        `Redacted ${resource} of ${formatVersions(result.snapshotIds)} in ${folder}.`,
        resource.startsWith('site/') &&
          'Removed the social cards too. The next svc publish draws those of the newest version.',
        'Copies elsewhere are not affected: remove it from backups, version control and the content folder too.',
      ],
    }
  },
})
