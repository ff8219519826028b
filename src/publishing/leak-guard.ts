import { lintSource } from '@secretlint/core'
import { creator as recommendedRules } from '@secretlint/secretlint-rule-preset-recommend'

import { type ContentMistake, formatFieldPath } from './content-mistake.ts'
import { LEAK_RULES } from './leak-rules.ts'
import type { PublishingSettings } from './publishing-settings.ts'
import type { SourceText, YamlSource } from './yaml-source.ts'

/** A file to be searched: its text, and its values where it could be parsed. */
export interface GuardedFile {
  readonly file: string
  readonly text: string
  readonly source: YamlSource | undefined
}

interface Finding {
  readonly rule: string
  readonly found: string
  readonly expected: string
  /** Where it starts and ends in the searched text. */
  readonly start: number
  readonly end: number
}

type AllowedTexts = PublishingSettings['allowedTexts']

// These members are digests of public documents: random by nature, and checked by their own pattern.
const DIGEST_FIELDS: ReadonlySet<string> = new Set(['documentSha256'])

/** Our own rules. Calls `pass` with each allowed text it lets through, so that the caller learns which are in use. */
function searchOwnRules(
  text: string,
  isValue: boolean,
  allowed: AllowedTexts,
  pass: (entry: AllowedTexts[number]) => void,
): readonly Finding[] {
  const findings: Finding[] = []
  for (const rule of LEAK_RULES) {
    if (rule.valuesOnly && !isValue) continue
    for (const match of rule.find(text)) {
      const entry = rule.allowable
        ? allowed.find((each) => each.rule === rule.id && each.text === match.text)
        : undefined
      if (entry !== undefined) {
        pass(entry)
        continue
      }
      findings.push({
        rule: rule.id,
        found: rule.found,
        expected: rule.expected,
        start: match.index,
        end: match.index + match.text.length,
      })
    }
  }
  return findings
}

/** The recommended rules of secretlint: credentials of many services. */
async function searchKnownCredentials(text: string): Promise<readonly Finding[]> {
  const { messages } = await lintSource({
    // The rules look at the name for files of certain programs; content is none of these.
    source: { filePath: 'content.yaml', content: text, ext: '.yaml', contentType: 'text' },
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
    start: message.range[0],
    end: message.range[1],
  }))
}

interface ValueFinding {
  readonly finding: Finding
  readonly value: SourceText
}

/** What the rules find in the values of a file, as they would be published. */
async function searchValues(
  values: readonly SourceText[],
  allowed: AllowedTexts,
  pass: (entry: AllowedTexts[number]) => void,
): Promise<readonly ValueFinding[]> {
  const found: ValueFinding[] = []
  let joined = ''
  const ends: number[] = []
  for (const value of values) {
    for (const finding of searchOwnRules(value.value, true, allowed, pass)) {
      found.push({ finding, value })
    }
    joined += `${value.value}\n`
    ends.push(joined.length)
  }
  // One call for all values: the credential rules cost far more to start than to run.
  for (const finding of await searchKnownCredentials(joined)) {
    const value = values[ends.findIndex((end) => finding.start < end)]
    if (value !== undefined) found.push({ finding, value })
  }
  return found
}

function placeIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lastBreak = before.lastIndexOf('\n')
  return { line: before.split('\n').length, column: offset - lastBreak }
}

/** Which lines of a text a finding covers, so that the same finding in a value is not told twice. */
function linesOf(text: string, finding: Finding): { from: number; to: number } {
  return { from: placeIn(text, finding.start).line, to: placeIn(text, finding.end).line }
}

/**
 * Searches files for what must not be published: the text as written, comments included, and each value as it would
 * be published, which differs from the text where YAML folds lines or resolves escapes. A report names the place and
 * the rule, and never any part of what was found.
 */
export async function findLeaks(
  files: readonly GuardedFile[],
  settings: {
    readonly file: string
    readonly value: PublishingSettings
    readonly source: YamlSource | undefined
  },
): Promise<readonly ContentMistake[]> {
  const { allowedTexts } = settings.value
  const used = new Set<AllowedTexts[number]>()
  const pass = (entry: AllowedTexts[number]): void => {
    used.add(entry)
  }
  const mistakes: ContentMistake[] = []
  for (const { file, text, source } of files) {
    const inText = [
      ...searchOwnRules(text, false, allowedTexts, pass),
      ...(await searchKnownCredentials(text)),
    ]
    const covered = inText.map((finding) => ({ rule: finding.rule, ...linesOf(text, finding) }))
    for (const { rule, found, expected, start } of inText) {
      mistakes.push({ file, ...placeIn(text, start), field: '', found, expected, rule })
    }
    const inValues = await searchValues(source?.texts ?? [], allowedTexts, pass)
    for (const { finding, value } of inValues) {
      const { rule, found, expected } = finding
      const { path, line, column, endLine } = value
      const last = path.at(-1)
      if (rule === 'random-text' && typeof last === 'string' && DIGEST_FIELDS.has(last)) continue
      const isTold = covered.some(
        (told) => told.rule === rule && told.from <= endLine && told.to >= line,
      )
      if (isTold) continue
      mistakes.push({ file, line, column, field: formatFieldPath(path), found, expected, rule })
    }
  }
  for (const [index, entry] of allowedTexts.entries()) {
    if (used.has(entry)) continue
    const path = ['allowedTexts', index]
    const rule = LEAK_RULES.find((each) => each.id === entry.rule)
    mistakes.push({
      file: settings.file,
      ...(settings.source?.place(path) ?? { line: 1, column: 1 }),
      field: formatFieldPath(path),
      found:
        rule === undefined
          ? 'an allowed text for an unknown rule'
          : rule.allowable
            ? 'an allowed text that no longer stands anywhere in the content'
            : 'an allowed text for a rule that never lets anything pass',
      expected:
        rule?.allowable === true
          ? 'no entry without a use'
          : `one of the rules ${LEAK_RULES.filter((each) => each.allowable)
              .map((each) => each.id)
              .join(', ')}`,
    })
  }
  return mistakes
}
