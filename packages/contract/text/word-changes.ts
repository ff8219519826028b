import { commonPairs } from './common-pairs.ts'

/** A piece of two texts: in both, only in the old one, or only in the new one. */
export interface WordChange {
  readonly kind: 'same' | 'before' | 'after'
  readonly text: string
}

/** More pairs of words than this are not compared one by one. */
const MAX_PAIRS = 400_000
/** With less than this share of common characters, two whole texts read better. */
const MIN_SAME = 0.3

function wordsOf(text: string, locale: string): readonly string[] {
  const segments = new Intl.Segmenter(locale, { granularity: 'word' }).segment(text)
  return Array.from(segments, ({ segment }) => segment)
}

/**
 * How a text changed, word by word in its language (Intl.Segmenter). Spaces and punctuation between two changes belong
 * to them. Two texts with little in common are returned whole.
 */
export function wordChanges(before: string, after: string, locale: string): readonly WordChange[] {
  const whole = [
    { kind: 'before', text: before },
    { kind: 'after', text: after },
  ] as const
  const [old, now] = [wordsOf(before, locale), wordsOf(after, locale)]
  const pairs = commonPairs(old, now, MAX_PAIRS)
  if (pairs === undefined) return whole
  const pieces: { same: string; before: string; after: string }[] = []
  let [i, j, same] = [0, 0, '']
  for (const [oldAt, nowAt] of [...pairs, [old.length, now.length] as const]) {
    const [removed, added] = [old.slice(i, oldAt).join(''), now.slice(j, nowAt).join('')]
    if (removed !== '' || added !== '') {
      pieces.push({ same, before: removed, after: added })
      same = ''
    }
    same += old[oldAt] ?? ''
    ;[i, j] = [oldAt + 1, nowAt + 1]
  }
  pieces.push({ same, before: '', after: '' })
  const sameLength = pieces.reduce((sum, piece) => sum + piece.same.length, 0)
  if (sameLength < MIN_SAME * Math.max(before.length, after.length)) return whole
  const joined: typeof pieces = []
  for (const piece of pieces) {
    const previous = joined.at(-1)
    const isChange = previous !== undefined && (previous.before !== '' || previous.after !== '')
    if (
      isChange &&
      (piece.before !== '' || piece.after !== '') &&
      !/[\p{L}\p{N}]/u.test(piece.same)
    ) {
      previous.before += piece.same + piece.before
      previous.after += piece.same + piece.after
    } else joined.push(piece)
  }
  return joined
    .flatMap((piece) => [
      { kind: 'same', text: piece.same } as const,
      { kind: 'before', text: piece.before } as const,
      { kind: 'after', text: piece.after } as const,
    ])
    .filter(({ text }) => text !== '')
}
