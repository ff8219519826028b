import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { CHANGELOG_KINDS } from '@public-api/contract/snapshots/snapshot-schemas'
import { expectedName } from '@public-api/contract/text/nearest-name'
import type { Token } from 'markdown-it'
import { conflictMistake } from '../rules/content-folder.ts'
import { type ContentMistake, describeValue, mistakeAt } from '../rules/content-mistake.ts'
import type { Imported } from './imported.ts'
import { inlineText, isComment, parseMarkdown } from './markdown-text.ts'

/** `releasesFrom` in a content file, as its schema describes it. */
export interface ChangelogImport {
  readonly file: string
  readonly dates?: { readonly [version: string]: string }
}

interface Change {
  readonly kind: string
  readonly line: number
  text: string
}

interface Release {
  /** Undefined for what is not released yet. */
  readonly named: { readonly version: string; readonly date: string } | undefined
  readonly line: number
  summary: string
  readonly changes: Change[]
}

const kinds: readonly string[] = CHANGELOG_KINDS

/** Without the punctuation of a sentence after it. */
const ENDPOINT = /\b(?:GET|POST|PUT|PATCH|DELETE) \/[A-Za-z0-9._{}/-]*[A-Za-z0-9}]/g

/** Headings of release-please, conventional-changelog and changesets, by the kind that they stand for. */
export const IMPORTED_HEADINGS: { readonly [heading: string]: (typeof CHANGELOG_KINDS)[number] } = {
  features: 'added',
  'minor changes': 'added',
  'major changes': 'changed',
  'breaking changes': 'changed',
  'performance improvements': 'changed',
  'code refactoring': 'changed',
  'build system': 'changed',
  'continuous integration': 'changed',
  'miscellaneous chores': 'changed',
  dependencies: 'changed',
  documentation: 'changed',
  styles: 'changed',
  tests: 'changed',
  'bug fixes': 'fixed',
  'patch changes': 'fixed',
  reverts: 'removed',
  deprecations: 'deprecated',
}

/** A version, in brackets or not, and the rest of the heading. */
const RELEASE = /^\[?v?(\d+\.\d+[^\]\s()]*|unreleased)\]?\s*(.*)$/i

/** Blocks that have no place in the data, by their token. */
const REFUSED_BLOCKS: ReadonlyMap<string, string> = new Map([
  ['blockquote_open', 'a quotation'],
  ['table_open', 'a table'],
  ['fence', 'a code block'],
  ['code_block', 'a code block'],
])

type Fail = (line: number, found: string, expected: string) => void

const lineOf = ({ map }: Token): number => (map?.[0] ?? 0) + 1

/** Reads the blocks of a changelog one after the other. */
function createReader(fail: Fail, dates: { readonly [version: string]: string }) {
  const releases: Release[] = []
  let kind: string | undefined
  let change: Change | undefined

  function openRelease(line: number, version: string, rest: string): void {
    const isUnreleased = version.toLowerCase() === 'unreleased'
    if (isUnreleased && releases.some(({ named }) => named === undefined)) {
      fail(line, 'a second [Unreleased]', 'one, above the releases')
    }
    const [, date = dates[version] ?? '', more = ''] =
      /^(?:[-–—]\s*|\()?(\d{4}-\d{2}-\d{2})?\)?\s*(.*)$/.exec(rest) ?? []
    const isYanked = /^\[YANKED\]$/i.test(more)
    if (more !== '' && !isYanked) {
      fail(line, describeValue(more), 'a date after the version, and nothing else')
    }
    if (!isUnreleased && date === '') {
      const expected = `a release with its date, such as ## [${version}] - 2026-11-22, or its date in releasesFrom.dates`
      fail(line, describeValue(`${version} ${rest}`.trim()), expected)
    }
    kind = undefined
    const changes: Change[] = isYanked
      ? [{ kind: 'removed', line, text: `Version ${version} was withdrawn.` }]
      : []
    const named = isUnreleased ? undefined : { version, date }
    releases.push({ named, line, summary: '', changes })
  }

  function openKind(line: number, title: string): void {
    const name = title
      .replaceAll(/[^\p{L}\s]/gu, '')
      .trim()
      .toLowerCase()
    kind = kinds.includes(name) ? name : IMPORTED_HEADINGS[name]
    if (kind !== undefined) return
    const expected = expectedName(
      name,
      [...kinds, ...Object.keys(IMPORTED_HEADINGS)],
      'a kind of change',
      `one of ${kinds.join(', ')}`,
    )
    fail(line, `the heading ${describeValue(title)}`, expected)
    // Its changes are not reported as well.
    kind = title
  }

  return {
    releases,

    heading(line: number, level: number, title: string): void {
      change = undefined
      const [, version, rest = ''] = RELEASE.exec(title) ?? []
      if (version !== undefined && level <= 3) openRelease(line, version, rest)
      else if (level === 3 && releases.length > 0) openKind(line, title)
      else if (releases.length > 0 || level > 2) {
        const expected = 'a release such as ## [1.0.0] - 2026-11-22, or a kind such as ### Added'
        fail(line, `the heading ${describeValue(title)}`, expected)
      }
    },

    item(line: number): void {
      const release = releases.at(-1)
      change = undefined
      if (release === undefined || kind === undefined) {
        return fail(line, 'a change without a kind', 'a heading such as ### Added above it')
      }
      change = { kind, line, text: '' }
      release.changes.push(change)
    },

    paragraph(line: number, text: string, isInList: boolean): void {
      const release = releases.at(-1)
      if (isInList) {
        if (change !== undefined) change.text = `${change.text} ${text}`.trim()
      } else if (kind === undefined && release !== undefined) {
        release.summary = `${release.summary} ${text}`.trim()
      } else if (release !== undefined) {
        fail(line, `the paragraph ${describeValue(text)}`, 'a list item, as every change is')
      }
    },
  }
}

