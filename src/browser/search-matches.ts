import MiniSearch, { type SearchResult } from 'minisearch'

/** A place that the index names; src/pages/search/search-index.ts writes it. */
export interface Place {
  readonly path: string
  /** Of the page. */
  readonly title: string
  /** Empty for the page itself. */
  readonly id: string
  readonly heading: string
  readonly text: string
}

/** A piece of a text, and whether it was looked for. */
export interface Piece {
  readonly text: string
  readonly isHit: boolean
}

export interface Match {
  readonly place: Place
  /** The heading, or the title of the page. */
  readonly name: readonly Piece[]
  /** The text around the first word that was found. */
  readonly excerpt: readonly Piece[]
}

const MAX_MATCHES = 20
const EXCERPT_BEFORE = 30
const EXCERPT_LENGTH = 130

/** Titles of pages come first, then ids, which name error codes and operations, and headings. */
const BOOST = { title: 40, id: 6, heading: 4 } as const

/** The words of a text in its language, and the parts of names such as RATE_LIMITED. */
function wordsOf(text: string, segmenter: Intl.Segmenter): string[] {
  return [...segmenter.segment(text.normalize('NFKC'))].flatMap(({ segment, isWordLike }) => {
    if (isWordLike !== true) return []
    const parts = segment.split('_').filter((part) => part !== '')
    return parts.length > 1 ? [segment, ...parts] : [segment]
  })
}

function nameOf({ heading, title }: Place): string {
  return heading === '' ? title : heading
}

function comparable(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase()
}

/** The pieces of a text, with the words that were found apart. */
function piecesOf(text: string, words: readonly string[]): readonly Piece[] {
  const escaped = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  const hits = new RegExp(`(${escaped.join('|')})`, 'iu')
  return text
    .split(hits)
    .map((piece, index) => ({ text: piece, isHit: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

function excerptOf(text: string, words: readonly string[]): readonly Piece[] {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const from = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE)
  const start = places.length === 0 ? 0 : from
  const end = start + EXCERPT_LENGTH
  const cut = text.slice(start, end).trim()
  return piecesOf(`${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`, words)
}

/**
 * Prepares a search over places in a language. It returns those with all words of a query, best first; those with some
 * of them if no place has all. Names that contain the whole query come before all others. The end of a word may be missing; without a match, long Latin words may have two wrong letters.
 */
export function createSearch(
  places: readonly Place[],
  locale: string,
): (query: string) => readonly Match[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' })
  const search = new MiniSearch({
    idField: 'index',
    fields: ['title', 'id', 'heading', 'text'],
    tokenize: (text) => wordsOf(text, segmenter),
    searchOptions: {
      boost: BOOST,
      prefix: true,
      combineWith: 'AND',
    },
  })
  search.addAll(
    places.map(({ title, id, heading, text }, index) => ({
      index,
      id,
      title: id === '' ? title : '',
      heading,
      text,
    })),
  )
  return (query) => {
    const typo = (term: string): number => (/^[a-z]{5,}$/i.test(term) ? 2 : 0)
    const attempts = [{}, { fuzzy: typo }, { combineWith: 'OR' }] as const
    let found: SearchResult[] = []
    for (const options of attempts) if (found.length === 0) found = search.search(query, options)
    const matches = found.flatMap(({ id: index, terms }) => {
      const place = places[Number(index)]
      return place === undefined ? [] : [{ place, terms }]
    })
    const whole = comparable(query)
    const isOther = ({ place }: (typeof matches)[number]): boolean =>
      !comparable(nameOf(place)).includes(whole)
    return matches
      .toSorted((a, b) => Number(isOther(a)) - Number(isOther(b)))
      .slice(0, MAX_MATCHES)
      .map(({ place, terms }) => ({
        place,
        name: piecesOf(nameOf(place), terms),
        excerpt: excerptOf(place.text, terms),
      }))
  }
}
