import path from 'node:path'
import { CommandFailure, type CommandResult, UsageError } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { parseChoice, requireOption, timeOption } from '@public-api/cli-kit/option-values'
import { flag, type OptionValues, textOption, textOptions } from '@public-api/cli-kit/options'
import { messageOf } from '@public-api/contract/errors/error-message'
import { propertyOf } from '@public-api/contract/json/property-of'
import { COMPONENT_STATES } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import { formatInstant } from '@public-api/contract/text/instant'
import { expectedName } from '@public-api/contract/text/nearest-name'
import type { EventTexts } from '../publishing/editing/edit-overlay.ts'
import {
  type Status,
  type StatusEdit,
  StatusEditError,
  type UpdateOptions,
} from '../publishing/editing/edit-status.ts'
import type { EventTemplate } from '../publishing/editing/event-templates.ts'
import type { ReleaseStore } from '../releases/release-store.ts'
import { whenStopped } from './new-file.ts'
import {
  OVER_OPTION,
  PUBLICATION_OPTIONS,
  requireNamedReleases,
  runPublication,
} from './publication.ts'
import { contentFolder, openReleasesFolder } from './releases-folder.ts'

/** The status of a content folder, with its file. Rejects with a CommandFailure if it has mistakes. */
export async function readStatus(content: string | undefined) {
  const { readStatusFile } = await import('../publishing/editing/edit-content.ts')
  const folder = contentFolder(content)
  return { ...readStatusFile(folder).status, file: path.join(folder, 'status.yaml') }
}

/** The options of every command that edits the status. */
export const EDIT_OPTIONS = {
  text: textOption('TEXT: what readers should know; required'),
  ...translatedOptions('text'),
  summary: textOption(`TEXT: the new summary of the whole status; required if the overall state
    changes, except at the end, which brings the usual summary back`),
  ...translatedOptions('summary'),
  at: timeOption('TIME: when it happened, such as 2027-01-31T03:00:00Z (default: now)'),
  publish: flag('publish the status in the same step'),
  over: OVER_OPTION,
  note: {
    ...textOption(`TEXT: the note of the version, with --publish (default: the components
    and the state); a note can never be removed`),
    short: 'm',
  },
  ...PUBLICATION_OPTIONS,
} as const

type TextOption = ReturnType<typeof textOption>

/** An option with the same text in each other language of the site: `--text-th`. */
function translatedOptions<const Name extends string>(
  name: Name,
): { readonly [Locale in TranslationLocale as `${Name}-${Locale}`]: TextOption } {
  const options = TRANSLATION_LOCALES.map((locale) => [
    `${name}-${locale}`,
    textOption(`TEXT: --${name} in the language ${locale}`),
  ])
  // The type of computed names.
  return Object.fromEntries(options) as {
    [Locale in TranslationLocale as `${Name}-${Locale}`]: TextOption
  }
}

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

type EditValues = OptionValues<typeof EDIT_OPTIONS> & {
  readonly [Locale in TranslationLocale as `title-${Locale}`]?: string
}

/** The options of the commands that begin an incident or a maintenance. */
export const BEGIN_OPTIONS = {
  template: textOption(`NAME: begin from this text of the folder templates of the content; options
    replace its parts`),
  title: textOption('TEXT: what happens, in a few words; required without a template'),
  ...translatedOptions('title'),
} as const

/** The values of a command with those of the template that it names. Throws a UsageError for an unknown one. */
export async function fillFromTemplate<
  const Values extends EditValues & { readonly template?: string; readonly title?: string },
>(values: Values, kind: EventTemplate['kind']) {
  const name = values.template
  if (name === undefined) return { template: undefined, values }
  const { readTemplates } = await import('../publishing/editing/event-templates.ts')
  const { templates, mistakes } = readTemplates(contentFolder(values.content))
  const template = templates.get(name)
  if (template?.kind !== kind) {
    const known = [...templates.values()].filter((each) => each.kind === kind)
    const names = known.map((each) => each.name)
    const otherwise =
      names.length === 0 ? 'none: the content has no such template' : `one of ${names.join(', ')}`
    const expected = expectedName(name, names, 'a known template', otherwise)
    const file = `templates/${name}.yaml`
    const isFaulty = mistakes.some((each) => each.file.endsWith(file))
    const faulty = isFaulty
      ? ', which has mistakes'
      : template
        ? `, of the kind ${template.kind}`
        : ''
    throw new UsageError(
      `--template ${JSON.stringify(name.slice(0, 64))}${faulty}; expected ${expected}`,
    )
  }
  const filled: { [name: string]: unknown } = { ...values }
  for (const part of ['title', 'text', 'summary'] as const) {
    if (values[part] !== undefined) continue
    filled[part] = template[part]
    // A text of its own has no translation of the template.
    for (const [locale, texts] of template.translations) {
      filled[`${part}-${locale}`] ??= texts[part]
    }
  }
  return { template, values: filled as Values }
}

