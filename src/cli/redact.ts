import { existsSync } from 'node:fs'
import { createCommand, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { LINE_EXPECTED, requireOption } from '@public-api/cli-kit/option-values'
import { flag, textOption, textOptions } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import type { PlaceOfText } from '../publishing/releases/places-of-text.ts'
import type { planRedaction } from '../publishing/releases/redact-resource.ts'
import type { ReleaseStore } from '../releases/release-store.ts'
import { formatVersions } from './find.ts'
import { formatResource } from './format-diff.ts'
import {
  CONTENT_OPTION,
  contentFolder,
  openExistingReleases,
  RELEASES_OPTION,
} from './releases-folder.ts'
import { withConsequence } from './server-failure.ts'
import { confirm } from './standard-input.ts'

/** Maximum number of fields that the preview shows as in the newest version. */
const MAX_SHOWN = 40

const UNCHANGED = 'nothing was removed'

/** The value of a resource; undefined if its bytes are damaged or gone. */
async function readValue(store: ReleaseStore, resource: string, digest: string | undefined) {
  const { resourceFault } = await import('../publishing/releases/published-versions.ts')
  if (digest === undefined || resourceFault(store, resource, digest) !== undefined) return undefined
  return parseJson(store.readResourceText(resource, digest)) as JsonValue
}

/** The texts that the redaction of a value removes, and those of other languages that translate what it removes. */
async function textsToFind(
  store: ReleaseStore,
  { resource, translations }: ReturnType<typeof planRedaction>,
  removed: JsonValue,
  newest: JsonValue | undefined,
): Promise<readonly string[]> {
  const { removedTexts } = await import('../publishing/releases/places-of-text.ts')
  const found = [...removedTexts(removed, newest)]
  for (const { resource: name, digests, newestDigest } of translations) {
    const overlayOf = async (digest: string | undefined) => {
      const value = await readValue(store, name, digest)
      return propertyOf(propertyOf(value, 'resources'), resource) as JsonValue | undefined
    }
    const kept = await overlayOf(newestDigest)
    for (const digest of digests) {
      const overlay = await overlayOf(digest)
      if (overlay !== undefined) found.push(...removedTexts(overlay, kept))
    }
  }
  return [...new Set(found)]
}

/** Each field in one line. */
const listTexts = (value: JsonValue | undefined): readonly string[] =>
  value === undefined ? [] : formatResource(value)

/** How many files of a folder are named. */
const MAX_FILES = 5

/** What else has the removed texts, one line each, and what to do about it. */
function placeLines(places: readonly PlaceOfText[]): readonly string[] {
  if (places.length === 0) return []
  const lineOf = ({ place, text }: PlaceOfText) =>
    `  ${place}: ${formatJson(text.length > 60 ? `${text.slice(0, 59)}…` : text)}`
  const of = (kind: PlaceOfText['kind']) => places.filter((each) => each.kind === kind)
  const files = of('file')
  const more = files.length - MAX_FILES
  return [
    'These places also have the texts, and stay as they are:',
    ...of('note').map(
      (each) => `${lineOf(each)} (the note of the version, which can never be removed)`,
    ),
    ...of('resource').map((each) => `${lineOf(each)} (redact it, too)`),
    ...files.slice(0, MAX_FILES).map((each) => lineOf(each)),
    ...(more > 0 ? [`  and ${pluralOf(more, 'more file')}`] : []),
    'svc site brings a copy up to date; svc find TEXT finds a part of a text, such as a name.',
  ]
}

export const command = createCommand({
  usage: 'redact VS-NNNN RESOURCE --reason TEXT [options]',
  about: `Permanently removes the bytes of one published resource, such as a secret or the
data of a person, and leaves the reason and the time. The chain keeps its
digest and stays valid. A resource of the newest version must be replaced
first: correct the content and publish it, then redact the previous version.
svc find shows which versions and resources contain a text.

The command shows what it would remove, names the other places of the same texts
(notes, other versions, the content folder with .discarded, copies), and asks.

  VS-NNNN          a version that has the resource
  RESOURCE         its name, such as status or wallet/security`,
  options: {
    reason: textOption('TEXT: one line for readers of the history; required'),
    content: CONTENT_OPTION,
    copy: textOptions(`DIR: a copy that svc site wrote, to be searched for the same texts; may
    be given several times`),
    yes: flag('remove without asking'),
    releases: RELEASES_OPTION,
  },
  exit: '0 done, 1 failure, not confirmed, or a note has a removed text, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [snapshotId, resource, ...others] = positionals
    if (snapshotId === undefined || resource === undefined || others.length > 0) {
      throw new UsageError('expected a version and a resource, such as VS-0001 status')
    }
    const reason = requireOption('reason', values.reason, LINE_EXPECTED)
    const { folder, store } = openExistingReleases(values.releases)
    const redaction = await import('../publishing/releases/redact-resource.ts')
    const plan = await withConsequence(UNCHANGED, async () =>
      redaction.planRedaction({ store, snapshotId, resource }),
    )
    const { placesOfTexts } = await import('../publishing/releases/places-of-text.ts')
    const value = await readValue(store, resource, plan.digest)
    const newest = await readValue(store, resource, plan.newestDigest)
    const folders = [contentFolder(values.content), ...(values.copy ?? [])]
    const missing = (values.copy ?? []).find((each) => !existsSync(each))
    if (missing !== undefined) throw new UsageError(`--copy ${missing} does not exist`)
    const places =
      value === undefined
        ? []
        : await withConsequence(UNCHANGED, async () =>
            placesOfTexts(
              store,
              await textsToFind(store, plan, value, newest),
              plan,
              folders.filter((each) => existsSync(each)),
            ),
          )
    if (!values.yes) {
      output.error(
        `This permanently removes ${resource} from ${formatVersions(plan.snapshotIds)} in ${folder}. The page of each version will show the reason: ${reason}`,
      )
      const texts = listTexts(value)
      // What was corrected since is what a redaction is for, so it is shown whole and first.
      const kept = new Set(listTexts(newest))
      const corrected = texts.filter((line) => !kept.has(line))
      const same = texts.filter((line) => kept.has(line))
      for (const line of [...corrected, ...same.slice(0, MAX_SHOWN)]) output.error(`  ${line}`)
      const more = same.length - MAX_SHOWN
      if (more > 0) output.error(`  and ${pluralOf(more, 'more line')}, as in the newest version`)
      for (const line of placeLines(places)) output.error(line)
      await confirm('Remove it? (yes/no) ', UNCHANGED)
    }
    const result = await withConsequence(UNCHANGED, () =>
      redaction.redactResource({ store, nowMs: Date.now(), snapshotId, resource, reason }),
    )
    return {
      json: { folder, ...result, places },
      exitCode: places.some(({ kind }) => kind === 'note') ? EXIT_CODES.failure : EXIT_CODES.done,
      lines: [
        `Redacted ${resource} of ${formatVersions(result.snapshotIds)} in ${folder}.`,
        resource.startsWith('site/') &&
          'Removed the social cards too. The next svc publish draws those of the newest version.',
        ...placeLines(places),
        'Copies elsewhere are not affected: remove it from backups and version control too.',
      ],
    }
  },
})
