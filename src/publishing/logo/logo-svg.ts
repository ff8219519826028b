import { SaxesParser, type SaxesTagNS } from 'saxes'
import {
  type Checked,
  type ContentMistake,
  mistakeAt,
  mistakeOf,
  type SourcePlace,
} from '../rules/content-mistake.ts'
import type { LogoImage } from './logo-png.ts'
import { expectedValue, referredId } from './logo-values.ts'

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink'

const ELEMENTS: ReadonlySet<string> = new Set(
  `svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan
    linearGradient radialGradient stop clipPath mask`.split(/\s+/),
)

const ATTRIBUTES: ReadonlySet<string> = new Set(
  `id class d x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy width height points pathLength transform viewBox
    preserveAspectRatio version opacity color display visibility overflow fill fill-opacity fill-rule
    stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray
    stroke-dashoffset vector-effect paint-order clip-path clip-rule mask clipPathUnits maskUnits
    maskContentUnits mask-type gradientUnits gradientTransform spreadMethod offset stop-color
    stop-opacity font-family font-size font-weight font-style letter-spacing text-anchor
    dominant-baseline textLength lengthAdjust href role lang`.split(/\s+/),
)

/** Style sheets could load something, so styles are refused. */
const INSTEAD_OF_STYLES =
  'presentation attributes, such as fill="#0a5a70"; svgo converts styles to them (docs/content.md, “A logo with styles”)'

/** Maximum number of elements; a logo has a few dozen. */
const MAX_ELEMENTS = 2000
const MAX_USES = 50
const MAX_DEPTH = 32

const MAX_SIDE = 10_000

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** An element that is written, and what is drawn with it. */
interface Drawn extends Omit<SourcePlace, 'file'> {
  readonly element: string
  readonly children: Drawn[]
  /** Ids of the elements that its attributes refer to. */
  readonly references: readonly string[]
}

/** Maximum number of elements that are drawn once every reference is followed. */
const MAX_DRAWN = 5000

/** The first reference that repeats content without a bound; undefined if the drawing is bounded. */
function findExpansion(root: Drawn, byId: ReadonlyMap<string, Drawn>) {
  const sizes = { inUse: new Map<Drawn, number>(), elsewhere: new Map<Drawn, number>() }
  const following = new Set<Drawn>()
  let fault: { readonly at: Drawn; readonly found: string } | undefined

  /** The number of elements that are drawn for an element. */
  function countDrawn(drawn: Drawn, isUsed: boolean): number {
    if (fault !== undefined) return 0
    if (following.has(drawn)) fault = { at: drawn, found: 'an element that refers to itself' }
    else if (isUsed && drawn.element === 'use') {
      fault = { at: drawn, found: 'a use inside of what another use repeats' }
    }
    const knownSizes = isUsed ? sizes.inUse : sizes.elsewhere
    const known = knownSizes.get(drawn)
    if (fault !== undefined || known !== undefined) return known ?? 0
    following.add(drawn)
    const targets = drawn.references.flatMap((id) => byId.get(id) ?? [])
    const size = [
      ...drawn.children.map((child) => countDrawn(child, isUsed)),
      ...targets.map((target) => countDrawn(target, isUsed || drawn.element === 'use')),
    ].reduce((sum, each) => sum + each, 1)
    following.delete(drawn)
    if (size > MAX_DRAWN) {
      fault ??= { at: drawn, found: `references that draw more than ${MAX_DRAWN} elements` }
    }
    knownSizes.set(drawn, size)
    return size
  }

  countDrawn(root, false)
  return fault
}

/** Width and height in CSS pixels: from the attributes, else from the view box. */
function sizeOf(attributes: {
  readonly [name: string]: string
}): readonly [number, number] | undefined {
  const [, , boxWidth, boxHeight] = (attributes['viewBox'] ?? '').trim().split(/[\s,]+/)
  const [width = 0, height = 0] = [
    [attributes['width'], boxWidth],
    [attributes['height'], boxHeight],
  ].map(([side = '', ofBox]) =>
    Math.round(Number(/^\s*(\d+(?:\.\d+)?)(?:px)?\s*$/.exec(side)?.[1] ?? ofBox)),
  )
  const isShown = (side: number): boolean => side >= 1 && side <= MAX_SIDE
  return isShown(width) && isShown(height) ? [width, height] : undefined
}

/**
 * Parses an SVG strictly as XML and writes it with only allowed elements and attributes, so that it can only draw.
 * Comments, metadata and editor namespaces are removed. Anything that could run, load or refer to something outside
 * the file is a mistake.
 */
