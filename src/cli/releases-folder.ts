import { statSync } from 'node:fs'
import path from 'node:path'
import { CommandFailure, UsageError } from '@public-api/cli-kit/command'
import { escapeInvisible } from '@public-api/cli-kit/format-json'
import { textOption } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import type { ContentMistake } from '../publishing/rules/content-mistake.ts'
import { formatMistake } from '../publishing/rules/content-mistake.ts'
import { openReleaseStore } from '../releases/release-store.ts'
import { chooseFolder } from './service-environment.ts'

/** `--content` of the commands that read the content folder. */
export const CONTENT_OPTION = textOption(`DIR: folder with the content files
  (default: SVC_CONTENT_DIR, else content)`)

/** The content folder that `--content` names, else the configured one. Throws a UsageError. */
export function contentFolder(option: string | undefined): string {
  return chooseFolder(option, 'SVC_CONTENT_DIR', 'content')
}

/** `--releases` of the commands that read or change the releases. */
export const RELEASES_OPTION = textOption(`DIR: folder with the published releases
  (default: SVC_RELEASES_DIR, else releases)`)

/** The release folder that `--releases` names, else the configured one, and its path. Throws a ConfigError. */
export function openReleasesFolder(option: string | undefined) {
  const chosen = chooseFolder(option, 'SVC_RELEASES_DIR', 'releases')
  const folder = option ?? path.resolve(chosen)
  return { folder, store: openReleaseStore(folder) }
}

/** The same for a command that only reads. Throws a UsageError for a missing folder, which may be a mistyped one. */
export function openExistingReleases(option: string | undefined) {
  const opened = openReleasesFolder(option)
  const stats = statSync(opened.folder, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) return opened
  const found = stats === undefined ? 'does not exist' : 'is not a folder'
  throw new UsageError(`the releases folder ${opened.folder} ${found}`)
}

/** The text of a required option. Throws a UsageError if it is missing or blank. */
export function requireOption(name: string, value: string | undefined, expected = ''): string {
  const text = value?.trim() ?? ''
  if (text !== '') return text
  throw new UsageError(`expected --${name}${expected}`)
}

/** What follows the name of an option whose text is published. */
export const LINE_EXPECTED = ' TEXT: one line for readers of the history'

/** Maximum number of printed mistakes; `--json` has all. */
const MAX_PRINTED = 100

/** Mistakes as lines for a person. */
export function mistakeLines(mistakes: readonly ContentMistake[]): readonly string[] {
  const more = mistakes.length - MAX_PRINTED
  return [
    ...mistakes.slice(0, MAX_PRINTED).map((mistake) => escapeInvisible(formatMistake(mistake))),
    ...(more > 0 ? [`and ${pluralOf(more, 'more mistake')}`] : []),
  ]
}

/** Runs work; `consequence` completes the message of an expected failure, such as `nothing was published`. */
export async function withConsequence<Result>(
  consequence: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { serverFailureOf } = await import('./server-failure.ts')
    const failure = serverFailureOf(error)
    if (failure === undefined) throw error
    const { code, message, more } = failure
    throw new CommandFailure(code, `${message}; ${consequence}`, more)
  }
}
