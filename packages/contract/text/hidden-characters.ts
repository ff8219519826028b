/** Scripts in which joiners (U+200C, U+200D) change how letters look. */
const JOINING = [
  'Arabic',
  'Syriac',
  'Nko',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('')

/** Symbols whose shape is empty: the braille blank, the null notehead and the blanks of hieroglyphs. */
const BLANK_SYMBOLS = String.raw`\u2800\u{1d159}\u{13441}\u{13442}`

/**
 * Where characters without a shape of their own change a visible one: one joiner between letters, one in an emoji, or one
 * blank between braille patterns.
 */
const VISIBLE = [
  String.raw`(?<=[${JOINING}])[\u200c\u200d](?=[${JOINING}])`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=[\u2801-\u28ff])\u2800(?=[\u2801-\u28ff])`,
].join('|')

/** By Unicode property: control characters, ignorable and format characters, private use, separators; and blank symbols. */
const HIDDEN = new RegExp(
  String.raw`(?!\n|${VISIBLE})[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029${BLANK_SYMBOLS}]`,
  'u',
)
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu')

/** Plain ASCII with line breaks, which has nothing hidden. */
const PLAIN = /^[\n\x20-\x7e]*$/

/**
 * The first character that people do not see and programs read, such as a control character, a variation selector or a
 * filler; undefined if the text has no such character. Line breaks are not hidden, nor joiners in scripts and emoji that need them.
 */
export function findHidden(text: string): string | undefined {
  return PLAIN.test(text) ? undefined : HIDDEN.exec(text)?.[0]
}

/** The escape of a character in JSON and JavaScript, one for each UTF-16 unit. */
function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}

/** A text with each hidden character (`findHidden`) written as its escape, so that JSON stays equal. */
export function escapeHidden(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(ALL_HIDDEN, escapeUnits)
}
