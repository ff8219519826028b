import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import chinese from '@fontsource-variable/noto-sans-sc/unicode.json' with { type: 'json' }
import thai from '@fontsource-variable/noto-sans-thai/unicode.json' with { type: 'json' }
import latin from '@fontsource-variable/source-sans-3/unicode.json' with { type: 'json' }
import type { Locale } from '@public-api/contract/terms/locales'
import * as harfbuzz from 'harfbuzzjs'
import decompressWoff2 from 'woff2-encoder/decompress'

const ELLIPSIS = '…'

const LATIN = { family: 'source-sans-3', parts: latin }
const THAI = { family: 'noto-sans-thai', parts: { thai: thai.thai } }
const CHINESE = { family: 'noto-sans-sc', parts: chinese }

/** The fonts by preference. Chinese text takes its punctuation and its Latin letters from the Chinese font. */
const FONTS: {
  readonly [Each in Locale]: readonly (typeof LATIN | typeof THAI | typeof CHINESE)[]
} = {
  en: [LATIN, THAI, CHINESE],
  th: [LATIN, THAI, CHINESE],
  'zh-CN': [CHINESE, LATIN, THAI],
}

/** Text that a line break must not separate from the segment after it: an opening bracket or a word joiner. */
const JOINS_NEXT = /[\p{Ps}\p{Pi}\u2060]$/u
/** Text that may start a line. */
const STARTS_LINE = /^[\p{L}\p{M}\p{N}\p{Ps}\p{Pi}]/u

const graphemes = new Intl.Segmenter()

function clustersOf(text: string): readonly string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

/** The parts of a text between which a line may break. */
function breakableParts(text: string, locale: Locale): readonly string[] {
  const parts: string[] = []
  for (const { segment } of new Intl.Segmenter(locale, { granularity: 'word' }).segment(text)) {
    const before = parts.at(-1)
    if (before === undefined || (STARTS_LINE.test(segment) && !JOINS_NEXT.test(before))) {
      parts.push(segment)
    } else parts[parts.length - 1] = before + segment
  }
  return parts
}

/** A weight of the fonts, from 100 to 900, and a size in pixels. */
export interface TextStyle {
  readonly size: number
  readonly weight: number
}

/** Whether CSS ranges, such as `U+0-FF,U+131`, contain one of the characters. */
function containsAny(ranges: string, points: readonly number[]): boolean {
  return ranges.split(',').some((range) => {
    const [first = 0, last = first] = range
      .slice(2)
      .split('-')
      .map((hex) => Number.parseInt(hex, 16))
    return points.some((point) => first <= point && point <= last)
  })
}

async function readFace(family: string, part: string) {
  const file = `${family}-${part.replaceAll(/[[\]]/g, '')}-wght-normal.woff2`
  const url = import.meta.resolve(`@fontsource-variable/${family}/files/${file}`)
  const bytes = await decompressWoff2(await readFile(fileURLToPath(url)))
  return new harfbuzz.Face(new harfbuzz.Blob(bytes))
}

/**
 * Loads the files of the fonts that texts in a language need. Measures lines and draws them as outlines, so that rendering
 * needs no fonts.
 */
