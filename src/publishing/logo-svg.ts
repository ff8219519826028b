import { SaxesParser, type SaxesTagNS } from 'saxes'

/** A mistake in an SVG file. Line and column count from 1. */
export interface SvgMistake {
  readonly line: number
  readonly column: number
  readonly found: string
  readonly expected: string
}

/** A sanitized image, or all mistakes. */
export type SvgOutcome =
  | { readonly svg: string; readonly width: number; readonly height: number }
  | { readonly mistakes: readonly SvgMistake[] }

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

/** Maximum number of elements; a logo has a few dozen. Limits what `use` can multiply. */
const MAX_ELEMENTS = 2000
const MAX_USES = 50
const MAX_DEPTH = 32

const MAX_SIDE = 10_000

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', '&quot;')
    .replaceAll(/[\n\r\t]/g, ' ')
}

/** The reason to refuse a value; undefined if it refers to nothing outside the file. */
function valueFault(name: string, value: string): string | undefined {
  if (name === 'href') {
    return /^#[\w.-]+$/.test(value) ? undefined : 'a reference to something outside the file'
  }
  const references = value.match(/url\s*\(/gi) ?? []
  const local = value.match(/url\(\s*["']?#[\w.-]+["']?\s*\)/g) ?? []
  if (references.length > local.length) return 'a reference to something outside the file'
  // CSS escapes could hide any text.
  if (value.includes('\\') || /\b(?:javascript|data|expression|@import)\b\s*[:(]?/i.test(value)) {
    return 'a value that browsers could run or load'
  }
  return undefined
}

/** Width and height in CSS pixels: from the attributes, else from the view box. */
function sizeOf(attributes: {
  readonly [name: string]: string
}): readonly [number, number] | undefined {
  const parse = (text: string | undefined): number | undefined => {
    const number = /^\s*(\d+(?:\.\d+)?)(?:px)?\s*$/.exec(text ?? '')?.[1]
    return number === undefined ? undefined : Number(number)
  }
  const box = (attributes['viewBox'] ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const width = parse(attributes['width']) ?? box[2]
  const height = parse(attributes['height']) ?? box[3]
  if (width === undefined || height === undefined) return undefined
  const size = [Math.round(width), Math.round(height)] as const
  return size.every((side) => side >= 1 && side <= MAX_SIDE) ? size : undefined
}

/**
 * Parses an SVG strictly as XML and writes it with only allowed elements and attributes, so that it can only draw.
 * Comments, metadata and editor namespaces are removed. Anything that could run, load or refer to something outside
 * the file is a mistake.
 */
export function sanitizeSvg(text: string): SvgOutcome {
  const mistakes: SvgMistake[] = []
  const parser = new SaxesParser({ xmlns: true })
  let svg = ''
  let size: readonly [number, number] | undefined
  let elements = 0
  let uses = 0
  // Whether each open element is written. The content of an omitted element is omitted too.
  const open: boolean[] = []

  const report = (found: string, expected: string): void => {
    mistakes.push({ line: parser.line, column: parser.column, found, expected })
  }

  function openTag(tag: SaxesTagNS): void {
    const isInside = open.at(-1) ?? true
    const isRoot = open.length === 0
    if (tag.uri !== SVG_NAMESPACE || tag.local === 'metadata') {
      if (isRoot) report(`the element ${tag.name}`, `svg in the namespace ${SVG_NAMESPACE}`)
      open.push(false)
      return
    }
    elements += 1
    if (tag.local === 'use') uses += 1
    if (elements > MAX_ELEMENTS || uses > MAX_USES || open.length >= MAX_DEPTH) {
      report(
        'a drawing that is too complex',
        `at most ${MAX_ELEMENTS} elements, ${MAX_USES} of them use, nested ${MAX_DEPTH} deep`,
      )
      parser.fail('too complex')
      open.push(false)
      return
    }
    if (isRoot && tag.local !== 'svg')
      report(`the element ${tag.local}`, 'svg as the outermost element')
    if (!ELEMENTS.has(tag.local)) {
      if (isInside) report(`the element ${tag.local}`, 'shapes, groups, text and gradients only')
      open.push(false)
      return
    }
    open.push(isInside)
    if (!isInside) return
    const attributes: { [name: string]: string } = {}
    for (const { local, uri, value, name } of Object.values(tag.attributes)) {
      if (name === 'xmlns' || name.startsWith('xmlns:')) continue
      const isXlink = uri === XLINK_NAMESPACE && local === 'href'
      // The attributes of editors.
      if (uri !== '' && !isXlink) continue
      if (!ATTRIBUTES.has(local)) {
        if (/^(?:data-|aria-)/.test(local)) continue
        report(
          `the attribute ${local}`,
          local === 'style'
            ? 'presentation attributes, such as fill="#0a5a70"'
            : 'presentation attributes only',
        )
        continue
      }
      const fault = valueFault(local, value)
      if (fault !== undefined)
        report(`${fault} in the attribute ${local}`, 'a value that stays inside the file')
      attributes[local] = value
    }
    if (isRoot) size = sizeOf(attributes)
    svg += `<${tag.local}${isRoot ? ` xmlns="${SVG_NAMESPACE}"` : ''}`
    for (const [name, value] of Object.entries(attributes))
      svg += ` ${name}="${escapeAttribute(value)}"`
    svg += '>'
  }

  parser.on('doctype', () => report('a document type', 'no document type: it can define entities'))
  parser.on('processinginstruction', () => report('a processing instruction', 'elements only'))
  parser.on('opentag', openTag)
  parser.on('closetag', (tag) => {
    if (open.pop() === true) svg += `</${tag.local}>`
  })
  const writeText = (each: string): void => {
    if (open.at(-1) === true) svg += escapeText(each)
  }
  parser.on('text', writeText)
  parser.on('cdata', writeText)
  let isReadable = true
  parser.on('error', () => {
    if (isReadable) report('invalid XML', 'a well-formed SVG file')
    isReadable = false
  })
  parser.write(text)
  parser.close()
  if (mistakes.length > 0) return { mistakes }
  if (size === undefined) {
    return {
      mistakes: [
        {
          line: 1,
          column: 1,
          found: 'no size',
          expected: `width and height in pixels or a viewBox, 1 to ${MAX_SIDE} on each side`,
        },
      ],
    }
  }
  return { svg, width: size[0], height: size[1] }
}
