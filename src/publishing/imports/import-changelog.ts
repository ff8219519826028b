import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { CHANGELOG_KINDS } from '@public-api/contract/snapshots/snapshot-schemas'
import { expectedName } from '@public-api/contract/text/nearest-name'
import { type ContentMistake, describeValue, mistakeAt } from '../rules/content-mistake.ts'
import type { Imported } from './imported.ts'

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

const ENDPOINT = /\b(?:GET|POST|DELETE) \/api\/v\d+(?:\/[A-Za-z0-9._{}/-]*[A-Za-z0-9}])?/g

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

/** Markdown without its marks: links by their text, code and emphasis by their content. */
function toPlainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]{1,500})\](?:\([^)\s]{1,2000}\)|\[[^\]]{0,200}\])?/g, '$1')
    .replaceAll(/(`+|\*\*|__)/g, '')
    .replaceAll(/(^|\s)[*_](\S[^*_]{0,500})[*_](?=\W|$)/g, '$1$2')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Marks of Markdown that would be lost, each with its name. */
const LOST_MARKS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/^\[[ xX]\]\s/, 'a checkbox'],
  [/!\[[^\]]*\]\(/, 'an image'],
  [/~~[^~]+~~/, 'struck-through text'],
  [/<!--/, 'a comment that is not closed'],
  [/<\/?[a-z][\w-]*(?:\s[^>]*)?>/i, 'an HTML tag'],
]

/** A text without comments, with the same lines. Code may contain the signs of a comment. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /(^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|(?![\s\S])))|(`+)[^`\n]+\3|<!--[\s\S]*?-->/gm,
    (match, fence: string | undefined, _mark: unknown, code: string | undefined) =>
      fence === undefined && code === undefined ? match.replaceAll(/[^\n]/g, '') : match,
  )
}

interface Heading {
  readonly level: number
  readonly title: string
}

/** The heading at a line; the underline of one is the next line. */
function headingAt(lines: readonly string[], index: number): Heading | undefined {
  const line = lines[index] ?? ''
  const [, marks, title = ''] = /^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$/.exec(line) ?? []
  if (marks !== undefined) return { level: marks.length, title }
  const underline = /^ {0,3}(=+|-+)\s*$/.exec(lines[index + 1] ?? '')?.[1]
  const isText = /^ {0,3}[^\s>#*+-]/.test(line)
  if (underline === undefined || !isText) return undefined
  return { level: underline.startsWith('=') ? 1 : 2, title: line.trim() }
}

/** A version, in brackets or linked, and the rest of the heading. */
const RELEASE = /^\[?v?(\d+\.\d+[^\]\s()]*|unreleased)\]?(?:\([^)\s]*\))?\s*(.*)$/i

/**
 * Reads `unreleased` and `releases` from a changelog in the format of Keep a Changelog 1.1.0, or as release-please,
 * conventional-changelog or changesets write it. Endpoints named by a change become its `endpoints`. Changes are sorted by
 * kind. Whatever has no place in the data is a mistake. `dates` has the dates of releases whose headings have none.
 */
export function importChangelog(
  file: string,
  text: string,
  dates: { readonly [version: string]: string } = {},
): Imported {
  const mistakes: ContentMistake[] = []
  const fail = (line: number, found: string, expected: string): void =>
    void mistakes.push(mistakeAt({ file, line, column: 1 }, [], found, expected))
  const releases: Release[] = []
  let kind: string | undefined
  let change: Change | undefined
  let fence: string | undefined
  let isAfterBlank = true
  const lines = withoutComments(text).split(/\r?\n/)

  function openRelease(number: number, version: string, rest: string): void {
    const isUnreleased = version.toLowerCase() === 'unreleased'
    const [, date = dates[version] ?? '', more = ''] =
      /^(?:[-–—]\s*|\()?(\d{4}-\d{2}-\d{2})?\)?\s*(.*)$/.exec(rest) ?? []
    const isYanked = /^\[YANKED\]$/i.test(more)
    if (more !== '' && !isYanked) {
      fail(number, describeValue(more), 'a date after the version, and nothing else')
    }
    if (!isUnreleased && date === '') {
      const expected = `a release with its date, such as ## [${version}] - 2026-11-22, or its date in releasesFrom.dates`
      fail(number, describeValue(`${version} ${rest}`.trim()), expected)
    }
    kind = undefined
    const changes: Change[] = isYanked
      ? [{ kind: 'removed', line: number, text: `Version ${version} was withdrawn.` }]
      : []
    const named = isUnreleased ? undefined : { version, date }
    releases.push({ named, line: number, summary: '', changes })
  }

  function openKind(number: number, title: string): void {
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
    fail(number, `the heading ${describeValue(title)}`, expected)
    // Its changes are not reported as well.
    kind = title
  }

  function readHeading(number: number, { level, title }: Heading): void {
    change = undefined
    const [, version, rest = ''] = RELEASE.exec(title) ?? []
    if (version !== undefined && level <= 3) openRelease(number, version, rest)
    else if (level === 3 && releases.length > 0) openKind(number, title)
    else if (level > 1 && (level !== 2 || releases.length > 0 || RELEASE.test(title))) {
      const expected = 'a release such as ## [1.0.0] - 2026-11-22, or a kind such as ### Added'
      fail(number, `the heading ${describeValue(title)}`, expected)
    }
  }

  function readText(number: number, line: string): void {
    const release = releases.at(-1)
    const [, indent = '', item] = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line) ?? []
    const lost = LOST_MARKS.find(([mark]) =>
      mark.test((item ?? line).trim().replaceAll(/`[^`]*`/g, '')),
    )
    if (lost !== undefined && release !== undefined) {
      return fail(number, lost[1], 'plain text, code, emphasis and links only')
    }
    if (item !== undefined && (change === undefined || indent.length < 2)) {
      if (release === undefined || kind === undefined) {
        return fail(number, 'a change without a kind', 'a heading such as ### Added above it')
      }
      change = { kind, line: number, text: item }
      release.changes.push(change)
    } else if (change !== undefined && (item !== undefined || !isAfterBlank || /^\s/.test(line))) {
      change.text += ` ${item ?? line.trim()}`
    } else if (release !== undefined && kind === undefined && !/^\s*[>|]/.test(line)) {
      release.summary += ` ${line.trim()}`
    } else if (release !== undefined) {
      fail(number, `the paragraph ${describeValue(line.trim())}`, 'a list item, as every change is')
    }
  }

  for (const [index, line] of lines.entries()) {
    const number = index + 1
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined || mark !== undefined) {
      const isEnd = fence !== undefined && mark?.startsWith(fence) === true
      if (fence === undefined && releases.length > 0) {
        fail(number, 'a code block', 'a change in words; code belongs in backticks')
      }
      fence = isEnd ? undefined : (fence ?? mark)
      continue
    }
    const heading = headingAt(lines, index)
    const isUnderline = headingAt(lines, index - 1) !== undefined && /^ {0,3}(=+|-+)\s*$/.test(line)
    if (heading !== undefined) readHeading(number, heading)
    // The reference links at the end of the file.
    else if (/^ {0,3}\[[^\]]+\]:\s/.test(line)) change = undefined
    else if (line.trim() !== '' && !isUnderline && !/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) {
      readText(number, line)
    }
    isAfterBlank = line.trim() === ''
  }

  const toChanges = ({ changes }: Release): JsonValue[] =>
    changes.map(({ kind: name, text: markdown }) => {
      const plain = toPlainText(markdown)
      const endpoints = [...new Set(plain.match(ENDPOINT) ?? [])]
      return { kind: name, text: plain, ...(endpoints.length === 0 ? {} : { endpoints }) }
    })
  for (const { changes } of releases) {
    changes.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
  }
  const unreleased = releases.find(({ named }) => named === undefined)
  const released = releases.filter(({ named }) => named !== undefined)
  return {
    fields: {
      unreleased: unreleased === undefined ? [] : toChanges(unreleased),
      releases: released.map((release): JsonValue => {
        const summary = toPlainText(release.summary)
        const changes = toChanges(release)
        return { ...release.named, ...(summary === '' ? {} : { summary }), changes }
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
  }
}
