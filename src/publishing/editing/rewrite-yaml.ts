import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import {
  CST,
  Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { type FieldPath, formatFieldPath } from '../rules/content-mistake.ts'

/** A change that cannot be made in the style in which the file is written. */
export class YamlStyleError extends Error {
  constructor(path: FieldPath) {
    super(`${formatFieldPath(path) || 'the file'} is written in a way that cannot be edited here`)
    this.name = 'YamlStyleError'
  }
}

/** A replacement of a part of the source; an insertion if start and end are the same. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

type Members = { readonly [name: string]: JsonValue | undefined }

/** Longest line of a text that is written again. Longer texts are folded. */
const LINE_WIDTH = 120
/** A list with short items is written on one line. */
const INLINE_LISTS: ReadonlySet<unknown> = new Set(['components'])

/** What identifies an item of a list: its id, its time, or the item itself. */
function keyOf(item: JsonValue | undefined): JsonValue | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  const { id, at } = item as Members
  return id ?? at
}

/** Where one item of a list moved: from and to. Undefined if no item moved, or more than that changed. */
function findMove(before: readonly JsonValue[], now: readonly JsonValue[]) {
  const [old, wanted] = [before.map(keyOf), now.map(keyOf)]
  const differs = (key: JsonValue | undefined, index: number) =>
    !isDeepStrictEqual(key, wanted[index])
  const [first, last] = [old.findIndex(differs), old.findLastIndex(differs)]
  if (first === -1) return undefined
  return [
    { from: first, to: last },
    { from: last, to: first },
  ].find(({ from, to }) =>
    isDeepStrictEqual(old.toSpliced(from, 1).toSpliced(to, 0, old[from]), wanted),
  )
}

