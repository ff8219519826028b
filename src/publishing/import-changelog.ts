import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { expectedName } from '@public-api/contract/text/nearest-name'
import { CHANGELOG_KINDS } from '@public-api/contract/snapshots/snapshot-schemas'
import { type ContentMistake, describeValue, mistakeAt } from './content-mistake.ts'
import type { Imported } from './imported.ts'

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

/** Markdown without its marks: links by their text, code and emphasis by their content. */
function toPlainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]{1,500})\](?:\([^)\s]{1,2000}\)|\[[^\]]{0,200}\])?/g, '$1')
    .replaceAll(/(`+|\*\*|__)/g, '')
    .replaceAll(/(^|\s)[*_](\S[^*_]{0,500})[*_](?=\W|$)/g, '$1$2')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * Reads `unreleased` and `releases` from a changelog in the format of Keep a Changelog 1.1.0. Endpoints named by a
 * change become its `endpoints`. Changes are sorted by kind.
 */
export function importChangelog(file: string, text: string): Imported {
  const mistakes: ContentMistake[] = []
  const fail = (line: number, found: string, expected: string): void =>
    void mistakes.push(mistakeAt({ file, line, column: 1 }, [], found, expected))
  const releases: Release[] = []
  let kind: string | undefined
  let change: Change | undefined
  let isComment = false
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const number = index + 1
    const release = releases.at(-1)
    if (isComment || line.startsWith('<!--')) {
      isComment = !line.includes('-->')
      continue
    }
    const [, { length: level } = '', title = ''] = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line) ?? []
    // Headings and the reference links at the end of the file.
    if (level > 0 || /^\[[^\]]+\]:\s/.test(line)) change = undefined
    const item = /^[-*+]\s+(.*)$/.exec(line)?.[1]
    if (level === 2) {
      kind = undefined
      const [, version = '', date] =
        /^\[?(?:v(?=\d))?([^\]\s]+)\]?(?:\s+[-–—]\s+(\S+))?/.exec(title) ?? []
      const isUnreleased = version.toLowerCase() === 'unreleased'
      if (!isUnreleased && date === undefined) {
        const expected = 'a release such as ## [1.0.0] - 2026-11-22, or ## [Unreleased]'
        fail(number, describeValue(title), expected)
      }
      const named = isUnreleased ? undefined : { version, date: date ?? '' }
      releases.push({ named, line: number, summary: '', changes: [] })
    } else if (level === 3 && release !== undefined) {
      kind = title.toLowerCase()
      if (kinds.includes(kind)) continue
      const expected = expectedName(kind, kinds, 'a kind of change', `one of ${kinds.join(', ')}`)
      fail(number, `the heading ${describeValue(title)}`, expected)
    } else if (level > 0 || release === undefined || /^\[[^\]]+\]:\s/.test(line)) {
      continue
    } else if (item !== undefined) {
      if (kind === undefined) {
        fail(number, 'a change without a kind', `a heading such as ### Added above it`)
        continue
      }
      change = { kind, line: number, text: item }
      release.changes.push(change)
    } else if (change !== undefined) {
      change.text += ` ${line.trim().replace(/^[-*+]\s+/, '')}`
    } else if (kind === undefined) {
      release.summary += ` ${line.trim()}`
    }
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
