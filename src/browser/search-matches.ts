import { foldText } from '@public-api/contract/text/fold-text'
import { partOf } from '@public-api/contract/text/part-of'
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

const MAX_PAGES = 20
/** Other places of a page that are named below its best one. */
const MAX_OTHERS = 3
const EXCERPT_BEFORE = 30
const EXCERPT_LENGTH = 130

/** Titles of pages come first, then ids, which name error codes and operations, and headings. */
const BOOST = { title: 40, id: 6, heading: 4 } as const

/**
 * The words of a text in its language, and the parts of names such as RATE_LIMITED. They are found before the text is folded,
 * because NFKC takes a Thai sara am apart.
 */
function wordsOf(text: string, segmenter: Intl.Segmenter): string[] {
  return [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) => {
    if (isWordLike !== true) return []
    const parts = segment.split('_').filter((part) => part !== '')
    return (parts.length > 1 ? [segment, ...parts] : [segment]).map(foldText)
  })
}

/** A word of the index as texts have it. */
const withSaraAm = (word: string): string => word.replaceAll('\u0e4d\u0e32', '\u0e33')

/** Scripts without spaces: where a word ends depends on what is next to it, so a word is also looked for as letters. */
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/

function nameOf({ heading, title }: Place): string {
  return heading === '' ? title : heading
}

/** The pieces of a text, with the words that were found apart. */
function piecesOf(text: string, words: readonly string[]): readonly Piece[] {
  if (words.length === 0) return [{ text, isHit: false }]
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
  const cut = partOf(text, start, end).trim()
  return piecesOf(`${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`, words)
}

/** The best place of a page for a query, and others on the same page. */
export interface PageMatch extends Match {
  readonly others: readonly Match[]
}

/** A place that was found, and the words in it. */
interface Found {
  readonly place: Place
  readonly terms: readonly string[]
}

/**
 * Prepares a search over places in a language. It returns the pages with all words of a query, best first; those with some
 * of them if no page has all. The page whose title is the query comes first, then names that contain the whole query. The end
 * of a word may be missing; without a match, long Latin words may have two wrong letters.
 */
export function createSearch(
  places: readonly Place[],
  locale: string,
): (query: string) => readonly PageMatch[] {
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
  const letters = places.map(({ title, heading, text }) => foldText(`${title} ${heading} ${text}`))

  /** The places with the words of the index, then those that have the letters of a query without spaces. */
  function find(query: string): readonly Found[] {
    const typo = (term: string): number => (/^[a-z]{5,}$/i.test(term) ? 2 : 0)
    const attempts = [{}, { fuzzy: typo }, { combineWith: 'OR' }] as const
    const words = query.split(/\s+/).filter((word) => word !== '')
    const wanted = words.map(foldText)
    const byLetters = !UNSPACED.test(query)
      ? []
      : places.flatMap((place, index) =>
          wanted.every((word) => letters[index]?.includes(word)) ? [{ place, terms: words }] : [],
        )
    let found: SearchResult[] = []
    for (const options of attempts) {
      // What has the letters is better than a guess.
      if (found.length === 0 && (options !== attempts[2] || byLetters.length === 0))
        found = search.search(query, options)
    }
    const byWords = found.flatMap(({ id: index, terms }) => {
      const place = places[Number(index)]
      return place === undefined ? [] : [{ place, terms: terms.map(withSaraAm) }]
    })
    const known = new Set(byWords.map(({ place }) => place))
    return [...byWords, ...byLetters.filter(({ place }) => !known.has(place))]
  }

  /** 0 for the page of this title, 1 for a name that contains the whole query. */
  function rankOf(place: Place, whole: string): number {
    const title = foldText(place.title)
    // The title of a page as browsers show it ends with the name of the site.
    if (place.id === '' && (whole === title || whole.startsWith(`${title} · `))) return 0
    return foldText(nameOf(place)).includes(whole) ? 1 : 2
  }

  return (query) => {
    const whole = foldText(query)
    const ranked = find(query).toSorted((a, b) => rankOf(a.place, whole) - rankOf(b.place, whole))
    const byPage = Map.groupBy(ranked, ({ place }) => place.path)
    return [...byPage.values()].slice(0, MAX_PAGES).map((found) => {
      const matches = found.slice(0, 1 + MAX_OTHERS).map(({ place, terms }) => ({
        place,
        name: piecesOf(nameOf(place), terms),
        excerpt: excerptOf(place.text, terms),
      }))
      const [best, ...others] = matches as [Match, ...Match[]]
      return { ...best, others }
    })
  }
}