export function sanitizeSvg(file: string, bytes: Buffer): Checked<LogoImage> {
  const mistakes: ContentMistake[] = []
  const parser = new SaxesParser({ xmlns: true })
  let svg = ''
  let size: readonly [number, number] | undefined
  let elements = 0
  let uses = 0
  // The open elements; undefined for one that is not written, whose content is omitted too.
  const open: (Drawn | undefined)[] = []
  let root: Drawn | undefined
  const byId = new Map<string, Drawn>()

  const report = (found: string, expected: string): void => {
    const { line, column } = parser
    mistakes.push(mistakeAt({ file, line, column }, [], found, expected))
  }

  /** The element if it is written. */
  function openTag({ local: element, name: wholeName, uri, attributes }: SaxesTagNS) {
    const isRoot = open.length === 0
    const parent = open.at(-1)
    if (uri !== SVG_NAMESPACE || element === 'metadata') {
      if (isRoot) report(`the element ${wholeName}`, `svg in the namespace ${SVG_NAMESPACE}`)
      return undefined
    }
    elements += 1
    if (element === 'use') uses += 1
    if (elements > MAX_ELEMENTS || uses > MAX_USES || open.length >= MAX_DEPTH) {
      const most = `at most ${MAX_ELEMENTS} elements, ${MAX_USES} of them use, nested ${MAX_DEPTH} deep`
      report('a drawing that is too complex', most)
      parser.fail('too complex')
      return undefined
    }
    if (isRoot && element !== 'svg') {
      report(`the element ${element}`, 'svg as the outermost element')
    }
    if (!isRoot && parent === undefined) return undefined
    if (!ELEMENTS.has(element)) {
      const expected = 'shapes, groups, text and gradients only'
      report(`the element ${element}`, element === 'style' ? INSTEAD_OF_STYLES : expected)
      return undefined
    }
    const kept: { [name: string]: string } = {}
    for (const attribute of Object.values(attributes)) {
      const { local, value, name } = attribute
      // The attributes of editors, and namespaces.
      const isForeign =
        attribute.uri !== '' && (attribute.uri !== XLINK_NAMESPACE || local !== 'href')
      if (isForeign || name === 'xmlns' || /^(?:data-|aria-)/.test(local)) continue
      const expected = expectedValue(local, value)
      if (!ATTRIBUTES.has(local)) {
        const onlyKnown = 'presentation attributes only'
        report(`the attribute ${local}`, local === 'style' ? INSTEAD_OF_STYLES : onlyKnown)
      } else if (expected !== undefined) {
        report(`a value of the attribute ${local} that could load or run something`, expected)
      } else kept[local] = value
    }
    if (isRoot) size = sizeOf(kept)
    svg += `<${element}${isRoot ? ` xmlns="${SVG_NAMESPACE}"` : ''}`
    for (const [name, value] of Object.entries(kept)) {
      svg += ` ${name}="${escape(value).replaceAll(/[\n\r\t]/g, ' ')}"`
    }
    svg += '>'
    const references = Object.entries(kept).flatMap(
      ([name, value]) => referredId(name, value) ?? [],
    )
    const { line, column } = parser
    const drawn: Drawn = { element, children: [], references, line, column }
    parent?.children.push(drawn)
    if (isRoot) root = drawn
    if (kept['id'] !== undefined && !byId.has(kept['id'])) byId.set(kept['id'], drawn)
    return drawn
  }

  parser.on('doctype', () => report('a document type', 'no document type: it can define entities'))
  parser.on('processinginstruction', () => report('a processing instruction', 'elements only'))
  parser.on('opentag', (tag) => open.push(openTag(tag)))
  parser.on('closetag', (tag) => {
    if (open.pop() !== undefined) svg += `</${tag.local}>`
  })
  const writeText = (each: string): void => {
    if (open.at(-1) !== undefined) svg += escape(each)
  }
  parser.on('text', writeText)
  parser.on('cdata', writeText)
  let isReadable = true
  parser.on('error', () => {
    if (isReadable) report('invalid XML', 'a well-formed SVG file')
    isReadable = false
  })
  parser.write(bytes.toString('utf8'))
  parser.close()
  const expansion = root && findExpansion(root, byId)
  if (expansion !== undefined) {
    const { at, found } = expansion
    mistakes.push(
      mistakeAt({ file, ...at }, [], found, 'content that is drawn a bounded number of times'),
    )
  }
  if (mistakes.length > 0) return { mistakes }
  if (size === undefined) {
    const expected = `width and height in pixels or a viewBox, 1 to ${MAX_SIDE} on each side`
    return { mistakes: [mistakeOf(file, 'no size', expected)] }
  }
  const [width, height] = size
  return { value: { bytes: Buffer.from(svg, 'utf8'), width, height }, mistakes }
}
