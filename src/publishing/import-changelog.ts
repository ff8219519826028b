import type { JsonValue } from '../contract/canonical-json.ts'
import { expectedName } from '../contract/nearest-name.ts'
import { CHANGELOG_KINDS } from '../contract/snapshot-changelog.ts'
import type { ReferencedFile } from './compile-organization.ts'
import { type ContentMistake, describeValue } from './content-mistake.ts'
import type { ImportedFields } from './imported-source.ts'
import type { SourcePlace } from './yaml-source.ts'

interface Change {
  readonly kind: string
  readonly line: number
  text: string
}

interface Release {
  readonly version: string | undefined
  readonly date: string | undefined
  readonly line: number
  summary: string
  readonly changes: Change[]
}

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
export function importChangelog({ file, bytes }: ReferencedFile): ImportedFields {
  const mistakes: ContentMistake[] = []
  const fail = (line: number, found: string, expected: string): void => {
    mistakes.push({ file, line, column: 1, field: '', found, expected })
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    fail(1, 'bytes that are not text in UTF-8', 'a file in UTF-8')
    return { fields: {}, places: new Map(), mistakes }
  }
  const releases: Release[] = []
  let kind: string | undefined
  let change: Change | undefined
  let isComment = false
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const number = index + 1
    if (isComment || line.startsWith('<!--')) {
      isComment = !line.includes('-->')
      continue
    }
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line)
    const release = releases.at(-1)
    if (heading !== null) {
      change = undefined
      const [, { length: level } = '', title = ''] = heading
      if (level === 2) {
        kind = undefined
        const match = /^\[?(?:v(?=\d))?([^\]\s]+)\]?(?:\s+[-–—]\s+(\S+))?/.exec(title)
        const isUnreleased = match?.[1]?.toLowerCase() === 'unreleased'
        if (!isUnreleased && match?.[2] === undefined) {
          fail(
            number,
            describeValue(title),
            'a release such as ## [1.0.0] - 2026-11-22, or ## [Unreleased]',
          )
        }
        releases.push({
          version: isUnreleased ? undefined : match?.[1],
          date: isUnreleased ? undefined : match?.[2],
          line: number,
          summary: '',
          changes: [],
        })
      } else if (level === 3 && release !== undefined) {
        kind = title.toLowerCase()
        if (!CHANGELOG_KINDS.some((known) => known === kind)) {
          const kinds = `one of ${CHANGELOG_KINDS.join(', ')}`
          fail(
            number,
            `the heading ${describeValue(title)}`,
            expectedName(kind, CHANGELOG_KINDS, 'a kind of change', kinds),
          )
        }
      }
      continue
    }
    // Reference links at the end of the file.
    if (/^\[[^\]]+\]:\s/.test(line)) {
      change = undefined
      continue
    }
    if (release === undefined) continue
    const item = /^[-*+]\s+(.*)$/.exec(line)
    if (item !== null) {
      if (kind === undefined) {
        fail(number, 'a change without a kind', `a heading such as ### Added above it`)
        continue
      }
      change = { kind, line: number, text: item[1] ?? '' }
      release.changes.push(change)
    } else if (line.trim() === '') {
      // Only an indented line after an empty one continues the item.
      continue
    } else if (change !== undefined) {
      change.text += ` ${line.trim().replace(/^[-*+]\s+/, '')}`
    } else if (kind === undefined) {
      release.summary += ` ${line.trim()}`
    }
  }

  const places = new Map<string, SourcePlace>()
  const place = (line: number) => ({ file, line, column: 1 })
  const toChanges = (release: Release, path: readonly (string | number)[]): JsonValue[] =>
    release.changes
      .toSorted(
        (a, b) =>
          CHANGELOG_KINDS.findIndex((each) => each === a.kind) -
          CHANGELOG_KINDS.findIndex((each) => each === b.kind),
      )
      .map((each, index) => {
        places.set(JSON.stringify([...path, index]), place(each.line))
        const plain = toPlainText(each.text)
        const endpoints = [...new Set(plain.match(ENDPOINT) ?? [])]
        return { kind: each.kind, text: plain, ...(endpoints.length === 0 ? {} : { endpoints }) }
      })
  const unreleased = releases.find((each) => each.version === undefined)
  const released = releases.filter((each) => each.version !== undefined)
  places.set(JSON.stringify(['unreleased']), place(unreleased?.line ?? 1))
  places.set(JSON.stringify(['releases']), place(1))
  const fields = {
    unreleased: unreleased === undefined ? [] : toChanges(unreleased, ['unreleased']),
    releases: released.map((each, index): JsonValue => {
      places.set(JSON.stringify(['releases', index]), place(each.line))
      const summary = toPlainText(each.summary)
      return {
        version: each.version ?? '',
        date: each.date ?? '',
        ...(summary === '' ? {} : { summary }),
        changes: toChanges(each, ['releases', index, 'changes']),
      }
    }),
  }
  return { fields, places, mistakes }
}
