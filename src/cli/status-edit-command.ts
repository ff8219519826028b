import path from 'node:path'
import { CommandFailure, type CommandResult, UsageError } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { parseChoice, timeOption } from '@public-api/cli-kit/option-values'
import { requireOption } from '@public-api/cli-kit/option-values'
import { flag, type OptionValues, textOption, textOptions } from '@public-api/cli-kit/options'
import { messageOf } from '@public-api/contract/errors/error-message'
import { COMPONENT_STATES } from '@public-api/contract/snapshots/snapshot-schemas'
import { formatInstant } from '@public-api/contract/text/instant'
import type { Status, StatusEdit, UpdateOptions } from '../publishing/editing/edit-status.ts'
import { whenStopped } from './new-file.ts'
import {
  OVER_OPTION,
  PUBLICATION_OPTIONS,
  requireNamedReleases,
  runPublication,
} from './publication.ts'
import { contentFolder } from './releases-folder.ts'

/** The status of a content folder, with its file. Rejects with a CommandFailure if it has mistakes. */
export async function readStatus(content: string | undefined) {
  const { readStatusFile } = await import('../publishing/editing/edit-content.ts')
  const folder = contentFolder(content)
  return { ...readStatusFile(folder).status, file: path.join(folder, 'status.yaml') }
}

/** The options of every command that edits the status. */
export const EDIT_OPTIONS = {
  text: textOption('TEXT: what readers should know; required'),
  summary: textOption(`TEXT: the new summary of the whole status; required if the overall state
    changes, except at the end, which brings the usual summary back`),
  at: timeOption('TIME: when it happened, such as 2027-01-31T03:00:00Z (default: now)'),
  publish: flag('publish the status in the same step'),
  over: OVER_OPTION,
  note: textOption(`TEXT: the note of the version, with --publish (default: the components
    and the state); a note can never be removed`),
  ...PUBLICATION_OPTIONS,
} as const

export const EDIT_EXIT = '0 done, 1 refused or failed, 2 wrong usage'

/** `--component` of the incident commands. */
export const COMPONENT_OPTION = {
  ...textOptions(`ID=STATE: an affected component and its new state; may
  be given several times`),
  parse(name: string, text: string) {
    const [id = '', state, ...rest] = text.split('=')
    if (id === '' || state === undefined || rest.length > 0) {
      throw new UsageError(`${name} expects ID=STATE, such as read-api=degraded`)
    }
    return [id, parseChoice(`${name} ${id}=STATE`, state, COMPONENT_STATES)] as const
  },
}

type EditValues = OptionValues<typeof EDIT_OPTIONS>

const quoteShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * Edits status.yaml, and publishes the content with --publish. Rejects with a UsageError for an unknown id, and with a
 * CommandFailure if the edit was refused; then the file has its old bytes.
 */
export async function editStatus(
  values: EditValues,
  edit: (status: Status, options: UpdateOptions) => StatusEdit,
): Promise<CommandResult> {
  const text = requireOption('text', values.text)
  const summary =
    values.summary === undefined ? undefined : requireOption('summary', values.summary)
  for (const name of ['note', 'over'] as const) {
    if (values[name] === undefined || values.publish) continue
    throw new UsageError(`--${name} needs --publish`)
  }
  if (values.publish) requireNamedReleases(values)
  // Before the edit: no module is loaded between it and the publication.
  const { publishRelease } = await import('../publishing/releases/publish-release.ts')
  const { editStatusFile } = await import('../publishing/editing/edit-content.ts')
  const { checkLine } = await import('../publishing/releases/published-line.ts')
  const { noteOfChanges } = await import('../publishing/releases/version-note.ts')
  const contentDir = contentFolder(values.content)
  const nowMs = Date.now()
  const now = formatInstant(nowMs).replace(/\.\d+Z$/, 'Z')
  const options = {
    text,
    at: values.at,
    now,
    exactNow: formatInstant(nowMs),
    ...(summary === undefined ? {} : { summary }),
  }
  const typed = values.note === undefined ? undefined : requireOption('note', values.note)
  const { file, lines, before, result, undo } = await editStatusFile(
    contentDir,
    nowMs,
    (status, usualSummary) => {
      if (typed !== undefined) checkLine('the note', typed)
      return edit(status, { ...options, usualSummary })
    },
    new Map(typed === undefined ? [] : [['the note', typed]]),
  )
  const { status, id } = result
  const isBack = lines.some((line) => line.startsWith('+ summary:'))
  const done = [
    `Changed ${file} (${id}):`,
    ...lines.map((line) => `  ${line}`),
    summary === undefined && `The summary ${isBack ? 'is again' : 'still says'}: ${status.summary}`,
  ]
  const json = { file, id, state: status.state, summary: status.summary, lines }
  if (!values.publish) {
    const folder = values.content === undefined ? '' : ` --content ${quoteShell(values.content)}`
    const note = noteOfChanges(before, status, [])
    const next = `svc publish${folder} --note ${quoteShell(note)}`
    return { json: { ...json, next }, lines: [...done, `Next: ${next}`] }
  }
  /** Whether the version is written; unknown before the releases are read. */
  let isPublished = (): boolean => false
  // An edit that stays behind would become public with the next version of anything else.
  const settle = () => (isPublished() || !undo() ? 'has the change' : 'is as it was before')
  const forget = whenStopped((signal) => {
    process.stderr.write(`${formatErrorLine(`stopped by ${signal}; ${file} ${settle()}`)}\n`)
  })
  try {
    const published = await runPublication(values, async (publication) => {
      const { over } = values
      const { store } = publication
      const count = store.readVersionIds().length
      isPublished = () => store.readVersionIds().length > count
      // Other edits in the folder wait for svc publish.
      const only = count === 0 ? undefined : new Set(['status'] as const)
      return publishRelease({ contentDir, over, only, ...publication })
    })
    return { json: { ...json, ...published.json }, lines: [...done, ...published.lines] }
  } catch (error) {
    const { code, message, more } =
      error instanceof CommandFailure
        ? error
        : { code: 'STORAGE', message: messageOf(error), more: undefined }
    throw new CommandFailure(code, `${message}; ${file} ${settle()}`, more)
  } finally {
    forget()
  }
}
