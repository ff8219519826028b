/** One reference of a TypeScript module to another: an import, a re-export, a dynamic import or an import type. */
export interface ModuleReference {
  /** The specifier as written; undefined if it is computed. */
  readonly specifier: string | undefined
  /** Line of the specifier, from 1. */
  readonly line: number
  /** Whether it disappears when types are stripped. */
  readonly isTypeOnly: boolean
}

/** A bare name in a module's code, outside strings and comments. */
export interface NameUse {
  readonly name: string
  readonly line: number
}

/** Source text whose strings, templates, regular expressions and comments are blanked out, position by position. */
interface MaskedSource {
  readonly code: string
  /** Contents of plain strings (and of templates without a substitution), by the position of their first quote. */
  readonly strings: ReadonlyMap<number, string>
}

// What may precede a slash that begins a regular expression; after anything else it divides.
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|await|yield))\s*$/

function maskSource(source: string): MaskedSource {
  const strings = new Map<number, string>()
  const out = source.split('')
  const blank = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) if (out[at] !== '\n') out[at] = ' '
  }
  // One entry for each template whose substitution is being read: the depth of braces inside it.
  const substitutions: number[] = []
  let at = 0

  /** Skips a template's text from `start`; ends after its closing quote or the next `${`. */
  const skipTemplate = (start: number): void => {
    at = start
    while (at < source.length && source[at] !== '`') {
      if (source[at] === '$' && source[at + 1] === '{') {
        blank(start, at)
        substitutions.push(0)
        at += 2
        return
      }
      at += source[at] === '\\' ? 2 : 1
    }
    blank(start, at)
    at += 1
  }

  while (at < source.length) {
    const char = source[at]
    const start = at
    if (char === '/' && source[at + 1] === '/') {
      const end = source.indexOf('\n', at)
      at = end === -1 ? source.length : end
      blank(start, at)
    } else if (char === '/' && source[at + 1] === '*') {
      const end = source.indexOf('*/', at + 2)
      at = end === -1 ? source.length : end + 2
      blank(start, at)
    } else if (char === "'" || char === '"') {
      at += 1
      while (at < source.length && source[at] !== char && source[at] !== '\n') {
        at += source[at] === '\\' ? 2 : 1
      }
      strings.set(start, source.slice(start + 1, at))
      blank(start + 1, at)
      at += 1
    } else if (char === '`') {
      skipTemplate(at + 1)
      const isPlain = source[at - 1] === '`'
      if (isPlain) strings.set(start, source.slice(start + 1, at - 1))
    } else if (char === '/' && BEFORE_REGEX.test(out.slice(Math.max(0, at - 40), at).join(''))) {
      at = endOfRegex(source, at)
      blank(start, at)
    } else if (substitutions.length > 0 && (char === '{' || char === '}')) {
      const depth = substitutions.pop() ?? 0
      if (char === '}' && depth === 0) {
        skipTemplate(at + 1)
      } else {
        substitutions.push(depth + (char === '{' ? 1 : -1))
        at += 1
      }
    } else {
      at += 1
    }
  }
  return { code: out.join(''), strings }
}

function endOfRegex(source: string, start: number): number {
  let inClass = false
  for (let at = start + 1; at < source.length && source[at] !== '\n'; at += 1) {
    if (source[at] === '\\') at += 1
    else if (source[at] === '[') inClass = true
    else if (source[at] === ']') inClass = false
    else if (source[at] === '/' && !inClass) return at + 1
  }
  return start + 1
}

const FROM = /\b(?:import|export)\b(?<clause>[\w\s{},*$]*?)\bfrom\s*(?=['"])/g
const BARE = /\bimport\s*(?=['"])/g
const CALL = /(?<![.\w$])import\s*\(\s*/g

/** Every reference of a TypeScript source text to another module, in the order of the text's positions. */
export function moduleReferences(source: string): readonly ModuleReference[] {
  const { code, strings } = maskSource(source)
  const found: (ModuleReference & { readonly position: number })[] = []
  const add = (position: number, isTypeOnly: boolean): void => {
    found.push({
      specifier: strings.get(position),
      line: lineOf(source, position),
      isTypeOnly,
      position,
    })
  }
  for (const match of code.matchAll(FROM)) {
    add(match.index + match[0].length, isTypeClause(match.groups?.['clause'] ?? ''))
  }
  for (const match of code.matchAll(BARE)) add(match.index + match[0].length, false)
  for (const match of code.matchAll(CALL)) {
    // `import('x').Name` in the place of a type reads like a call; it is counted as one, which is the stricter way.
    add(match.index + match[0].length, false)
  }
  return found
    .toSorted((a, b) => a.position - b.position)
    .map(({ specifier, line, isTypeOnly }) => ({ specifier, line, isTypeOnly }))
}

/** `type { A }`, `type * as a` or `{ type A, type B }`. */
function isTypeClause(clause: string): boolean {
  const text = clause.trim()
  if (/^type\b(?!\s*,)/.test(text)) return true
  const names = /^\{(?<names>[^}]*)\}$/.exec(text)?.groups?.['names']?.split(',') ?? []
  const given = names.map((name) => name.trim()).filter((name) => name !== '')
  return given.length > 0 && given.every((name) => name.startsWith('type '))
}

/**
 * Where a source text uses one of these names as a variable of its own: no member, no key, no string, no comment. A name
 * with a colon behind it is a key only right after `{` or `,`; elsewhere it may be the middle of `a ? b : c`. So a member
 * of a type is counted where only a line break precedes it, which is the stricter way.
 */
export function nameUses(source: string, names: readonly string[]): readonly NameUse[] {
  const { code } = maskSource(source)
  const name = String.raw`(?:${names.join('|')})(?![\w$])`
  const mayBeKey = String.raw`(?<=[{,]\s*)${name}(?!\s*\??:)`
  const pattern = new RegExp(String.raw`(?<![.\w$])(?:${mayBeKey}|(?<![{,]\s*)${name})`, 'g')
  return [...code.matchAll(pattern)].map((match) => ({
    name: match[0],
    line: lineOf(source, match.index),
  }))
}

function lineOf(source: string, position: number): number {
  return source.slice(0, position).split('\n').length
}
