import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Pair,
  type Scalar,
} from 'yaml'

import type { JsonValue } from '../contract/canonical-json.ts'
import { explainSyntax, MAX_DEPTH } from './yaml-syntax.ts'
import {
  type ContentMistake,
  describeValue,
  type FieldPath,
  formatFieldPath,
} from './content-mistake.ts'

/** A place in a file. Lines and columns count from 1. */
export interface SourcePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A text value and its place. */
export interface SourceText extends SourcePlace {
  readonly path: FieldPath
  readonly value: string
  /** Line of its last character. */
  readonly endLine: number
}

/** The value of a content file, and where each part of it is written. */
export interface ContentSource {
  readonly value: JsonValue
  /** Every text value, in the order of the file. */
  readonly texts: readonly SourceText[]
  /** The place of a field's value, or of its name with `part: 'name'`; of the nearest parent if it is missing. */
  place(path: FieldPath, part?: 'name' | 'value'): SourcePlace
}

/** A parsed file, or every mistake in its YAML. */
export type YamlOutcome =
  | { readonly source: ContentSource; readonly mistakes: readonly [] }
  | { readonly source: undefined; readonly mistakes: readonly ContentMistake[] }

/** Largest content file in UTF-16 code units: far larger than real content, but no problem for the parser. */
const MAX_SOURCE_LENGTH = 1_048_576

// Harmless in this program, but dangerous in some programs that read the response.
const REFUSED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

interface Refusal {
  readonly offset: number
  readonly path: FieldPath
  readonly found: string
  readonly expected: string
}

/** The value of a document, the place of each part, and what JSON cannot express. */
interface NodeReading {
  readonly value: JsonValue
  readonly refusals: readonly Refusal[]
  readonly nameOffsets: ReadonlyMap<string, number>
  readonly valueOffsets: ReadonlyMap<string, number>
  readonly texts: readonly {
    readonly path: FieldPath
    readonly value: string
    readonly start: number
    readonly end: number
  }[]
}

/** Converts YAML nodes to JSON values with their places, and refuses what JSON cannot express. */
function readNodes(root: unknown): NodeReading {
  const refusals: Refusal[] = []
  const nameOffsets = new Map<string, number>()
  const valueOffsets = new Map<string, number>()
  const texts: { path: FieldPath; value: string; start: number; end: number }[] = []

  function read(node: unknown, path: FieldPath, around: number): JsonValue {
    if (!isNode(node)) return readNothing(path, around)
    const value = node
    const offset = value.range?.[0] ?? around
    valueOffsets.set(JSON.stringify(path), offset)
    if (path.length > MAX_DEPTH) {
      return refuse(offset, path, 'fields nested too deeply', `at most ${MAX_DEPTH} levels`)
    }
    if (isAlias(value)) {
      return refuse(offset, path, 'an alias (*)', 'the value itself; aliases are not used here')
    }
    if (value.anchor !== undefined) {
      refuse(offset, path, 'an anchor (&)', 'a plain value; anchors are not used here')
    }
    if (value.tag !== undefined) {
      refuse(offset, path, `the tag ${value.tag}`, 'a plain value; tags are not used here')
    }
    if (isMap(value)) {
      // `fromEntries` defines members, so no name can reach a prototype.
      return Object.fromEntries(value.items.map((pair) => readPair(pair, path, offset)))
    }
    if (isSeq(value)) {
      return value.items.map((item, index) => read(item, [...path, index], offset))
    }
    if (isScalar(value)) return readScalar(value, path, offset)
    return refuse(offset, path, 'an unknown kind of value', 'text, a number, a list or fields')
  }

  function readPair(pair: Pair, path: FieldPath, around: number): [string, JsonValue] {
    const { key } = pair
    const offset = (isNode(key) ? key.range?.[0] : undefined) ?? around
    if (!isScalar(key) || typeof key.value !== 'string') {
      refuse(offset, path, 'a field name that is not text', 'a name of letters')
      return ['', null]
    }
    if (key.anchor !== undefined || key.tag !== undefined) {
      refuse(offset, path, 'an anchor or tag on a field name', 'a plain name')
    }
    if (REFUSED_NAMES.has(key.value)) {
      refuse(
        offset,
        path,
        `the field name ${key.value}`,
        'a name that programming languages do not reserve',
      )
    }
    const at = [...path, key.value]
    nameOffsets.set(JSON.stringify(at), offset)
    return [key.value, read(pair.value, at, offset)]
  }

  function readScalar(node: Scalar, path: FieldPath, offset: number): JsonValue {
    const { value } = node
    if (value === null) return readNothing(path, offset)
    if (typeof value === 'string') {
      texts.push({ path, value, start: offset, end: node.range?.[1] ?? offset })
      return value
    }
    if (typeof value === 'boolean') return value
    if (typeof value === 'bigint') {
      const number = Number(value)
      if (Number.isSafeInteger(number)) return number
      return refuse(
        offset,
        path,
        describeValue(value),
        'an integer within 2^53, or text in quotes (larger numbers are read differently by different programs)',
      )
    }
    return refuse(
      offset,
      path,
      typeof value === 'number' ? `the number ${node.source ?? value}` : 'an unknown value',
      'an integer, or text in quotes (fractions are read differently by different programs)',
    )
  }

  function readNothing(path: FieldPath, offset: number): JsonValue {
    valueOffsets.set(JSON.stringify(path), offset)
    return refuse(offset, path, 'nothing', 'a value; leave an optional field out altogether')
  }

  function refuse(offset: number, path: FieldPath, found: string, expected: string): null {
    refusals.push({ offset, path, found, expected })
    return null
  }

  return { value: read(root, [], 0), refusals, nameOffsets, valueOffsets, texts }
}

