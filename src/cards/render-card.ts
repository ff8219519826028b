import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Locale } from '@public-api/contract/terms/locales'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { type Card, CARD_SIZE } from '../pages/card.ts'
import { withThaiLines } from '../pages/texts/thai-lines.ts'
import { openTypesetter, type TextStyle } from './typesetter.ts'

/** The colors of the light scheme in style.css. */
const COLORS = {
  paper: '#fbf9f5',
  shade: '#f2eee6',
  ink: '#24211c',
  muted: '#5b554a',
  edge: '#857d6e',
}

const MARGIN = 80
const TEXT_WIDTH = CARD_SIZE.width - 2 * MARGIN
const LOGO = { y: 66, height: 72, maxWidth: 300, gap: 28 }
const HEADING = { style: { size: 36, weight: 500 }, y: 114 }
const TITLE = { sizes: [88, 72, 56] as const, weight: 700, y: 172, maxLines: 2 }
const SENTENCE = {
  style: { size: 38, weight: 400 },
  gap: 20,
  lineHeight: 1.35,
  end: 508,
  maxLines: 3,
}
const HOST = { style: { size: 28, weight: 500 }, y: 564, width: 460 }
const CHAIN = { x: 596, y: 522, width: 132, height: 62, gap: 48 }

/** Height of a line relative to its size. Thai has marks above and below its letters. */
const LINE_HEIGHTS = { en: 1.2, th: 1.45, 'zh-CN': 1.3 }
const ASCENT = 0.92

let initialized: Promise<void> | undefined

async function initialize(): Promise<void> {
  const file = fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))
  await initWasm(await readFile(file))
}

/** The chain of versions, as the pages draw it; it continues beyond the edge. */
function drawChain(accent: string): string {
  const { y, width, height, gap } = CHAIN
  const middle = y + height / 2
  const step = width + gap
  const count = Math.ceil((CARD_SIZE.width - CHAIN.x) / step)
  return Array.from({ length: count }, (_, index) => {
    const x = CHAIN.x + index * step
    const [stroke, strokeWidth] = index === 0 ? [accent, 4] : [COLORS.edge, 2]
    const end = x + width
    return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${COLORS.shade}" stroke="${stroke}" stroke-width="${strokeWidth}"/>
<path d="M${x + 18} ${middle - 9}H${x + 72}M${x + 18} ${middle + 11}H${end - 18}" stroke="${stroke}" stroke-width="4"/>
<path d="M${end + 4} ${middle}H${end + 16}M${end + 32} ${middle}H${end + gap - 4}" stroke="${COLORS.edge}" stroke-width="3"/>
<circle cx="${end + gap / 2}" cy="${middle}" r="8" fill="none" stroke="${COLORS.edge}" stroke-width="3"/>`
  }).join('')
}

function drawLogo(logo: Card['logo']): { readonly svg: string; readonly width: number } {
  if (logo === undefined) return { svg: '', width: 0 }
  const scale = Math.min(LOGO.height / logo.height, LOGO.maxWidth / logo.width)
  const width = logo.width * scale
  const height = logo.height * scale
  const svg = `<image x="${MARGIN}" y="${LOGO.y + (LOGO.height - height) / 2}" width="${width}" height="${height}" href="data:${logo.mediaType};base64,${logo.base64}"/>`
  return { svg, width: width + LOGO.gap }
}

/**
 * Loads the fonts for cards in one language, and returns a function that renders one as a PNG. It throws an Error for a text
 * that the fonts cannot draw.
 */
export async function openCardRenderer(locale: Locale, cards: readonly Card[]) {
  initialized ??= initialize()
  await initialized
  const lineHeight = LINE_HEIGHTS[locale]
  const type = await openTypesetter(
    locale,
    cards.flatMap(({ heading, title, sentence, host }) => [heading, title, sentence, host]),
  )

  function drawLines(
    lines: readonly string[],
    style: TextStyle,
    { color, y, height }: { color: string; y: number; height: number },
  ): string {
    const drawn = lines.map((line, index) =>
      type.draw(line, style, MARGIN, y + style.size * (ASCENT + index * height)),
    )
    return `<g fill="${color}">${drawn.join('')}</g>`
  }

  function svgOf({ accent, logo, ...texts }: Card): string {
    const prepare = (text: string) => {
      const drawn = type.drawable(text)
      return locale === 'th' ? withThaiLines(drawn) : drawn
    }
    const mark = drawLogo(logo)
    const fit = (text: string, style: TextStyle, maxLines: number, width = TEXT_WIDTH) =>
      type.fit(prepare(text), style, { width, maxLines })
    const heading = fit(texts.heading, HEADING.style, 1, TEXT_WIDTH - mark.width)
    const layoutAt = (size: number) => {
      const style = { size, weight: TITLE.weight }
      const title = { style, ...fit(texts.title, style, TITLE.maxLines) }
      const y = TITLE.y + title.lines.length * size * lineHeight + SENTENCE.gap
      const room = Math.floor((SENTENCE.end - y) / (SENTENCE.style.size * SENTENCE.lineHeight))
      const maxLines = Math.min(room, SENTENCE.maxLines)
      const sentence = { y, ...fit(texts.sentence, SENTENCE.style, maxLines) }
      return { title, sentence, isClipped: title.isClipped || sentence.isClipped }
    }
    const [largest, ...smaller] = TITLE.sizes
    let layout = layoutAt(largest)
    for (const size of smaller) if (layout.isClipped) layout = layoutAt(size)
    const { title, sentence } = layout
    const host = fit(texts.host, HOST.style, 1, HOST.width)
    const { width, height } = CARD_SIZE
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<rect width="${width}" height="${height}" fill="${COLORS.paper}"/>
<rect width="${width}" height="14" fill="${accent}"/>
${mark.svg}
<g fill="${COLORS.muted}">${type.draw(heading.lines.join(''), HEADING.style, MARGIN + mark.width, HEADING.y)}</g>
${drawLines(title.lines, title.style, { color: COLORS.ink, y: TITLE.y, height: lineHeight })}
${drawLines(sentence.lines, SENTENCE.style, { color: COLORS.muted, y: sentence.y, height: SENTENCE.lineHeight })}
<g fill="${accent}">${type.draw(host.lines.join(''), HOST.style, MARGIN, HOST.y)}</g>
${drawChain(accent)}
</svg>`
  }

  return (card: Card): Uint8Array => {
    const image = new Resvg(svgOf(card))
    const rendered = image.render()
    try {
      return rendered.asPng()
    } finally {
      // Its memory is not garbage-collected.
      rendered.free()
      image.free()
    }
  }
}
