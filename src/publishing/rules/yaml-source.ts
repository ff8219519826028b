import type { JsonValue } from '@public-api/contract/json/canonical-json'
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
  type Scalar,
} from 'yaml'
import {
  type Checked,
  type ContentMistake,
  describeValue,
  type FieldPath,
  mistakeAt,
  type SourcePlace,
} from './content-mistake.ts'
import { explainSyntax, MAX_DEPTH } from './yaml-syntax.ts'

/** A text value and its place. */
export interface SourceText extends SourcePlace {
  readonly path: FieldPath
  readonly value: string
  /** Line of its last character. */
  readonly endLine: number
  /** Whether a comment is directly behind the text, which has no quotes. */
  readonly isCut?: boolean
}

/** The value of a content file, and where each part of it is written. */
export interface ContentSource {
  readonly value: JsonValue
  /** Every text value, in the order of the file. */
  readonly texts: readonly SourceText[]
  /** The place of a field's value, or of its name with `part: 'name'`; of the nearest parent if it is missing. */
  place(path: FieldPath, part?: 'name'): SourcePlace
}

/** Largest content file in UTF-16 code units: far larger than real content, but no problem for the parser. */
export const MAX_SOURCE_LENGTH = 1_048_576

// Harmless in this program, but dangerous in some programs that read the response.
const REFUSED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Refuses what JSON cannot express, and returns the value to go on with. */
type Refuse = (offset: number, path: FieldPath, found: string, expected: string) => null

/** Converts YAML nodes to a JSON value, adds its texts, and refuses what JSON cannot express. */
function readNodes(
  root: unknown,
  addText: (path: FieldPath, value: string, node: Scalar, start: number, end: number) => void,
  refuse: Refuse,
): JsonValue {
  function read(node: unknown, path: FieldPath, around: number): JsonValue {
    const [offset, end] = (isNode(node) ? node.range : undefined) ?? [around, around]
    const refuseThis = (found: string, expected: string) => refuse(offset, path, found, expected)
    if (isScalar(node) && node.value === null && node.comment) {
      return refuseThis('only a comment (#)', 'a value, in quotes if it begins with #')
    }
    if (!isNode(node) || (isScalar(node) && node.value === null)) {
      return refuseThis('nothing', 'a value; leave an optional field out altogether')
    }
    if (path.length > MAX_DEPTH) {
      return refuseThis('fields nested too deeply', `at most ${MAX_DEPTH} levels`)
    }
    if (isAlias(node)) {
      return refuseThis('an alias (*)', 'the value itself; aliases are not supported')
    }
    if (node.anchor !== undefined) {
      refuseThis('an anchor (&)', 'a plain value; anchors are not supported')
    }
    if (node.tag !== undefined) {
      refuseThis(`the tag ${node.tag}`, 'a plain value; tags are not supported')
    }
    // `fromEntries` defines members, so no name can reach a prototype.
    if (isMap(node)) {
      return Object.fromEntries(node.items.map((pair) => readPair(pair, path, offset)))
    }
    if (isSeq(node)) return node.items.map((item, index) => read(item, [...path, index], offset))
    const value = isScalar(node) ? node.value : undefined
    if (typeof value === 'boolean') return value
    if (typeof value === 'string') {
      addText(path, value, node, offset, end)
      return value
    }
    if (typeof value === 'bigint') {
      if (Number.isSafeInteger(Number(value))) return Number(value)
      return refuseThis(
        describeValue(value),
        'an integer within 2^53, or text in quotes (larger numbers are read differently by different programs)',
      )
    }
    return refuseThis(
      isScalar(node) ? `the number ${node.source}` : 'an unknown value',
      path.at(-1) === 'id'
        ? 'text in quotes'
        : 'an integer, or text in quotes (fractions are read differently by different programs)',
    )
  }

  function readPair({ key, value }: Pair, path: FieldPath, around: number): [string, JsonValue] {
    const offset = (isNode(key) ? key.range?.[0] : undefined) ?? around
    if (!isScalar(key) || typeof key.value !== 'string') {
      return ['', refuse(offset, path, 'a field name that is not text', 'a name of letters')]
    }
    const name = key.value
    if (key.anchor !== undefined || key.tag !== undefined) {
      refuse(offset, path, 'an anchor or tag on a field name', 'a plain name')
    }
    if (REFUSED_NAMES.has(name)) {
      const expected = 'a name that programming languages do not reserve'
      refuse(offset, path, `the field name ${name}`, expected)
    }
    return [name, read(value, [...path, name], offset)]
  }

  return read(root, [], 0)
}