export async function openTypesetter(locale: Locale, texts: readonly string[]) {
  const characters = new Set(texts.join('').normalize('NFC') + ELLIPSIS)
  const points = Array.from(characters, (each) => each.codePointAt(0) ?? 0)
  const files = FONTS[locale].flatMap(({ family, parts }) =>
    Object.entries(parts)
      .filter(([, ranges]) => containsAny(ranges, points))
      .map(([part]) => readFace(family, part)),
  )
  const faces = await Promise.all(files)
  const fonts = faces.map((face) => ({
    face,
    points: new Set(face.collectUnicodes()),
    weights: new Map<number, harfbuzz.Font>(),
  }))
  type LoadedFont = (typeof fonts)[number]

  function fontOf({ face, weights }: LoadedFont, weight: number): harfbuzz.Font {
    const known = weights.get(weight)
    if (known !== undefined) return known
    const font = new harfbuzz.Font(face)
    font.setVariations([new harfbuzz.Variation('wght', weight)])
    weights.set(weight, font)
    return font
  }

  /** The font for a character with its marks, preferably the font before it; undefined if no font has all glyphs. */
  function fontFor(cluster: string, before: LoadedFont | undefined): LoadedFont | undefined {
    const hasAll = ({ points: known }: LoadedFont) =>
      Array.from(cluster).every((each) => known.has(each.codePointAt(0) ?? 0))
    return before !== undefined && hasAll(before) ? before : fonts.find(hasAll)
  }

  /**
   * A text with the characters that the fonts have. Leaves out emoji and other symbols. Throws an Error for a letter or a
   * digit without a glyph, and for a text without any letter that can be drawn.
   */
  function drawable(text: string): string {
    const kept = clustersOf(text.normalize('NFC')).filter((cluster) => {
      if (/^\s$/u.test(cluster) || fontFor(cluster, undefined) !== undefined) return true
      if (!/[\p{L}\p{N}]/u.test(cluster)) return false
      const code = (cluster.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      throw new Error(`the fonts have no glyph for '${cluster}' (U+${code})`)
    })
    const line = kept.join('').replaceAll(/\s+/g, ' ').trim()
    if (/[\p{L}\p{N}]/u.test(line) || text === '') return line
    throw new Error(`the text has no letter that the fonts can draw: ${JSON.stringify(text)}`)
  }

  /** The glyphs of a line, in pixels from its start. */
  function shape(line: string, { size, weight }: TextStyle) {
    const runs: { readonly loaded: LoadedFont; text: string }[] = []
    for (const cluster of clustersOf(line)) {
      const last = runs.at(-1)
      const loaded = fontFor(cluster, last?.loaded)
      if (loaded === undefined) continue
      if (last !== undefined && loaded === last.loaded) last.text += cluster
      else runs.push({ loaded, text: cluster })
    }
    let width = 0
    const glyphs = runs.flatMap(({ loaded, text }) => {
      const font = fontOf(loaded, weight)
      const scale = size / loaded.face.upem
      const buffer = new harfbuzz.Buffer()
      buffer.addText(text)
      buffer.guessSegmentProperties()
      harfbuzz.shape(font, buffer)
      const positions = buffer.getGlyphPositions()
      return buffer.getGlyphInfos().map(({ codepoint: glyph }, index) => {
        const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {}
        const x = width + xOffset * scale
        width += xAdvance * scale
        return { glyph, font, scale, x, y: -yOffset * scale }
      })
    })
    return { glyphs, width }
  }

  const widthOf = (line: string, style: TextStyle): number => shape(line.trimEnd(), style).width

  function clip(text: string, style: TextStyle, width: number): string {
    const clusters = [...clustersOf(text)]
    const clipped = () => clusters.join('').trimEnd() + ELLIPSIS
    while (clusters.length > 0 && widthOf(clipped(), style) > width) clusters.pop()
    return clipped()
  }

  return {
    drawable,

    /** Breaks a text into lines of at most `width` pixels. The last of `maxLines` is clipped, and ends with an ellipsis. */
    fit(text: string, style: TextStyle, { width, maxLines }: { width: number; maxLines: number }) {
      const lines: string[] = []
      for (const part of breakableParts(text, locale)) {
        const last = lines.at(-1)
        if (last !== undefined && widthOf(last + part, style) <= width) {
          lines[lines.length - 1] = last + part
        } else lines.push(part)
      }
      const tooWide = lines.findIndex((line) => widthOf(line, style) > width)
      const last = Math.min(tooWide === -1 ? Infinity : tooWide, maxLines - 1)
      if (last >= lines.length || (last === lines.length - 1 && tooWide === -1)) {
        return { lines: lines.map((line) => line.trimEnd()), isClipped: false }
      }
      const kept = lines.slice(0, last).map((line) => line.trimEnd())
      return { lines: [...kept, clip(lines.slice(last).join(''), style, width)], isClipped: true }
    },

    /** A line as SVG paths, with its baseline at `y`. */
    draw(line: string, style: TextStyle, x: number, y: number): string {
      const paths = shape(line, style).glyphs.map(({ glyph, font, scale, ...at }) => {
        const place = `${(x + at.x).toFixed(2)} ${(y + at.y).toFixed(2)}`
        return `<path transform="translate(${place}) scale(${scale} ${-scale})" d="${font.glyphToPath(glyph)}"/>`
      })
      return paths.join('')
    },
  }
}
