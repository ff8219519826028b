import { lintSource } from '@secretlint/core'
import { creator as recommendedRules } from '@secretlint/secretlint-rule-preset-recommend'

import { type ContentMistake, formatFieldPath } from './content-mistake.ts'
import { lastAtOrBefore } from './last-at-or-before.ts'
import { LEAK_RULES } from './leak-rules.ts'
import { DEFAULT_SETTINGS, type PublishingSettings, SETTINGS_FILE } from './publishing-settings.ts'
import { createSearchText, type SearchText } from './search-text.ts'
import type { SourceText, ContentSource } from './yaml-source.ts'

/** A file to search: its text, and its values if it could be parsed. */
export interface GuardedFile {
  readonly file: string
  readonly text: string
  readonly source: ContentSource | undefined
  /** Public email addresses of contact fields. */
  readonly publicEmails?: readonly string[]
}

interface Finding {
  readonly rule: string
  readonly found: string
  readonly expected: string
  /** Its start and end in the original text. */
  readonly start: number
  readonly end: number
}

type AllowedTexts = PublishingSettings['allowedTexts']

/** The allowed texts by rule and text, and those of them that were found. */
function createAllowances(allowed: AllowedTexts) {
  const entries = new Map(
    allowed.map((entry) => [`${entry.rule} ${createSearchText(entry.text).text}`, entry]),
  )
  const used = new Set<AllowedTexts[number]>()
  const allows = (ruleId: string, text: string): boolean => {
    const entry = entries.get(`${ruleId} ${text}`)
    if (entry !== undefined) used.add(entry)
    return entry !== undefined
  }
  return { allows, used }
}

type Allowances = ReturnType<typeof createAllowances>

// Fields with digests of public documents, which look random. Their own pattern checks them.
const DIGEST_FIELDS: ReadonlySet<string> = new Set(['documentSha256'])

/** Searches with the service's own rules. */
function searchOwnRules(
  search: SearchText,
  isValue: boolean,
  allowances: Allowances,
): readonly Finding[] {
  const findings: Finding[] = []
  for (const rule of LEAK_RULES) {
    if (rule.valuesOnly && !isValue) continue
    for (const match of rule.find(search.text)) {
      if (rule.allowable && allowances.allows(rule.id, match.text)) continue
      findings.push({
        rule: rule.id,
        found: rule.found,
        expected: rule.expected,
        start: search.originalOffset(match.index),
        end: search.originalOffset(match.index + match.text.length),
      })
    }
  }
  return findings
}

/** Searches with the recommended rules of secretlint: credentials of many services. */
async function searchKnownCredentials(search: SearchText): Promise<readonly Finding[]> {
  const { messages } = await lintSource({
    // Some rules depend on the file name of certain programs, which content files do not have.
    source: { filePath: 'content.yaml', content: search.text, ext: '.yaml', contentType: 'text' },
    options: {
      noPhysicFilePath: true,
      maskSecrets: true,
      config: { rules: [{ id: recommendedRules.meta.id, rule: recommendedRules, options: {} }] },
    },
  })
  return messages.map((message) => ({
    rule: message.ruleId.replace('@secretlint/secretlint-rule-', 'secretlint/'),
    found: `a credential (${message.messageId})`,
    expected: 'no credential; revoke this one',
    start: search.originalOffset(message.range[0]),
    end: search.originalOffset(message.range[1]),
  }))
}

interface ValueFinding {
  readonly finding: Finding
  readonly value: SourceText
}

/** Searches the values of a file as they would be published. */
async function searchValues(
  values: readonly SourceText[],
  allowances: Allowances,
): Promise<readonly ValueFinding[]> {
  const found: ValueFinding[] = []
  let joined = ''
  const starts: number[] = []
  for (const value of values) {
    for (const finding of searchOwnRules(createSearchText(value.value), true, allowances)) {
      found.push({ finding, value })
    }
    starts.push(joined.length)
    joined += `${value.value}\n`
  }
  // One call for all values: the credential rules cost far more to start than to run.
  for (const finding of await searchKnownCredentials(createSearchText(joined))) {
    const value = values[lastAtOrBefore(starts, finding.start)]
    if (value !== undefined) found.push({ finding, value })
  }
  return found
}

/** Line and column of an offset in a text, both from 1. */
function createPlaces(text: string): (offset: number) => { line: number; column: number } {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (offset) => {
    const line = lastAtOrBefore(lineStarts, offset)
    return { line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1 }
  }
}

/** Why an allowed text for a rule is not used. */
function explainUnused(ruleId: string): Pick<ContentMistake, 'found' | 'expected'> {
  const rule = LEAK_RULES.find(({ id }) => id === ruleId)
  if (rule?.allowable === true) {
    const found = 'an allowed text that is no longer in the content'
    return { found, expected: 'only entries that are in use' }
  }
  const kind = rule === undefined ? 'an unknown rule' : 'a rule that allows no exceptions'
  const ids = LEAK_RULES.filter(({ allowable }) => allowable).map(({ id }) => id)
  return { found: `an allowed text for ${kind}`, expected: `one of the rules ${ids.join(', ')}` }
}

/**
 * Searches files for secrets and personal data: the text as written, including comments, and each value as published.
 * They differ if YAML folds lines or resolves escapes. A report names the place and the rule, and never any part of the
 * finding.
 */
export async function findLeaks(
  files: readonly GuardedFile[],
  settings: {
    readonly file: string
    readonly value: PublishingSettings
    readonly source: ContentSource | undefined
  } = { file: SETTINGS_FILE, value: DEFAULT_SETTINGS, source: undefined },
): Promise<readonly ContentMistake[]> {
  const { allowedTexts } = settings.value
  const allowances = createAllowances(allowedTexts)
  const mistakes: ContentMistake[] = []
  for (const { file, text, source, publicEmails = [] } of files) {
    const search = createSearchText(text)
    const isPublic = (rule: string, start: number, end: number, within: string): boolean =>
      rule === 'email-address' && publicEmails.includes(within.slice(start, end))
    const placeOf = createPlaces(text)
    const inText = [
      ...searchOwnRules(search, false, allowances),
      ...(await searchKnownCredentials(search)),
    ]
    // The lines that each rule's findings cover, so that the same finding in a value is not reported twice.
    const covered = new Set<string>()
    for (const { rule, found, expected, start, end } of inText) {
      if (isPublic(rule, start, end, text)) continue
      const place = placeOf(start)
      mistakes.push({ file, ...place, field: '', found, expected, rule })
      const lastLine = placeOf(end).line
      for (let { line } = place; line <= lastLine; line += 1) covered.add(`${rule} ${line}`)
    }
    for (const { finding, value } of await searchValues(source?.texts ?? [], allowances)) {
      const { rule, found, expected, start, end } = finding
      if (isPublic(rule, start, end, value.value)) continue
      const { path, line, column, endLine } = value
      const last = path.at(-1)
      if (rule === 'random-text' && typeof last === 'string' && DIGEST_FIELDS.has(last)) continue
      let isReported = false
      for (let at = line; at <= endLine && !isReported; at += 1) {
        isReported = covered.has(`${rule} ${at}`)
      }
      if (isReported) continue
      mistakes.push({ file, line, column, field: formatFieldPath(path), found, expected, rule })
    }
  }
  for (const [index, entry] of allowedTexts.entries()) {
    if (allowances.used.has(entry)) continue
    const path = ['allowedTexts', index]
    const place = settings.source?.place(path) ?? { line: 1, column: 1 }
    const field = formatFieldPath(path)
    mistakes.push({ file: settings.file, ...place, field, ...explainUnused(entry.rule) })
  }
  return mistakes
}
