import { lastAtOrBefore } from './last-at-or-before.ts'

/** A text normalized for the leak rules, with offsets into the original. */
export interface SearchText {
  readonly text: string
  /** Offset in the original of the character at `index` of `text`. `index` may be the length of the text. */
  originalOffset(index: number): number
}

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

// A character reference of HTML, or a percent-encoded byte of ASCII.
const ENCODED = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));|%([2-7][0-9a-fA-F])/y

// Invisible characters, which can split a secret without a visible change.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u

function fromCodePoint(code: number): string {
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

function decode([whole, decimal, hex, name, percent]: RegExpExecArray): string {
  if (decimal !== undefined) return fromCodePoint(Number(decimal))
  if (hex !== undefined) return fromCodePoint(Number.parseInt(hex, 16))
  if (percent !== undefined) return fromCodePoint(Number.parseInt(percent, 16))
  return NAMED_ENTITIES[name ?? ''] ?? whole
}

// Texts that normalization does not change: printable ASCII and line breaks, without `%` and `&`.
const PLAIN = /^[\n\r\t\x20-\x24\x27-\x7E]*$/

/**
 * Normalizes a text so that a rule needs only one spelling of a secret: compatibility forms (NFKC), HTML character
 * references and percent-encoding are decoded, and invisible characters are removed.
 */
export function createSearchText(original: string): SearchText {
  if (PLAIN.test(original)) return { text: original, originalOffset: (index) => index }
  let text = ''
  // Two parallel lists: the characters of `text` from `starts[i]` on come from `offsets[i]` in the original.
  const starts: number[] = []
  const offsets: number[] = []
  const append = (characters: string, offset: number): void => {
    if (characters === '') return
    starts.push(text.length)
    offsets.push(offset)
    text += characters
  }
  for (let offset = 0; offset < original.length;) {
    ENCODED.lastIndex = offset
    const encoded = ENCODED.exec(original)
    if (encoded !== null) {
      append(decode(encoded).normalize('NFKC'), offset)
      offset += encoded[0].length
      continue
    }
    const character = String.fromCodePoint(original.codePointAt(offset) ?? 0)
    if (character <= '\x7E') append(character, offset)
    else if (!INVISIBLE.test(character)) append(character.normalize('NFKC'), offset)
    offset += character.length
  }
  return {
    text,
    originalOffset(index) {
      if (index >= text.length) return original.length
      return offsets[lastAtOrBefore(starts, index)] ?? 0
    },
  }
}
