import { lintSource } from '@secretlint/core'
import { creator as recommendedRules } from '@secretlint/secretlint-rule-preset-recommend'
import { LineCounter } from 'yaml'
import {
  type ContentMistake,
  type Fault,
  fault,
  formatFieldPath,
} from '../rules/content-mistake.ts'
import type { PublishingSettings } from '../rules/content-schemas.ts'
import { createSearchText } from '../rules/search-text.ts'
import type { SourceText } from '../rules/yaml-source.ts'
import { LEAK_RULES } from './leak-rules.ts'

/** A file to search: its text, and its text values if it could be parsed. */
export interface GuardedFile {
  readonly file: string
  readonly text: string
  readonly values?: readonly SourceText[] | undefined
  /** Whether an email address is one of a contact field, which is public. */
  readonly isPublicEmail?: ((address: string) => boolean) | undefined
}

interface Leak {
  readonly rule: string
  readonly found: string
  readonly expected: string
  /** Index of the searched text, and the start and end in it. */
  readonly index: number
  readonly start: number
  readonly end: number
  /** The finding of a rule whose findings may be allowed. */
  readonly allowable?: string | undefined
}

type AllowedTexts = PublishingSettings['allowedTexts']

// Fields with digests of public documents, which look random. Their own pattern checks them.
const DIGEST_FIELDS: ReadonlySet<string> = new Set(['documentSha256'])

/**
 * Searches the text of a file, and then its values as they would be published, with all rules. Rules for values only
 * skip the text.
 */
async function search(texts: readonly string[]): Promise<readonly Leak[]> {
  const searched = texts.map(createSearchText)
  const leaks: Leak[] = []
  const starts: number[] = []
  let content = ''
  for (const [index, { text, originalOffset }] of searched.entries()) {
    starts.push(content.length)
    content += `${text}\n`
    for (const { id: rule, found, expected, find, allowable, valuesOnly } of LEAK_RULES) {
      if (valuesOnly && index === 0) continue
      for (const match of find(text)) {
        const start = originalOffset(match.index)
        const end = originalOffset(match.index + match[0].length)
        const finding = allowable ? match[0] : undefined
        leaks.push({ rule, found, expected, index, start, end, allowable: finding })
      }
    }
  }
  // The recommended rules of secretlint: credentials of many services. One call for all texts, because these rules cost
  // far more to start than to run.
  const { messages } = await lintSource({
    // Some rules depend on the file name of certain programs, which content files do not have.
    source: { filePath: 'content.yaml', content, ext: '.yaml', contentType: 'text' },
    options: {
      noPhysicFilePath: true,
      maskSecrets: true,
      config: { rules: [{ id: recommendedRules.meta.id, rule: recommendedRules, options: {} }] },
    },
  })
  for (const { ruleId, messageId, range } of messages) {
    const index = starts.findLastIndex((each) => each <= range[0])
    const [start = 0, end = 0] = range.map((offset) =>
      searched[index]?.originalOffset(offset - (starts[index] ?? 0)),
    )
    const rule = ruleId.replace('@secretlint/secretlint-rule-', 'secretlint/')
    const found = `a credential (${messageId})`
    leaks.push({ rule, found, expected: 'no credential; revoke this one', index, start, end })
  }
  return leaks.toSorted((a, b) => a.index - b.index)
}

/** What was found in a file that was parsed once: a command that edits content compiles it before and after. */
const searchedFiles = new WeakMap<
  readonly SourceText[],
  { readonly text: string; readonly leaks: Promise<readonly Leak[]> }
>()

function searchFile({ text, values = [] }: GuardedFile): Promise<readonly Leak[]> {
  const known = searchedFiles.get(values)
  if (known?.text === text) return known.leaks
  const leaks = search([text, ...values.map(({ value }) => value)])
  searchedFiles.set(values, { text, leaks })
  return leaks
}

/** Whether content/publishing.yaml can allow a text that a rule finds. */
export const isAllowable = (ruleId: string | undefined): boolean =>
  LEAK_RULES.find(({ id }) => id === ruleId)?.allowable === true

