import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { commonPairs } from '@public-api/contract/text/common-pairs'
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLSeq,
} from 'yaml'

type Members = { readonly [name: string]: JsonValue | undefined }

/** Longest line of a text that is written again. Longer texts are folded. */
const LINE_WIDTH = 120
/** A list with short items is written on one line. */
const INLINE_LISTS: ReadonlySet<unknown> = new Set(['components'])
/** More pairs of lines than this are not compared one by one. */
const MAX_PAIRS = 16_000_000

/** What identifies an item of a list: its id, its time, or the item itself. */
function keyOf(item: JsonValue | undefined): JsonValue | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  const { id, at } = item as Members
  return id ?? at
}

function createNode(document: Document, value: JsonValue): Node {
  const node = document.createNode(value)
  visit(node, {
    Pair(_, { key, value: member }) {
      if (isScalar(key) && INLINE_LISTS.has(key.value) && isSeq(member)) member.flow = true
    },
    Scalar(_, scalar) {
      const { value: text } = scalar
      if (typeof text === 'string' && text.length > 80) scalar.type = Scalar.BLOCK_FOLDED
    },
  })
  return node
}

/** Gives a node another value. Nodes of what stays keep their comments and their style; a list keeps those of items that move. */
function changeNode(
  document: Document,
  node: unknown,
  before: JsonValue | undefined,
  now: JsonValue,
): Node {
  if (isDeepStrictEqual(before, now)) return node as Node
  if (isScalar(node) && typeof now !== 'object') {
    node.value = now
    return node
  }
  if (isSeq(node) && Array.isArray(before) && Array.isArray(now)) {
    const known = (before as JsonValue[]).map((value, index) => ({
      value,
      node: node.items[index],
    }))
    const wasEmpty = known.length === 0
    node.items = (now as JsonValue[]).map((item) => {
      const at = known.findIndex(({ value }) => isDeepStrictEqual(keyOf(value), keyOf(item)))
      const [old] = at === -1 ? [] : known.splice(at, 1)
      return old === undefined
        ? createNode(document, item)
        : changeNode(document, old.node, old.value, item)
    })
    if (wasEmpty && now.some((item) => typeof item === 'object')) openList(node)
    return node
  }
  if (!isMap(node)) return createNode(document, now)
  if (node.items.length === 0) node.flow = false
  const [old, wanted] = [before as Members, now as Members]
  for (const name of Object.keys(old)) if (wanted[name] === undefined) node.delete(name)
  for (const [index, [name, member = null]] of Object.entries(wanted).entries()) {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === name)
    if (pair === undefined) {
      node.items.splice(index, 0, new Pair(document.createNode(name), createNode(document, member)))
    } else pair.value = changeNode(document, pair.value, old[name], member)
  }
  return node
}

/** `[]` becomes a list with an item on each line; the comment behind it stays above them. */
function openList(node: YAMLSeq): void {
  node.flow = false
  if (node.comment === null || node.comment === undefined) return
  node.commentBefore = node.comment
  node.comment = null
}

/** The lines of a document in the style, of those that the library can write, that keeps most lines of its source. */
function findStyle(document: Document, source: readonly string[]) {
  const known = new Set(source)
  const styles = [2, 4, 3, 1].flatMap((indent) =>
    [true, false].flatMap((indentSeq) =>
      [false, true].map((flowCollectionPadding) => ({
        lineWidth: LINE_WIDTH,
        indent,
        indentSeq,
        flowCollectionPadding,
      })),
    ),
  )
  const written: { style: (typeof styles)[number]; lines: string[]; count: number }[] = []
  for (const style of styles) {
    const lines = document.toString(style).split('\n')
    written.push({ style, lines, count: lines.filter((line) => known.has(line)).length })
    // No other style keeps more.
    if (isDeepStrictEqual(lines, source)) break
  }
  return written.reduce((best, each) => (each.count > best.count ? each : best))
}

/** The source with the lines that changed from `plain`, the same in the library's style, to `edited`. */
function mergeLines(
  source: readonly string[],
  plain: readonly string[],
  edited: readonly string[],
): readonly string[] {
  const bare = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\s/g, ''))
  const asWritten = commonPairs(bare(plain), bare(source), MAX_PAIRS) ?? []
  const kept = new Map(commonPairs(plain, edited, MAX_PAIRS))
  const merged: string[] = []
  let [p, s, e] = [0, 0, 0]
  /** Takes lines up to two positions: as they are written in the source if they did not change. */
  const take = (plainEnd: number, sourceEnd: number): void => {
    const positions = Array.from({ length: plainEnd - p }, (_, index) => kept.get(p + index))
    const [first = e] = positions
    const isSame = positions.every((at, index) => at === first + index)
    const last = positions.findLast((at) => at !== undefined)
    const end = isSame ? first : last === undefined ? e : last + 1
    merged.push(...edited.slice(e, end), ...(isSame ? source.slice(s, sourceEnd) : []))
    ;[p, s, e] = [plainEnd, sourceEnd, isSame ? first + positions.length : end]
  }
  for (const [plainAt, sourceAt] of asWritten) {
    take(plainAt, sourceAt)
    take(plainAt + 1, sourceAt + 1)
  }
  take(plain.length, source.length)
  return [...merged, ...edited.slice(e)]
}

const read = (source: string): Document => parseDocument(source, { schema: 'core', merge: false })

/**
 * A YAML document with another value. Lines without a change keep their bytes: comments, order, quotes, indentation and
 * line ends. A new value has the style of the one that it replaces. The source is one valid document without anchors.
 */
export function rewriteYaml(source: string, value: JsonValue): string {
  const eol = source.includes('\r\n') ? '\r\n' : '\n'
  const mark = source.startsWith('\ufeff') ? '\ufeff' : ''
  const lines = source.slice(mark.length).replaceAll('\r\n', '\n').split('\n')
  const document = read(lines.join('\n'))
  const { style, lines: plain } = findStyle(document, lines)
  document.contents = changeNode(document, document.contents, document.toJS() as JsonValue, value)
  const edited = document.toString(style).split('\n')
  const merged = mergeLines(lines, plain, edited).join('\n')
  // In a style that the library does not write, the changed lines may not fit among the others.
  const { errors, contents } = read(merged)
  const isRight = errors.length === 0 && isDeepStrictEqual(contents?.toJS(document), value)
  return mark + (isRight ? merged : edited.join('\n')).replaceAll('\n', eol)
}

/** The lines that differ: each removed line after `-`, each added one after `+`, in the order of the file. */
export function changedLines(before: string, after: string): readonly string[] {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)]
  const pairs = commonPairs(old, now, MAX_PAIRS) ?? []
  let [i, j] = [0, 0]
  return [...pairs, [old.length, now.length] as const].flatMap(([oldAt, nowAt]) => {
    const [removed, added] = [old.slice(i, oldAt), now.slice(j, nowAt)]
    ;[i, j] = [oldAt + 1, nowAt + 1]
    return [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)]
  })
}