/** The texts of an edit in the other languages of the site. */
function translationsOf(values: EditValues): ReadonlyMap<TranslationLocale, EventTexts> {
  return new Map(
    TRANSLATION_LOCALES.map((locale) => {
      const of = (part: 'title' | 'text' | 'summary') =>
        values[`${part}-${locale}`]?.trim() || undefined
      return [locale, { title: of('title'), text: of('text'), summary: of('summary') }]
    }),
  )
}

const quoteShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * Edits status.yaml, or the file of the year that has the item, and publishes the content with --publish. Rejects with a UsageError for an unknown id, and with a
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
  const { readKnownFiles } = await import('../publishing/releases/content-base.ts')
  const { checkLine } = await import('../publishing/releases/published-line.ts')
  const { formatTypedNote, noteOfChanges } = await import('../publishing/releases/version-note.ts')
  const { contentMs } = await import('../publishing/releases/published-versions.ts')
  const contentDir = contentFolder(values.content)
  const { store: releases } = openReleasesFolder(values.releases)
  const clockMs = Date.now()
  const nowMs = contentMs(releases, clockMs)
  const now = formatInstant(clockMs).replace(/\.\d+Z$/, 'Z')
  const options = {
    text,
    at: values.at,
    now,
    exactNow: formatInstant(nowMs),
    ...(summary === undefined ? {} : { summary }),
  }
  const typed =
    values.note === undefined ? undefined : formatTypedNote(requireOption('note', values.note)).note
  const known = readKnownFiles(contentDir, releases)
  /** Publishes the status alone. Other edits in the folder wait for svc publish. */
  const publish = (bytesBefore?: ReadonlyMap<string, Buffer>, onStart = (_: ReleaseStore) => {}) =>
    runPublication(values, async (publication) => {
      const { over } = values
      const { store } = publication
      onStart(store)
      const only = store.readVersionIds().length === 0 ? undefined : new Set(['status'] as const)
      return publishRelease({ contentDir, over, only, known, before: bytesBefore, ...publication })
    })
  const edited = await editStatusFile(
    contentDir,
    nowMs,
    (status, usualSummary) => {
      if (typed !== undefined) checkLine('the note', typed)
      return edit(status, { ...options, usualSummary })
    },
    {
      texts: new Map(typed === undefined ? [] : [['the note', typed]]),
      known,
    },
    translationsOf(values),
  ).catch((error: unknown) => {
    if (error instanceof StatusEditError && error.isRepeated && values.publish) return error
    throw error
  })
  if (edited instanceof StatusEditError) {
    // A command that was killed may have made the edit and published nothing.
    const published = await publish()
    if (propertyOf(published.json, 'outcome') === 'unchanged') throw edited
    const texts = [...translationsOf(values).values()].flatMap((each) => Object.values(each))
    return {
      json: published.json,
      lines: [
        'The edit was made before.',
        // A translation is written after the edit.
        texts.some((each) => each !== undefined) &&
          'Warning: a translation of it may be missing; svc translations names what is',
        ...published.lines,
      ],
    }
  }
  const { file, lines, before, bytesBefore, result, undo } = edited
  const { status, id } = result
  const isBack = lines.some((line) => line.startsWith('+ summary:'))
  const done = [
    `Changed ${file} (${id}):`,
    ...lines.map((line) => `  ${line}`),
    summary === undefined &&
      path.basename(file) === 'status.yaml' &&
      `The summary ${isBack ? 'is again' : 'still says'}: ${status.summary}`,
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
    const published = await publish(bytesBefore, (store) => {
      const count = store.readVersionIds().length
      isPublished = () => store.readVersionIds().length > count
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