/** The node of a field's value or name; undefined if it is missing. */
function nodeAt(document: Document, path: FieldPath, part: 'name' | undefined): unknown {
  const parent = part === 'name' ? document.getIn(path.slice(0, -1), true) : undefined
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
    : undefined
  return pair?.key ?? document.getIn(path, true)
}

/** What the newest text of a file parsed to: a command that edits content compiles it before and after. */
const parsed = new Map<string, { readonly text: string; readonly result: Checked<ContentSource> }>()
/** More than a content folder has. */
const MAX_PARSED = 200

/** Parses one content file (`parseText`), or returns what this text of it parsed to before. */
export function parseYamlSource(file: string, text: string): Checked<ContentSource> {
  const known = parsed.get(file)
  if (known?.text === text) return known.result
  const result = parseText(file, text)
  if (parsed.size >= MAX_PARSED) parsed.clear()
  parsed.set(file, { text, result })
  return result
}

/**
 * Parses one content file: YAML 1.2 core schema, one document, no directive, no duplicate name, no anchor, alias or
 * tag, integers within ±2^53 and no other number, no empty value. Dates stay text. Finds every mistake it can reach.
 */
function parseText(file: string, text: string): Checked<ContentSource> {
  const mistakes: ContentMistake[] = []
  const lineCounter = new LineCounter()
  const placeOf = (offset: number): SourcePlace => {
    const { line, col } = lineCounter.linePos(offset)
    return { file, line: Math.max(1, line), column: Math.max(1, col) }
  }
  const fail: Refuse = (offset, path, found, expected) => {
    mistakes.push(mistakeAt(placeOf(offset), path, found, expected))
    return null
  }
  if (text.length > MAX_SOURCE_LENGTH) {
    fail(0, [], `${text.length} characters`, `a file of at most ${MAX_SOURCE_LENGTH}`)
    return { mistakes }
  }
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    uniqueKeys: true,
    merge: false,
    intAsBigInt: true,
    prettyErrors: false,
    // Not `silent`, which would also drop every document after the first without an error.
    logLevel: 'error',
    lineCounter,
  })
  const lines = new Set<number>()
  for (const error of [...document.errors, ...document.warnings]) {
    const { offset, found, expected } = explainSyntax(document, text, error)
    const { line } = placeOf(offset)
    // Further errors on a line are consequences of the first.
    if (!lines.has(line)) fail(offset, [], found, expected)
    lines.add(line)
  }
  if (document.directives.yaml.explicit === true) {
    fail(0, [], 'a YAML directive', 'the fields alone')
  } else if (document.contents === null && lines.size === 0) {
    fail(0, [], 'an empty file', 'the fields of the resource')
  }
  if (mistakes.length > 0) return { mistakes }
  const texts: SourceText[] = []
  const addText: Parameters<typeof readNodes>[1] = (path, value, { type }, start, end) => {
    const endLine = placeOf(Math.max(start, end - 1)).line
    const isCut = type === 'PLAIN' && /^[ \t]+#/.test(text.slice(end, end + 80))
    texts.push({ path, value, ...placeOf(start), endLine, isCut })
  }
  const value = readNodes(document.contents, addText, fail)
  if (mistakes.length > 0) return { mistakes }
  const place: ContentSource['place'] = (path, part) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const isWhole = length === path.length
      const node = nodeAt(document, path.slice(0, length), isWhole ? part : undefined)
      if (isNode(node) && node.range) return placeOf(node.range[0])
    }
    return placeOf(0)
  }
  return { value: { value, texts, place }, mistakes }
}
