import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A pattern that reads as translated, and what to write instead. */
interface Pattern {
  readonly regex: RegExp
  readonly instead: string
}

/** The worst patterns. Each is a whole phrase, so that the check has few false alarms. */
export const PATTERNS: readonly Pattern[] = [
  {
    regex: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)\w+/gi,
    instead: 'is not a …, or a positive statement',
  },
  { regex: /\b(?:is|are|be|was) none\b/gi, instead: 'is missing, is invalid, has no …' },
  { regex: /\bnobody\b/gi, instead: 'no one, or name the subject' },
  { regex: /\bwhoever\b/gi, instead: 'anyone who, the client, the operator' },
  { regex: /\banew\b/gi, instead: 'again, or a verb with re-' },
  { regex: /\b(?:is|are|was|were|be|being) told\b/gi, instead: 'reports, prints, logs, receives' },
  { regex: /\btold (?:of|apart|by)\b/gi, instead: 'informed, reported, distinguished' },
  {
    regex: /\btells? (?:of|that|what|how|whether|which|who|apart|the|its)\b/gi,
    instead: 'reports, says, describes',
  },
  { regex: /\bstands? in\b(?! for)/gi, instead: 'is in, contains' },
  {
    regex: /\bstands? (?:there|beside|behind|alone|before|below|above|under)\b/gi,
    instead: 'is next to, follows',
  },
  { regex: /\bto be had\b|\bbe had\b/gi, instead: 'available' },
  { regex: /\bcame? to nothing\b|\bwhat became of\b/gi, instead: 'result' },
  { regex: /\bunasked\b|\bthe like of\b/gi, instead: 'unrequested, unexpectedly' },
  {
    regex: /\b(?:organis|licenc(?:e|es)\b|colour|behaviour|neighbour|honour|favour)\w*/gi,
    instead: 'American spelling',
  },
  { regex: /\be-mail/gi, instead: 'email' },
  { regex: /\b[Kk]ey [Ii]ds?\b/g, instead: 'key ID' },
  { regex: /\blook-ups?\b/gi, instead: 'lookup' },
  {
    regex: /\b(?:an|the|this|each|every|signed|stored|whole) answers?\b(?! to the question)/gi,
    instead: 'response',
  },
  { regex: /\bwhere there (?:is|are) (?:no|none)\b/gi, instead: 'if … is missing, without …' },
  { regex: /\b(?:holds?|held) (?:\w+ ){0,2}against\b/gi, instead: 'compares with, checks with' },
  { regex: /\b(?:unless|until) told\b/gi, instead: 'by default, unless … is given' },
  { regex: /\bwhat (?:came|comes) of (?:it|them|the)\b/gi, instead: 'its result' },
]

/** Permits the patterns in its line and the next one: `language-ok: <reason>` in a comment. */
const ALLOWED = /\blanguage-ok: \S/

const FILES = [
  'src/**/*.ts',
  'scripts/**/*.{ts,mjs}',
  'bench/*.ts',
  'test/**/*.{md,ts}',
  'examples/**/*.md',
  'packages/**/*.{md,ts}',
  'deploy/**/*',
  'docs/**/*.{md,conf,vcl,sh,py,go}',
  'locales/en.json',
  '*.md',
  '.ci/*',
]

/** Files that quote the patterns. */
const EXCEPT: ReadonlySet<string> = new Set([
  'scripts/check-language.ts',
  'test/check-language.test.ts',
])

/** One line for each use of a pattern, with its place. */
export function languageFaults(file: string, source: string): readonly string[] {
  const lines = source.split('\n')
  return lines.flatMap((line, index) => {
    if (ALLOWED.test(line) || ALLOWED.test(lines[index - 1] ?? '')) return []
    const text = file.endsWith('.py') ? line.replaceAll(/\bis (?:not )?None\b/g, '') : line
    return PATTERNS.flatMap(({ regex, instead }) =>
      [...text.matchAll(regex)].map(
        ([found]) => `${file}:${index + 1}: found "${found}"; expected ${instead}`,
      ),
    )
  })
}

/** The faults of every file of a checkout. */
export function findLanguageFaults(rootDir: string): readonly string[] {
  return FILES.flatMap((pattern) => globSync(pattern, { cwd: rootDir, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(rootDir, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.includes('node_modules') && !EXCEPT.has(file))
    .toSorted()
    .flatMap((file) => languageFaults(file, readFileSync(path.join(rootDir, file), 'utf8')))
}
