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

/** Lengths of the longest common subsequences of the words from each pair of positions on. */
function commonLengths(
  before: readonly string[],
  after: readonly string[],
): readonly Uint16Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [row, below] = [lengths[i], lengths[i + 1]]
      if (row === undefined || below === undefined) continue
      row[j] =
        before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return lengths
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
  if (old.length * now.length > MAX_PAIRS) return whole
  const lengths = commonLengths(old, now)
  const pieces: { same: string; before: string; after: string }[] = [
    { same: '', before: '', after: '' },
  ]
  let same = 0
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    let last = pieces.at(-1) ?? { same: '', before: '', after: '' }
    const word = old[i]
    if (word !== undefined && word === now[j]) {
      if (last.before !== '' || last.after !== '') {
        last = { same: '', before: '', after: '' }
        pieces.push(last)
      }
      last.same += word
      same += word.length
      i += 1
      j += 1
    } else if (
      j >= now.length ||
      (i < old.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      last.before += word ?? ''
      i += 1
    } else {
      last.after += now[j] ?? ''
      j += 1
    }
  }
  if (same < MIN_SAME * Math.max(before.length, after.length)) return whole
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
