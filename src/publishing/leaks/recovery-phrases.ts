import { wordlist } from '@scure/bip39/wordlists/english.js'
import type { LeakMatch } from '../rules/search-text.ts'

const BIP39_WORDS: ReadonlySet<string> = new Set(wordlist)

/** The shortest recovery phrase (BIP 39). */
const PHRASE_WORDS = 12

/**
 * Minimum number of different words of the list in twelve words: one may be misspelled or occur twice. Ordinary text
 * repeats words and uses words outside the list.
 */
const LISTED_WORDS = PHRASE_WORDS - 1

/** Longest text between two words: a number, a bullet, a line break. */
const MAX_GAP = 24

/** Numbers of the words, as lists have them. */
const ROMAN_NUMERAL = /^(?=.)x{0,2}(?:ix|iv|v?i{0,3})$/i

// A word ends after its letters, or before a capital that follows a lower-case letter: AbandonAbilityAble.
const WORD = /\p{Lu}*\p{Ll}+|\p{Lu}+|\p{Lo}+/gu

/** Runs of words that are the recovery phrase of a wallet, with any separators. */
export function findRecoveryPhrases(text: string): readonly LeakMatch[] {
  const found: LeakMatch[] = []
  let run: { start: number; end: number; listed: string | undefined }[] = []
  let phraseStart: number | undefined
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    if (start - (run.at(-1)?.end ?? start) > MAX_GAP) {
      run = []
      phraseStart = undefined
    }
    if (ROMAN_NUMERAL.test(word)) continue
    const lowerCase = word.toLowerCase()
    const end = start + word.length
    run.push({ start, end, listed: BIP39_WORDS.has(lowerCase) ? lowerCase : undefined })
    if (run.length > PHRASE_WORDS) run.shift()
    const first = run.find(({ listed }) => listed !== undefined)
    const different = new Set(run.flatMap(({ listed }) => listed ?? []))
    if (run.length < PHRASE_WORDS || different.size < LISTED_WORDS || first === undefined) {
      phraseStart = undefined
      continue
    }
    // A longer phrase replaces its own beginning.
    if (phraseStart !== undefined) found.pop()
    phraseStart ??= first.start
    found.push({ index: phraseStart, 0: text.slice(phraseStart, end) })
  }
  return found
}