function fail(mistakes: readonly ContentMistake[]): YamlOutcome {
  return { source: undefined, mistakes }
}

/**
 * Parses one content file: YAML 1.2 core schema, one document, no directive, no duplicate name, no anchor, alias or
 * tag, integers within ±2^53 and no other number, no empty value. Dates stay text. Reports every mistake it can reach.
 */
export function parseYamlSource(file: string, text: string): YamlOutcome {
  const lineCounter = new LineCounter()
  const placeOf = (offset: number): SourcePlace => {
    const { line, col } = lineCounter.linePos(offset)
    return { file, line: Math.max(1, line), column: Math.max(1, col) }
  }
  const mistakeAt = (
    offset: number,
    field: string,
    found: string,
    expected: string,
  ): ContentMistake => ({ ...placeOf(offset), field, found, expected })
  const whole = { file, line: 1, column: 1, field: '' }

  if (text.length > MAX_SOURCE_LENGTH) {
    return fail([
      {
        ...whole,
        found: `${text.length} characters`,
        expected: `a file of at most ${MAX_SOURCE_LENGTH}`,
      },
    ])
  }

  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    uniqueKeys: true,
    merge: false,
    intAsBigInt: true,
    prettyErrors: false,
    // Not `silent`, which would also ignore further documents without an error.
    logLevel: 'error',
    lineCounter,
  })
  const syntax: ContentMistake[] = []
  const linesReported = new Set<number>()
  for (const error of [...document.errors, ...document.warnings]) {
    const { offset, found, expected } = explainSyntax(document, text, error)
    const mistake = mistakeAt(offset, '', found, expected)
    // Further errors on a line are consequences of the first.
    if (!linesReported.has(mistake.line)) syntax.push(mistake)
    linesReported.add(mistake.line)
  }
  if (document.directives.yaml.explicit === true) {
    syntax.push({ ...whole, found: 'a YAML directive', expected: 'the fields alone' })
  }
  if (syntax.length > 0) return fail(syntax)
  if (document.contents === null) {
    return fail([{ ...whole, found: 'an empty file', expected: 'the fields of the resource' }])
  }
  const reading = readNodes(document.contents)
  if (reading.refusals.length > 0) {
    return fail(
      reading.refusals.map(({ offset, path, found, expected }) =>
        mistakeAt(offset, formatFieldPath(path), found, expected),
      ),
    )
  }

  const place = (path: FieldPath, part: 'name' | 'value' = 'value'): SourcePlace => {
    const offsets =
      part === 'name' ? [reading.nameOffsets, reading.valueOffsets] : [reading.valueOffsets]
    for (const known of offsets) {
      const offset = known.get(JSON.stringify(path))
      if (offset !== undefined) return placeOf(offset)
    }
    return path.length === 0 ? { file, line: 1, column: 1 } : place(path.slice(0, -1))
  }
  return {
    source: {
      value: reading.value,
      texts: reading.texts.map(({ path, value: each, start, end }) => {
        const endLine = placeOf(Math.max(start, end - 1)).line
        return { path, value: each, ...placeOf(start), endLine }
      }),
      place,
    },
    mistakes: [],
  }
}
