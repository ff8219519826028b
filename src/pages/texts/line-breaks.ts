import type { Locale } from '@public-api/contract/terms/locales'
import { JOINED, withoutLineMarks } from '@public-api/contract/text/line-marks'
import { withThaiLines } from './thai-lines.ts'

/** A number with its unit, a date, and the words that wrap beside them: one piece for the eye. */
const CHINESE_WHOLE =
  /\d ?(?:小时|分钟|毫秒|字节|个月|[年月日天秒个次项条位页周份家倍])(?:\d{1,2}[月日])*|已?持续/g
/** The space between a number and its unit, and between a month and its year. */
const THAI_WHOLE = /(?<=\d|[ก-ฮ]\.) (?=[เ-ไ]?[ก-ฮ]|25\d\d)/g

const NO_BREAK_SPACE = '\u00a0'

/** Made when it is first used, because its dictionary takes a thirtieth of a start. */
let chineseWords: Intl.Segmenter | undefined

/** Words of one character that belong to the next word. Others of one character belong to the one before. */
const CHINESE_PREFIX = /^[被在和与由为对从将已不未无可向按各全两]$/

/** A text whose lines may break between words. The style sheet forbids all other breaks in Chinese headings and labels. */
function withChineseWords(text: string): string {
  let marked = ''
  let mayBreak = false
  chineseWords ??= new Intl.Segmenter('zh', { granularity: 'word' })
  for (const { segment, isWordLike = false } of chineseWords.segment(text)) {
    const isPrefix = CHINESE_PREFIX.test(segment)
    const isWhole = isPrefix || segment.length > 1
    marked += mayBreak && isWordLike && isWhole ? `<wbr />${segment}` : segment
    mayBreak = isWordLike && !isPrefix
  }
  return marked
}

const OF_LOCALE: {
  readonly [L in Locale]?: {
    readonly text: (text: string) => string
    readonly heading: (text: string) => string
  }
} = {
  th: {
    text: (text) => text.replaceAll(THAI_WHOLE, ` ${JOINED}`),
    // Texts of the pages have their marks; those of the operator have none.
    heading: (text) => (text === withoutLineMarks(text) ? withThaiLines(text) : text),
  },
  'zh-CN': {
    text: (text) =>
      text
        .replaceAll(CHINESE_WHOLE, (whole) => whole.split('').join(JOINED))
        // Since or at a time, which follows.
        .replace(/(?<=[自于]) $/, NO_BREAK_SPACE),
    heading: withChineseWords,
  },
}

/** The head, what has its own lines, a tag, or a text. */
const PARTS = /<head>.*?<\/head>|<(script|pre|code)\b.*?<\/\1>|<[^>]*>|[^<]+/gs
const HEADING = /^<\/?(?:h[123]|summary|label|legend|dt|th)\b/

/**
 * A page whose lines break between words in headings and labels, and nowhere in a date or between a number and its unit. Head and
 * attributes have no marks, because programs read them.
 */
export function withLineBreaks(page: string, locale: Locale): string {
  const own = OF_LOCALE[locale]
  if (own === undefined) return page
  let depth = 0
  return page.replaceAll(PARTS, (part: string, name: string | undefined) => {
    if (name !== undefined) return part.replace(/^<[^>]*>/, withoutLineMarks)
    if (!part.startsWith('<')) return own.text(depth > 0 ? own.heading(part) : part)
    if (HEADING.test(part)) depth += part[1] === '/' ? -1 : 1
    return withoutLineMarks(part)
  })
}
