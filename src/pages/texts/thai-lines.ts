import { JOINED, SEAM } from '@public-api/contract/text/line-marks'
import lineBreaks from '../../../locales/th-line-breaks.json' with { type: 'json' }

/**
 * Thai has no spaces between words, so browsers find line breaks with a dictionary. It lacks loanwords: it breaks them,
 * or merges their last letters with the next word. locales/th-line-breaks.json lists each with `+` where a browser breaks
 * it; lines may break before and after it. Of neighboring words that the dictionary separates in the wrong place it has
 * the boundary, as `|`.
 */
const { loanwords, neighbors, prefixes } = lineBreaks

const THAI = /[\u0e01-\u0e3a\u0e40-\u0e45]/

const held = new Map(
  [...loanwords, ...neighbors].map((each) => [
    each.replaceAll(/[+|]/g, ''),
    each.replaceAll('+', JOINED).replaceAll('|', SEAM),
  ]),
)
const breakable: ReadonlySet<string> = new Set(loanwords.map((each) => each.replaceAll('+', '')))

const ANY = new RegExp([...held.keys()].join('|'), 'g')

/** Prefixes that belong to the next word; the same letters also end words, such as บริการ and หรือไม่. */
const PREFIX = new RegExp(
  prefixes
    .map(({ word, notAfter, notBefore }) => {
      const next = notBefore === '' ? '' : `(?![${notBefore}])`
      return `(?<!${notAfter.join('|')})${word}${SEAM}?${next}(?=[ก-ฮเ-ไ])`
    })
    .join('|'),
  'g',
)

/** A Thai text whose lines break between words. */
export function withThaiLines(text: string): string {
  const words = text.replaceAll(ANY, (word, at: number) => {
    const marked = held.get(word) ?? word
    if (!breakable.has(word)) return marked
    const before = THAI.test(text.charAt(at - 1)) ? SEAM : ''
    const after = THAI.test(text.charAt(at + word.length)) ? SEAM : ''
    return before + marked + after
  })
  return words
    .replaceAll(SEAM + SEAM, SEAM)
    .replaceAll(PREFIX, (prefix) => prefix.replace(SEAM, '') + JOINED)
}