/** Breaks a text without line breaks into lines of limited width. */
function fold(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

/** Whether folding keeps a text. */
const isFoldable = (text: string): boolean => !/[\n\t]| {2}/.test(text)

/**
 * The splices that give a YAML document another value. Everything that they do not replace keeps its bytes: comments,
 * order, quotes, indentation and line ends. A value may be changed or added, but not removed; one item of a list may move.
 * The source is one valid document without anchors. Throws a YamlStyleError for a style in which a change cannot be made.
 */
export function spliceYaml(source: string, after: JsonValue): readonly Splice[] {
  const document = parseDocument(source, { keepSourceTokens: true, schema: 'core', merge: false })
  const splices: Splice[] = []
  const eol = source.includes('\r\n') ? '\r\n' : '\n'
  const splice = (start: number, end: number, text: string): void => {
    splices.push({ start, end, text: text.replaceAll(/\r?\n/g, eol) })
  }
  const lineStart = (offset: number): number => source.lastIndexOf('\n', offset - 1) + 1
  const columnOf = (offset: number): number =>
    offset - lineStart(offset) - (source.startsWith('\ufeff') && lineStart(offset) === 0 ? 1 : 0)

  /** The end of the line at an offset, before its line break. */
  function lineEnd(offset: number): number {
    const end = source.indexOf('\n', offset)
    if (end === -1) return source.length
    return source[end - 1] === '\r' ? end - 1 : end
  }

  function startOf(node: Node | null | undefined, path: FieldPath): number {
    if (!node?.range) throw new YamlStyleError(path)
    return node.range[0]
  }

  /** The end of the last line of a value, behind a comment on that line. */
  function endOf(node: Node | null | undefined, path: FieldPath): number {
    if (isCollection(node) && node.flow !== true) {
      const last: unknown = node.items.at(-1)
      return endOf((isPair(last) ? (last.value ?? last.key) : last) as Node | null, path)
    }
    const start = startOf(node, path)
    const end = node?.range?.[1] ?? start
    return lineEnd(start + source.slice(start, end).trimEnd().length)
  }

  /** Whether lists of the file are indented below their names. */
  const isIndented = ((): boolean => {
    let found: boolean | undefined
    visit(document, {
      Pair(_, { key, value }) {
        if (!isSeq(value) || value.flow === true || !isScalar(key)) return undefined
        const [list, name] = [value.range?.[0] ?? 0, key.range?.[0] ?? 0]
        found = columnOf(list) > columnOf(name)
        return visit.BREAK
      },
    })
    return found ?? true
  })()

  const isQuoted = (node: unknown): boolean => {
    const [first] = isCollection(node) ? node.items : []
    const shown: unknown = isPair(first) ? first.key : first
    return isScalar(shown) && shown.type === Scalar.QUOTE_DOUBLE
  }

  /** A value within brackets, with quotes as its neighbors have them. */
  function formatFlow(value: JsonValue, neighbors: Node): string {
    if (isQuoted(neighbors) || isQuoted(document.contents)) return JSON.stringify(value)
    const wrapped = new Document([value])
    return wrapped.toString({ collectionStyle: 'flow', lineWidth: 0 }).trim().slice(1, -1).trim()
  }

  /** A value in lines; lines after the first start with `indent`. */
  function formatBlock(value: JsonValue, indent: string): string {
    const written = new Document(value)
    visit(written, {
      Pair(_, { key, value: member }) {
        if (isScalar(key) && INLINE_LISTS.has(key.value) && isSeq(member)) member.flow = true
      },
      Scalar(_, node) {
        const { value: text } = node
        if (typeof text !== 'string') return
        if (text.includes('\n')) node.type = Scalar.BLOCK_LITERAL
        else if (text.length > 80 && isFoldable(text)) node.type = Scalar.BLOCK_FOLDED
      },
    })
    const lineWidth = Math.max(40, LINE_WIDTH - indent.length)
    const options = { lineWidth, indentSeq: isIndented, flowCollectionPadding: false }
    const text = written.toString(options).trimEnd()
    return text.replaceAll(/\n(?=[^\n])/g, `\n${indent}`)
  }

  function setBlockText(node: Scalar, token: CST.BlockScalar, text: string, path: FieldPath): void {
    const header = token.props.find(({ type }) => type === 'block-scalar-header')
    const last = token.props.at(-1)
    if (header?.type !== 'block-scalar-header' || !last || !('source' in last)) {
      throw new YamlStyleError(path)
    }
    const indent = /^ +/m.exec(token.source)?.[0] ?? ''
    const isFolded = node.type === Scalar.BLOCK_FOLDED && isFoldable(text)
    const lines = isFolded ? fold(text, LINE_WIDTH - indent.length) : text.split('\n')
    const body = lines.map((line) => (line === '' ? '' : indent + line)).join('\n')
    const start = last.offset + last.source.length
    splice(header.offset, header.offset + header.source.length, isFolded ? '>-' : '|-')
    splice(start, start + token.source.trimEnd().length, body)
  }

  function setText(node: unknown, value: JsonValue, path: FieldPath, inFlow: boolean): void {
    if (!isScalar(node) || !node.range || node.srcToken === undefined)
      throw new YamlStyleError(path)
    if (node.srcToken.type === 'block-scalar' && typeof value === 'string') {
      return setBlockText(node, node.srcToken, value, path)
    }
    let text = JSON.stringify(value)
    if (typeof value === 'string' && !value.includes('\n')) {
      const type = node.type ?? Scalar.PLAIN
      const token = CST.createScalarToken(value, { type, indent: 2, inFlow })
      if (token.type !== 'block-scalar') text = token.source
    }
    splice(node.range[0], node.range[1], text)
  }

  /** White space between the bracket of a list and its first item, which separates further items as well. */
  function separatorOf(node: YAMLSeq, path: FieldPath): string {
    const [open, first] = [startOf(node, path) + 1, startOf(node.items[0] as Node, path)]
    const between = source.slice(open, first)
    return /^\s+$/.test(between) ? between : ' '
  }

  function insertInFlow(
    node: YAMLSeq,
    index: number,
    items: readonly JsonValue[],
    path: FieldPath,
  ) {
    const texts = items.map((item) => formatFlow(item, node))
    if (node.items.length === 0) {
      const start = startOf(node, path) + 1
      return splice(start, start, texts.join(', '))
    }
    const separator = separatorOf(node, path)
    if (index === 0) {
      const start = startOf(node.items[0] as Node, path)
      return splice(start, start, texts.map((text) => `${text},${separator}`).join(''))
    }
    const end = (node.items[index - 1] as Node).range?.[1]
    if (end === undefined) throw new YamlStyleError(path)
    splice(end, end, texts.map((text) => `,${separator}${text}`).join(''))
  }

  /** The offsets of the dashes of a list. */
  function dashesOf({ srcToken }: YAMLSeq, path: FieldPath): readonly number[] {
    if (srcToken?.type !== 'block-seq') throw new YamlStyleError(path)
    return srcToken.items.flatMap(({ start }) =>
      start.flatMap(({ type, offset }) => (type === 'seq-item-ind' ? [offset] : [])),
    )
  }

  function insertInBlock(
    node: YAMLSeq,
    index: number,
    items: readonly JsonValue[],
    path: FieldPath,
  ) {
    const dashes = dashesOf(node, path)
    const [first = 0] = dashes
    const column = columnOf(first)
    const indent = ' '.repeat(column)
    const content = startOf(node.items[0] as Node, path)
    const isBeside = lineStart(content) === lineStart(first)
    const dash = `-${' '.repeat(isBeside ? Math.max(1, content - first - 1) : 1)}`
    const lines = items.map(
      (item) => `${indent}${dash}${formatBlock(item, indent + ' '.repeat(dash.length))}`,
    )
    const start = itemStart(node, index, path)
    if (start === undefined) {
      const end = endOf(node, path)
      return splice(end, end, lines.map((line) => `\n${line}`).join(''))
    }
    splice(start, start, lines.map((line) => `${line}\n`).join(''))
  }

  /**
   * The start of an item's first line; undefined without such an item. Comments above it belong to it; those above the
   * first item belong to the list.
   */
  function itemStart(node: YAMLSeq, index: number, path: FieldPath): number | undefined {
    const dash = dashesOf(node, path)[index]
    if (dash === undefined) return undefined
    let start = lineStart(dash)
    if (source.slice(start, dash).trim() !== '') throw new YamlStyleError(path)
    if (index === 0) return start
    // What looks like a comment may be the end of a text.
    const previousEnd = endOf(node.items[index - 1] as Node, path)
    const isComment = (at: number) =>
      at > previousEnd && /^[ \t]*#/.test(source.slice(at, lineEnd(at)))
    while (isComment(lineStart(start - 1))) start = lineStart(start - 1)
    return start
  }

  /** Moves the lines of the item at `from`, which `changeItem` changes, to where it is the item at `to`. */
  function moveInBlock(
    node: YAMLSeq,
    { from, to }: { readonly from: number; readonly to: number },
    changeItem: (index: number) => void,
    path: FieldPath,
  ): void {
    const [start = 0, next] = [itemStart(node, from, path), itemStart(node, from + 1, path)]
    const listEnd = endOf(node, path)
    const end = next ?? listEnd
    const outside = splices.length
    changeItem(from)
    const inner = splices.splice(outside).map((each) => ({
      ...each,
      start: each.start - start,
      end: each.end - start,
    }))
    const ordered = inner.toSorted((a, b) => a.start - b.start)
    const lines = applySplices(source.slice(start, end), ordered).replace(/\r?\n$/, '')
    // The last item has no line break of its own: the one before it goes.
    splice(next === undefined ? start - (source[start - 2] === '\r' ? 2 : 1) : start, end, '')
    const before = itemStart(node, to > from ? to + 1 : to, path)
    if (before === undefined) splice(listEnd, listEnd, `\n${lines}`)
    else splice(before, before, `${lines}\n`)
  }

  /** Replaces `[]` by items below the name of the list. */
  function fillEmptyList(
    { key, value }: { key: unknown; value: YAMLSeq },
    items: readonly JsonValue[],
    path: FieldPath,
  ): void {
    const start = startOf(value, path)
    const end = start + source.slice(start, value.range?.[1]).trimEnd().length
    if (!/^\[\s*\]$/.test(source.slice(start, end))) throw new YamlStyleError(path)
    const column = columnOf(startOf(key as Node, path)) + (isIndented ? 2 : 0)
    const indent = ' '.repeat(column)
    const lines = items.map((item) => `\n${indent}- ${formatBlock(item, `${indent}  `)}`)
    const stop = lineEnd(end)
    const isLast = source.slice(end, stop).trim() === ''
    splice(isLast && source[start - 1] === ' ' ? start - 1 : start, isLast ? stop : end, '')
    splice(stop, stop, lines.join(''))
  }

  function insertMember(
    node: YAMLMap,
    previous: string | undefined,
    name: string,
    value: JsonValue,
    path: FieldPath,
  ): void {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === previous)
    if (pair === undefined) throw new YamlStyleError(path)
    if (node.flow === true) {
      const end = (pair.value as Node | null)?.range?.[1]
      if (end === undefined) throw new YamlStyleError(path)
      const key = isQuoted(node) ? JSON.stringify(name) : name
      return splice(end, end, `, ${key}: ${formatFlow(value, node)}`)
    }
    const end = endOf(pair.value as Node | null, path)
    const indent = ' '.repeat(columnOf(startOf(node.items[0]?.key as Node, path)))
    splice(end, end, `\n${indent}${formatBlock({ [name]: value }, indent)}`)
  }

  function changeList(
    { key, value: node }: { key: unknown; value: YAMLSeq },
    before: readonly JsonValue[],
    now: readonly JsonValue[],
    path: FieldPath,
    inFlow: boolean,
  ): void {
    const isFlow = node.flow === true
    const move = isFlow ? undefined : findMove(before, now)
    if (move !== undefined) {
      const changeItem = (at: number): void => {
        const item = now.find((each) => isDeepStrictEqual(keyOf(each), keyOf(before[at])))
        if (item !== undefined) change(node.items[at], before[at], item, [...path, at], inFlow)
      }
      for (const at of before.keys()) if (at !== move.from) changeItem(at)
      return moveInBlock(node, move, changeItem, path)
    }
    let index = 0
    let added: JsonValue[] = []
    const insert = (): void => {
      if (added.length === 0) return
      const areTexts = added.every((item) => typeof item === 'string')
      if (!isFlow) insertInBlock(node, index, added, path)
      else if (before.length > 0 || inFlow || areTexts) insertInFlow(node, index, added, path)
      else fillEmptyList({ key, value: node }, added, path)
      added = []
    }
    for (const item of now) {
      const known = before[index]
      if (index < before.length && isDeepStrictEqual(keyOf(known), keyOf(item))) {
        insert()
        change(node.items[index], known, item, [...path, index], inFlow || isFlow)
        index += 1
      } else added.push(item)
    }
    insert()
    if (index < before.length) throw new YamlStyleError(path)
  }

  function change(
    node: unknown,
    before: JsonValue | undefined,
    now: JsonValue,
    path: FieldPath,
    inFlow: boolean,
    key?: unknown,
  ): void {
    if (isDeepStrictEqual(before, now)) return
    if (isSeq(node) && Array.isArray(before) && Array.isArray(now)) {
      return changeList(
        { key, value: node },
        before as JsonValue[],
        now as JsonValue[],
        path,
        inFlow,
      )
    }
    if (!isMap(node)) return setText(node, now, path, inFlow)
    const [old, wanted] = [before as Members, now as Members]
    if (Object.keys(old).some((name) => wanted[name] === undefined)) throw new YamlStyleError(path)
    let previous: string | undefined
    for (const [name, member = null] of Object.entries(wanted)) {
      const pair = node.items.find((each) => isScalar(each.key) && each.key.value === name)
      if (pair === undefined) insertMember(node, previous, name, member, [...path, name])
      else {
        const isFlow = inFlow || node.flow === true
        change(pair.value, old[name], member, [...path, name], isFlow, pair.key)
      }
      previous = pair === undefined ? previous : name
    }
  }

  change(document.contents, document.toJS() as JsonValue, after, [], false)
  const ordered = splices.toSorted((a, b) => a.start - b.start)
  const result: unknown = parseDocument(applySplices(source, ordered), { schema: 'core' }).toJS()
  if (!isDeepStrictEqual(result, after)) throw new YamlStyleError([])
  return ordered
}

