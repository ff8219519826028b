import path from 'node:path'
import { createCommand } from '@public-api/cli-kit/command'
import { escapeInvisible } from '@public-api/cli-kit/format-json'
import { flag } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import type { DiscardPlan } from '../publishing/releases/discard-edits.ts'
import { parseResources, requireNamedReleases } from './publication.ts'
import {
  CONTENT_OPTION,
  contentFolder,
  openExistingReleases,
  RELEASES_OPTION,
} from './releases-folder.ts'
import { withConsequence } from './server-failure.ts'
import { confirm } from './standard-input.ts'

/** Maximum number of changed lines that are printed of each file. */
const MAX_SHOWN = 60

const UNCHANGED = 'nothing was discarded'

/** The lines of each file that are lost, after `-`, and those that come back, after `+`. */
async function describe({ contentDir, files }: Pick<DiscardPlan, 'contentDir' | 'files'>) {
  const { changedLines } = await import('../publishing/editing/rewrite-yaml.ts')
  return files.flatMap(({ name, before, after }) => {
    const isText = !/\.(?:png|svg)$/.test(name)
    const kind = before === undefined ? ' (comes back)' : after === undefined ? ' (removed)' : ''
    const lines = isText
      ? changedLines(before?.toString('utf8') ?? '', after?.toString('utf8') ?? '')
      : []
    const more = lines.length - MAX_SHOWN
    return [
      `${path.join(contentDir, name)}${kind}`,
      ...lines.slice(0, MAX_SHOWN).map((line) => `  ${escapeInvisible(line)}`),
      ...(more > 0 ? [`  and ${pluralOf(more, 'more line')}`] : []),
    ]
  })
}

export const command = createCommand({
  usage: 'discard [RESOURCE …] [options]',
  about: `Brings the content folder to what was last published, or only some resources
with their translations. Files without edits stay as they are. The command shows
what would be lost and asks. The files are first copied to .discarded in the
content folder, which Git ignores.

  RESOURCE         a name such as status; all by default`,
  options: {
    yes: flag('discard without asking'),
    content: CONTENT_OPTION,
    releases: RELEASES_OPTION,
  },
  exit: '0 done or nothing to discard, 1 failure or not confirmed, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }, output) {
    requireNamedReleases(values)
    const only = parseResources(positionals, 'found')
    const contentDir = contentFolder(values.content)
    const { store } = openExistingReleases(values.releases)
    const { discardEdits, isDiscardRecord, planDiscard } =
      await import('../publishing/releases/discard-edits.ts')
    const nowMs = Date.now()
    const plan = await withConsequence(UNCHANGED, () =>
      planDiscard({ store, contentDir, nowMs, only }),
    )
    const { entry, byHand } = plan
    const { snapshotId } = entry
    const files = plan.files.filter((file) => !isDiscardRecord(file))
    const shown = await describe({ contentDir, files })
    const remaining = byHand.map((line) => `  to do by hand: ${line}`)
    if (files.length > 0 && !values.yes) {
      output.error(`This brings ${contentDir} to ${snapshotId}:`)
      for (const line of shown) output.error(`  ${line}`)
      await confirm('Discard these edits? (yes/no) ', UNCHANGED)
    }
    const kept = await discardEdits(plan, nowMs)
    const names = files.map(({ name }) => name)
    const title =
      files.length === 0
        ? `Nothing to discard: ${contentDir} has no edits of ${positionals.join(', ') || 'content'} since ${snapshotId}.`
        : `Brought ${contentDir} to ${snapshotId}:`
    return {
      json: { content: contentDir, snapshotId, files: names, kept: kept ?? null, byHand },
      lines: [
        byHand.length > 0 && files.length === 0 ? `Nothing was discarded in ${contentDir}.` : title,
        ...(values.yes ? shown.map((line) => `  ${line}`) : names.map((name) => `  ${name}`)),
        kept && `The discarded files are in ${kept}`,
        ...remaining,
      ],
    }
  },
})
