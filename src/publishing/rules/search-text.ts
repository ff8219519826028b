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
 * Dots and at signs as addresses are written against programs that collect them: 192[.]0, me (at) host, me <at> host,
 * 192\\.168, 192。168, me AT host DOT org. The capital words count between words only.
 */
const DOT = [
  String.raw`\s?[\[({<]\s?(?:\.|[Dd][Oo][Tt])\s?[\])}>]\s?`,
  String.raw`(?<=[\p{L}\p{N}])\s+DOT\s+(?=[\p{L}\p{N}])`,
  String.raw`(?<=[\w\uff10-\uff5a])(?:\\{1,2}(?:\.|u002[Ee]|x2[Ee])|[\u3002\uff61])(?=[\w\uff10-\uff5a])`,
].join('|')
const AT = [
  String.raw`\s?[\[({<]\s?(?:@|[Aa][Tt])\s?[\])}>]\s?`,
  String.raw`(?<=[\p{Ll}\p{N}])\s+AT\s+(?=[\w-]+(?:\.|\s+DOT\s+|\s?[\[({<]\s?(?:\.|[Dd][Oo][Tt]))\s?[\])}>\w])`,
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
