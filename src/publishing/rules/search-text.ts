/** Characters of a normalized text that a leak rule has found, as `matchAll` yields them. */
export type LeakMatch = Pick<RegExpExecArray, 'index' | 0>

const NAMED_ENTITIES: { readonly [name: string]: string } = {
  amp: '&',
  colon: ':',
  commat: '@',
  equals: '=',
  lt: '<',
  gt: '>',
  lowbar: '_',
  nbsp: ' ',
  period: '.',
  quot: '"',
  sol: '/',
}

/**
 * A word in any case. `(?i:…)` is not used: V8 14.6 does not find all of it once a process has compiled many patterns
 * (`--no-regexp-optimization` shows it).
 */
const anyCase = (word: string): string =>
  word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
const AT_WORD = anyCase('at')
const DOT_WORD = anyCase('dot')

/** Last labels of hosts that sentences rarely have as words. */
const TLD = `(?:${anyCase('com|org|net|edu|gov|info|io|co|dev|biz|xyz|example|eu|de|uk|fr|ch|nl|jp|cn|th|ru|br')})(?![\\w-])`
/** Between the words of an address: spaces, or hyphens in all of it. */
const GAP = String.raw`(?:\s{1,3}|[-_])`
const LABEL = String.raw`[A-Za-z\d]{1,63}`
/** Words before "at" and after it that make a sentence: "found at", "at a dot com company". */
const NOT_LOCAL = String.raw`(?<!\b(?:us|it|them|is|are|online|available|found|hosted|live|looks?|looked|looking|worked|works))`
const NOT_HOST = String.raw`(?!(?:an?|the|this|that|one|two|each|every|any|some|our|your|their|my|his|her|its)\b)`

/**
 * Dots and at signs as addresses are written against programs that collect them: 192[.]0, me (at) host, me <at> host,
 * 192\\.168, 192。168, me @ host . org, me AT host DOT org, me at host dot org. The words count between words only, and in
 * lower case only where the text ends as a host does.
 */
const DOT = [
  String.raw`\s?[\[({<]\s?(?:\.|[Dd][Oo][Tt])\s?[\])}>]\s?`,
  String.raw`(?<=[\p{L}\p{N}])\s+DOT\s+(?=[\p{L}\p{N}])`,
  String.raw`(?<=[\w\uff10-\uff5a])(?:\\{1,2}(?:\.|u002[Ee]|x2[Ee])|[\u3002\uff61])(?=[\w\uff10-\uff5a])`,
  String.raw`(?<=(?<![A-Za-z\d])${AT_WORD}${GAP}${NOT_HOST}(?:${LABEL}${GAP}${DOT_WORD}${GAP}){0,4}${LABEL})${GAP}${DOT_WORD}${GAP}(?=(?:${LABEL}${GAP}${DOT_WORD}${GAP}){0,4}${TLD})`,
].join('|')
const AT = [
  String.raw`\s?[\[({<]\s?(?:@|[Aa][Tt])\s?[\])}>]\s?`,
  String.raw`(?<=[\p{Ll}\p{N}])\s+AT\s+(?=[\w-]+(?:\.|\s+DOT\s+|\s?[\[({<]\s?(?:\.|[Dd][Oo][Tt]))\s?[\])}>\w])`,
  String.raw`(?<=[\p{L}\p{N}])\s@\s(?=[\p{L}\p{N}-]{1,63}(?:\.|\s\.\s)\p{L}{2})`,
  String.raw`(?<=[\p{L}\p{N}])${NOT_LOCAL}${GAP}${AT_WORD}${GAP}(?=${NOT_HOST}(?:${LABEL}${GAP}${DOT_WORD}${GAP}){1,5}${TLD})`,
].join('|')

// A dot, an at sign, a character reference of HTML, a percent-encoded byte of ASCII, or any other character.
const UNIT = new RegExp(
  `(${DOT})|(${AT})|&(?:#(\\d{1,7})|#[Xx]([0-9a-fA-F]{1,6})|([A-Za-z]{2,6}));|%([2-7][0-9a-fA-F])|.`,
  'gsu',
)
const HAS_DEFANGED = new RegExp(`${DOT}|${AT}`, 'u')

// Invisible characters, which can split a secret without a visible change.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

function decode([whole, dot, at, decimal, hex, name, percent]: RegExpExecArray): string {
  if (dot !== undefined) return '.'
  if (at !== undefined) return '@'
  if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? whole
  const digits = hex ?? percent
  if (decimal === undefined && digits === undefined) return whole
  const code = Number(decimal ?? `0x${digits}`)
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

// Texts that normalization does not change: printable ASCII and line breaks, without `%` and `&`.
const PLAIN = /^[\n\r\t\x20-\x24\x27-\x7E]*$/

/**
 * Normalizes a text so that a rule needs only one spelling of a secret: compatibility forms (NFKC), HTML character
 * references and percent-encoding are decoded, dots and at signs are bare, and invisible characters are removed.
 * `originalOffset` returns the offset in the original of the character at `index` of the text, or at its end.
 */
export function createSearchText(original: string) {
  if (PLAIN.test(original) && !HAS_DEFANGED.test(original)) {
    return { text: original, originalOffset: (index: number) => index }
  }
  const pieces: string[] = []
  const offsets: number[] = []
  for (const match of original.matchAll(UNIT)) {
    const piece = decode(match).replaceAll(INVISIBLE, '').normalize('NFKC')
    pieces.push(piece)
    for (let unit = 0; unit < piece.length; unit += 1) offsets.push(match.index)
  }
  return {
    text: pieces.join(''),
    originalOffset: (index: number) => offsets[index] ?? original.length,
  }
}