/** A source with its splices, which are in order. */
export function applySplices(source: string, splices: readonly Splice[]): string {
  let text = ''
  let from = 0
  for (const { start, end, text: replacement } of splices) {
    text += source.slice(from, start) + replacement
    from = end
  }
  return text + source.slice(from)
}

/** The lines that splices change: each removed line after `-`, each added one after `+`, blocks in the order of the file. */
export function changedLines(source: string, splices: readonly Splice[]): readonly string[] {
  const lines: string[] = []
  const lineStart = (offset: number): number => source.lastIndexOf('\n', offset - 1) + 1
  const lineEnd = (offset: number): number => source.indexOf('\n', offset) + 1 || source.length
  for (let index = 0; index < splices.length;) {
    const group: Splice[] = []
    const start = lineStart(splices[index]?.start ?? 0)
    let end = start
    for (let next = splices[index]; next !== undefined; next = splices[index]) {
      if (group.length > 0 && lineStart(next.start) >= end) break
      // Whole lines that are inserted before a line do not change it.
      const isBefore = next.start === next.end && next.text.endsWith('\n')
      end = Math.max(end, isBefore ? lineStart(next.start) : lineEnd(next.end))
      group.push({ ...next, start: next.start - start, end: next.end - start })
      index += 1
    }
    const before = source.slice(start, end)
    const removed = before.split(/\r?\n/)
    const added = applySplices(before, group).split(/\r?\n/)
    const common = (a: readonly string[], b: readonly string[]) => {
      const different = a.findIndex((line, at) => line !== b[at])
      return different === -1 ? a.length : different
    }
    const top = common(removed, added)
    const most = Math.min(removed.length, added.length) - top
    const bottom = Math.min(most, common(removed.toReversed(), added.toReversed()))
    lines.push(...removed.slice(top, removed.length - bottom).map((line) => `- ${line}`))
    lines.push(...added.slice(top, added.length - bottom).map((line) => `+ ${line}`))
  }
  return lines
}
