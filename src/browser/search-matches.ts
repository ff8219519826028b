/** A place that the index names; src/pages/search/search-index.ts writes it. */
export interface Place {
  readonly path: string
  /** Of the page. */
  readonly title: string
  readonly id: string
  readonly heading: string
  readonly text: string
}

export interface Match {
  readonly place: Place
  /** The text around the first word that was found. */
  readonly excerpt: string
}

const MAX_MATCHES = 20
const EXCERPT_BEFORE = 30
const EXCERPT_LENGTH = 130

const WEIGHTS = { heading: 8, title: 4, text: 1 } as const
/** A heading that begins with a word is about it. */
const START_BONUS = 4
/** An id is a name of its own: an error code, an operation. */
const ID_BONUS = 16

const INVISIBLE = /[\u200b\u2060]/g

/** The form in which texts are compared. */
function folded(text: string): string {
  return text.normalize('NFKC').replaceAll(INVISIBLE, '').toLowerCase()
}

/** The words of a query. Thai and Chinese have no spaces, so a phrase that occurs nowhere is segmented into its words. */
function wordsOf(
  query: string,
  locale: string,
  occurs: (word: string) => boolean,
): readonly string[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' })
  return folded(query)
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) =>
      occurs(word)
        ? [word]
        : [...segmenter.segment(word)].flatMap(({ segment, isWordLike }) =>
            isWordLike === true ? [segment] : [],
          ),
    )
}

/** A place with the folded texts in which words are looked for. */
export interface PreparedPlace {
  readonly place: Place
  readonly id: string
  readonly fields: { readonly heading: string; readonly title: string; readonly text: string }
}

/** Folds the texts of an index once, not at every key. */
export function preparePlaces(places: readonly Place[]): readonly PreparedPlace[] {
  return places.map((place) => ({
    place,
    id: folded(place.id),
    fields: {
      heading: folded(place.heading),
      title: folded(place.title),
      text: folded(place.text),
    },
  }))
}

/** The places that contain the words of a query, best first: those with most of the words, and with them in the heading. */
export function findMatches(
  prepared: readonly PreparedPlace[],
  query: string,
  locale: string,
): readonly Match[] {
  const occurs = (word: string) =>
    prepared.some(({ fields }) => Object.values(fields).some((field) => field.includes(word)))
  const words = [...new Set(wordsOf(query, locale, occurs).filter(occurs))]
  if (words.length === 0) return []

  const scored = prepared.flatMap(({ place, id, fields }) => {
    let found = 0
    let score = 0
    for (const word of words) {
      const inHeading = fields.heading.includes(word)
      const inTitle = fields.title.includes(word)
      const inText = fields.text.includes(word)
      if (!inHeading && !inTitle && !inText) continue
      found += 1
      if (id === word) score += ID_BONUS
      if (inHeading) score += WEIGHTS.heading
      if (inTitle) score += WEIGHTS.title
      if (inText) score += WEIGHTS.text
      if (
        fields.heading.startsWith(word) ||
        (place.heading === '' && fields.title.startsWith(word))
      ) {
        score += START_BONUS
      }
    }
    // The title alone would list every place of its page.
    const isFound =
      place.heading === '' ||
      words.some((each) => `${fields.heading} ${fields.text}`.includes(each))
    return found === 0 || !isFound ? [] : [{ place, found, score, text: fields.text }]
  })
  const most = Math.max(0, ...scored.map(({ found }) => found))
  return scored
    .filter(({ found }) => found === most)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_MATCHES)
    .map(({ place, text }) => ({ place, excerpt: excerptOf(place.text, text, words) }))
}

function excerptOf(text: string, foldedText: string, words: readonly string[]): string {
  const places = words.map((word) => foldedText.indexOf(word)).filter((at) => at >= 0)
  const start = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE)
  const from = places.length === 0 ? 0 : start
  const cut = text.slice(from, from + EXCERPT_LENGTH).trim()
  return `${from > 0 ? '…' : ''}${cut}${from + EXCERPT_LENGTH < text.length ? '…' : ''}`
}
