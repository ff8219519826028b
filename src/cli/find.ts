import { createCommand, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { pluralOf } from '@public-api/cli-kit/wording'
import { openReadableReleases, RELEASES_OPTION } from './releases-folder.ts'
import { readOneLine } from './standard-input.ts'

/** `VS-0003 to VS-0007` for consecutive versions, else each. */
export function formatVersions(snapshotIds: readonly string[]): string {
  const numbers = snapshotIds.map((id) => Number(id.slice('VS-'.length)))
  const [first = 0] = numbers
  const isRun = numbers.length > 2 && numbers.every((number, index) => number === first + index)
  return isRun ? `${snapshotIds[0]} to ${snapshotIds.at(-1)}` : snapshotIds.join(', ')
}

export const command = createCommand({
  usage: 'find [TEXT] [options]',
  about: `Lists every version and resource that contains a text, notes included: with any
case and line breaks, percent-encoded, as HTML character references, in full
width or with invisible characters, as the leak guard reads it.

Without TEXT, or with -, the text is read from standard input, so that a secret
does not appear in the shell history. The output does not repeat it.`,
  options: { releases: RELEASES_OPTION },
  exit: '0 found, 1 not found, a damaged history or failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    const [given = '-', ...others] = positionals
    if (others.length > 0) throw new UsageError('expected one text; put several words in quotes')
    const text = given === '-' ? await readOneLine('text', 'Text to find: ') : given
    if (text.trim() === '') throw new UsageError('expected a text that is not blank')
    const { folder, store } = openReadableReleases(values.releases)
    const { readVersions } = await import('../publishing/releases/published-versions.ts')
    if (readVersions(store).length === 0) {
      throw new UsageError(`${folder} has no published version; expected --releases DIR`)
    }
    const { findText } = await import('../publishing/releases/find-text.ts')
    const { found, unread } = findText(store, text)
    const count = found.length
    const skipped =
      unread.length === 0
        ? ''
        : ` ${pluralOf(unread.length, 'resource')} redacted or damaged, and not searched.`
    return {
      json: { ok: count > 0, folder, count, found, unread },
      exitCode: count > 0 ? EXIT_CODES.done : EXIT_CODES.failure,
      lines: [
        ...found.map(
          ({ snapshotIds, resource, fields }) =>
            `${formatVersions(snapshotIds)}  ${resource === 'note' ? 'note' : `${resource}: ${fields.join(', ')}`}`,
        ),
        `${count === 0 ? 'Not found' : `Found in ${pluralOf(count, 'published text')}`} in ${folder}.${skipped}`,
      ],
    }
  },
})