/** Which of these texts contain something that a rule finds, unless `isPublic`. */
export async function findSecretTexts(
  texts: readonly string[],
  isPublic: (text: string) => boolean,
): Promise<ReadonlySet<string>> {
  // The first text would be searched without the rules for values.
  const leaks = await search(['', ...texts])
  const secret = leaks.filter(({ allowable }) => allowable === undefined || !isPublic(allowable))
  return new Set(secret.flatMap(({ index }) => texts[index - 1] ?? []))
}

/** What was found and expected, if an allowed text for a rule is not used. */
function explainUnused(ruleId: string): readonly [found: string, expected: string] {
  const rule = LEAK_RULES.find(({ id }) => id === ruleId)
  if (rule?.allowable === true) {
    return [`a text allowed for ${ruleId} that is no longer in the content`, 'no unused entry']
  }
  const kind =
    rule === undefined
      ? `the unknown rule ${JSON.stringify(ruleId.slice(0, 40))}`
      : `${ruleId}, a rule that allows no exceptions`
  const ids = LEAK_RULES.filter(({ allowable }) => allowable).map(({ id }) => id)
  return [`an allowed text for ${kind}`, `one of the rules ${ids.join(', ')}`]
}

/**
 * Searches files for secrets and personal data: the text as written, including comments, and each value as published.
 * They differ if YAML folds lines or resolves escapes. A leak names the place and the rule, and never any part of the
 * finding. `unused` has the entries of `allowedTexts` that are not used, `excused` the files with a text that one allows.
 */
export async function findLeaks(files: readonly GuardedFile[], allowedTexts: AllowedTexts = []) {
  const allowed = new Map(
    allowedTexts.map((entry) => [`${entry.rule} ${createSearchText(entry.text).text}`, entry]),
  )
  const used = new Set<AllowedTexts[number]>()
  const excused = new Set<string>()
  const leaks: ContentMistake[] = []
  for (const guarded of files) {
    const { file, text, values = [], isPublicEmail } = guarded
    const lines = new LineCounter()
    for (const { index } of text.matchAll(/^|(?<=\n)/g)) lines.addNewLine(index)
    const texts = [text, ...values.map(({ value }) => value)]
    // The lines that each rule's leaks cover, so that the same finding in a value is not reported twice.
    const covered = new Set<string>()
    const isAllowed = (ruleId: string, found: string): boolean => {
      const entry = allowed.get(`${ruleId} ${found}`)
      if (entry === undefined) return false
      used.add(entry)
      excused.add(file)
      return true
    }
    for (const { rule, found, expected, index, start, end, allowable } of await searchFile(
      guarded,
    )) {
      if (allowable !== undefined && isAllowed(rule, allowable)) continue
      const finding = texts[index]?.slice(start, end) ?? ''
      if (rule === 'email-address' && isPublicEmail?.(finding) === true) continue
      const value = values[index - 1]
      if (value === undefined) {
        const { line, col: column } = lines.linePos(start)
        leaks.push({ file, line, column, field: '', found, expected, rule })
        const last = lines.linePos(end).line
        for (let at = line; at <= last; at += 1) covered.add(`${rule} ${at}`)
        continue
      }
      const { path, file: written, line, column, endLine } = value
      if (rule === 'random-text' && DIGEST_FIELDS.has(String(path.at(-1)))) continue
      const lineNumbers = Array.from({ length: endLine - line + 1 }, (_, offset) => line + offset)
      // The text of an imported file is not searched.
      const isReported = written === file && lineNumbers.some((at) => covered.has(`${rule} ${at}`))
      if (isReported) continue
      const field = formatFieldPath(path)
      leaks.push({ file: written, line, column, field, found, expected, rule })
    }
  }
  const unused: readonly Fault[] = allowedTexts.flatMap((entry, index) =>
    used.has(entry) ? [] : [fault(['allowedTexts', index], ...explainUnused(entry.rule))],
  )
  return { leaks, unused, excused }
}
