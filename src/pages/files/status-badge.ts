import { plainText } from '../markup/rich-text.ts'
import { xmlDocument, xmlElement } from '../markup/xml.ts'
import { type PageContext, siteName } from '../page.ts'
import { widthOf } from '../pictures/picture.ts'
import { labelFor, type StateTone, toneOf } from '../texts/enum-labels.ts'
import { formatMoment } from '../texts/moments.ts'

const HEIGHT = 40
const PADDING = 12
const TEXT_X = 34
const STATE_PX = 15
const TIME_PX = 11

/** The shape of each severity, around the point 18, 20: states differ by more than their color. */
const SHAPES: { readonly [Each in StateTone]?: readonly [color: string, path: string] } = {
  good: ['#116329', 'm-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0Z'],
  planned: ['#1f5a92', 'm-8-3h16v6h-16Z'],
  warn: ['#7a4d05', 'm0-8l8 15h-16Z'],
  bad: ['#a4161a', 'm-7-7h14v14h-14Z'],
}
const UNKNOWN = ['#4b5563', 'm0-8l8 8l-8 8l-8-8Z'] as const

/** The lines of the badge, and its width: enough for wide system fonts, because an image cannot measure its text. */
export function badgeLayout(context: PageContext) {
  const { locale, texts, content } = context
  const status = content.snapshot('status')
  const label =
    status === undefined ? texts.badge.unknown : labelFor(texts, 'componentState', status.state)
  const time =
    status === undefined
      ? siteName(context)
      : plainText(texts.badge.asOf, { time: formatMoment(locale, status.updatedAt) })
  const textWidth = Math.max(widthOf(label) * STATE_PX * 1.25, widthOf(time) * TIME_PX * 1.15)
  return { label, time, width: Math.ceil(TEXT_X + textWidth + PADDING), height: HEIGHT }
}

/**
 * The published state in words, with the time of its review, as an image for other sites. It has a background of its own
 * and needs no style sheet, because images load none.
 */
export function renderBadge(context: PageContext): string {
  const { locale, texts, content } = context
  const status = content.snapshot('status')
  const { label, time, width } = badgeLayout(context)
  const title = plainText(texts.badge.title, { name: siteName(context), state: label, time })
  const severity = status && toneOf('componentState', status.state)
  const [color, path] = (severity && SHAPES[severity]) ?? UNKNOWN
  const font = { 'font-family': 'system-ui, sans-serif', 'text-rendering': 'geometricPrecision' }
  const text = (y: number, size: number, fill: string, value: string, weight = '400') =>
    xmlElement(
      'text',
      { x: String(TEXT_X), y: String(y), 'font-size': String(size), 'font-weight': weight, fill },
      [value],
    )
  return xmlDocument(
    xmlElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        'xml:lang': locale,
        role: 'img',
        'aria-labelledby': 'title',
        width: String(width),
        height: String(HEIGHT),
        viewBox: `0 0 ${width} ${HEIGHT}`,
        ...font,
      },
      [
        xmlElement('title', { id: 'title' }, [title]),
        xmlElement('rect', {
          x: '0.5',
          y: '0.5',
          width: String(width - 1),
          height: String(HEIGHT - 1),
          rx: '6',
          fill: '#ffffff',
          stroke: color,
        }),
        xmlElement('path', { d: `M18 20${path}`, fill: color }),
        text(18, STATE_PX, color, label, '600'),
        text(32, TIME_PX, '#4b5563', time),
      ],
    ),
  )
}