/** Reads the blocks of a file. The part above the first release is an introduction. */
function readBlocks(tokens: readonly Token[], reader: ReturnType<typeof createReader>, fail: Fail) {
  let [lists, heading] = [0, 0]
  const refuse = (line: number, found: string) =>
    fail(line, found, 'plain text, code, emphasis and links only')
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token === undefined) break
    const { type, content, level } = token
    const line = lineOf(token)
    const isIntroduction = reader.releases.length === 0
    const refused = REFUSED_BLOCKS.get(type)
    if (refused !== undefined) {
      if (!isIntroduction) refuse(line, refused)
      const end = type.replace('_open', '_close')
      const isEnd = (each: Token) => each.type === end && each.level === level
      if (token.nesting === 1) index += tokens.slice(index).findIndex(isEnd)
    } else if (type === 'html_block') {
      const found = content.trimStart().startsWith('<!--') && !content.includes('-->')
      if (found) refuse(line, 'a comment that is not closed')
      else if (!isIntroduction && !isComment(content)) refuse(line, 'an HTML tag')
    } else if (/_list_(?:open|close)$/.test(type)) lists += token.nesting
    else if (type === 'list_item_open' && lists === 1) reader.item(line)
    else if (type === 'heading_open') heading = Number(token.tag.slice(1))
    else if (type === 'heading_close') heading = 0
    else if (type === 'inline') {
      const { text, lost } = inlineText(token)
      if (lost !== undefined && !isIntroduction) refuse(line, lost)
      else if (heading > 0 && lists > 0) refuse(line, `the heading ${describeValue(text)}`)
      else if (heading > 0) reader.heading(line, heading, text)
      else reader.paragraph(line, text, lists > 0)
    }
  }
}

/** Texts of a changelog's list of changes, with the endpoints that each names. */
function toChanges({ changes }: Release): JsonValue[] {
  return changes.map(({ kind, text }) => {
    const endpoints = [...new Set(text.match(ENDPOINT) ?? [])]
    return { kind, text, ...(endpoints.length === 0 ? {} : { endpoints }) }
  })
}

/**
 * Reads `unreleased` and `releases` from a changelog in the format of Keep a Changelog 1.1.0, or as release-please,
 * conventional-changelog or changesets write it. Endpoints named by a change become its `endpoints`. Changes are sorted by
 * kind. Whatever has no place in the data is a mistake; a release without changes is left out with a note. `dates` has
 * the dates of releases whose headings have none.
 */
export function importChangelog(
  file: string,
  text: string,
  dates: { readonly [version: string]: string } = {},
): Imported {
  const mistakes: ContentMistake[] = []
  const fail: Fail = (line, found, expected) =>
    void mistakes.push(mistakeAt({ file, line, column: 1 }, [], found, expected))
  const tokens = parseMarkdown(text)
  const reader = createReader(fail, dates)
  readBlocks(tokens, reader, fail)
  const releases = reader.releases.map((release) => ({
    ...release,
    changes: release.changes
      .filter((each) => each.text !== '')
      .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind)),
  }))
  const underlines = new Set(
    tokens.flatMap(({ type, map }) => (type === 'heading_open' ? [map?.[1]] : [])),
  )
  const isConflict = (line: string, index: number) =>
    /^={7}\r?$/.test(line) && !underlines.has(index + 1)
  const conflict = text.split('\n').findIndex(isConflict)
  if (conflict !== -1) mistakes.push(conflictMistake(file, [conflict + 1]))
  if (releases.length === 0) {
    fail(1, 'no release', 'a heading such as ## [1.0.0] - 2026-11-22, or ## [Unreleased]')
  }
  const isEmpty = ({ named, changes }: Release) => named !== undefined && changes.length === 0
  const unreleased = releases.find(({ named }) => named === undefined)
  const released = releases.filter((each) => each.named !== undefined && !isEmpty(each))
  return {
    fields: {
      unreleased: unreleased === undefined ? [] : toChanges(unreleased),
      releases: released.map((release): JsonValue => {
        const { named, summary } = release
        return { ...named, ...(summary === '' ? {} : { summary }), changes: toChanges(release) }
      }),
    },
    // unreleased[change], or releases[release].changes[change]
    placeOf([list, first, , second]) {
      const [release, at] =
        list === 'releases' ? [released[Number(first)], second] : [unreleased, first]
      const { line } = release?.changes[Number(at)] ?? release ?? { line: 1 }
      return { line, column: 1 }
    },
    mistakes,
    notes: releases.filter(isEmpty).map(({ named, line, summary }) => {
      const withText = summary === '' ? '' : `, with the text ${describeValue(summary)}`
      return `${file}:${line}: ${named?.version} has no changes and is left out${withText}`
    }),
  }
}
