import { type Document, visit, type YAMLError } from 'yaml'

/** Deepest nesting of a content file; the deepest schema uses six levels. */
export const MAX_DEPTH = 32

/** Start of the last quoted text before an offset. */
function quoteBefore(document: Document, offset: number): number | undefined {
  let start: number | undefined
  visit(document, {
    Scalar(_, { type, range }) {
      const from = range?.[0] ?? offset
      if (type?.startsWith('QUOTE_') === true && from < offset) start = from
    },
  })
  return start
}

const NAME_VALUE = 'name: value'
const ONE_DOCUMENT = 'one YAML 1.2 document'

/**
 * Errors of the parser by code: what was found and expected. A pattern looks at the parser's message, or at the line for
 * a missing key. The first row that fits counts.
 */
const EXPLANATIONS: {
  readonly [code: string]: readonly (readonly [found: string, expected: string, when?: RegExp])[]
} = {
  BLOCK_AS_IMPLICIT_KEY: [
    ['a text with a colon and a space in it, without quotes', 'the text in quotes'],
  ],
  MISSING_CHAR: [
    [
      'a line outside of any list item',
      'the indentation of the lines above, or - before a new item',
      /^Sequence item/,
    ],
    ['a name without a colon', NAME_VALUE],
  ],
  TAB_AS_INDENT: [['a tab in the indentation', 'spaces']],
  MULTIPLE_DOCS: [['a second document (after --- or ...)', 'one document in a file']],
  BAD_INDENT: [
    ['a { or [ that is not closed', 'its } or ] before the next field', /^Flow/],
    ['an indentation that matches no line above', 'the same indentation for all fields of a group'],
  ],
  MULTILINE_IMPLICIT_KEY: [
    ['a list item between fields', 'the list below its own field', /^-(?: |$)/],
    ['a colon without a space after it', NAME_VALUE, /^[\w-]+:\S/],
    ['a line without a field name', NAME_VALUE],
  ],
  UNEXPECTED_TOKEN: [
    [
      'text after a closing quote',
      'the whole text in quotes, with none of the same quotes inside',
      /scalar at node end/,
    ],
    ['a list item on the line of its field', 'each item on its own line', /block-seq-ind/],
    ['text after > or |', 'the text on the lines below', /^Block scalar/],
    ['a character in a place where it has no meaning', ONE_DOCUMENT],
  ],
  BAD_DQ_ESCAPE: [
    [
      'a backslash with an unknown letter in double quotes',
      String.raw`\\ for a backslash, or single quotes around the text`,
    ],
  ],
  DUPLICATE_KEY: [['a duplicate field', 'each field once']],
  TAG_RESOLVE_FAILED: [['a text that starts with !', 'the text in quotes']],
  KEY_OVER_1024_CHARS: [['a field name of more than 1024 characters', NAME_VALUE]],
  // The parser is recursive and stops where its stack ends: a bomb of brackets.
  RESOURCE_EXHAUSTION: [['fields nested too deeply', `at most ${MAX_DEPTH} levels`]],
}

/** What the parser says of items below an empty list on the line of its field. */
const BELOW_EMPTY: ReadonlySet<string> = new Set([
  'BLOCK_AS_IMPLICIT_KEY',
  'MULTILINE_IMPLICIT_KEY',
  'UNEXPECTED_TOKEN',
  'BAD_INDENT',
])

/** Puts an error of the YAML parser into words that need no knowledge of YAML's grammar. */
export function explainSyntax(
  document: Document,
  text: string,
  { code, message, pos: [offset] }: YAMLError,
): { readonly offset: number; readonly found: string; readonly expected: string } {
  const quote = /closing (.)quote/.exec(message)?.[1]
  if (code === 'MISSING_CHAR' && quote !== undefined) {
    return {
      offset: quoteBefore(document, offset) ?? offset,
      found: 'a quote that is never closed',
      expected: `a closing ${quote} at the end of the text`,
    }
  }
  if (code === 'BAD_SCALAR_START') {
    const found = `a text that starts with ${text.slice(offset, offset + 1)}`
    return { offset, found, expected: 'the text in quotes' }
  }
  const [line = ''] = text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)
  const subject = code === 'MULTILINE_IMPLICIT_KEY' ? line.trim() : message
  // A template that was uncommented below a list without items.
  const empty = /^ *([\w-]+): *(?:\[\]|\{\})[ \t]*(?:#.*)?$/.exec(
    text
      .slice(0, text.lastIndexOf('\n', offset - 1))
      .replaceAll(/(?:\n *(?:#.*)?)+$/g, '')
      .split('\n')
      .at(-1) ?? '',
  )?.[1]
  if (empty !== undefined && /^ *(?:- |-$|[\w-]+:)/.test(line) && BELOW_EMPTY.has(code)) {
    const found = `items below "${empty}:" with an empty list behind it`
    return { offset, found, expected: `${empty}: alone on its line, without []` }
  }
  const row = EXPLANATIONS[code]?.find(([, , when]) => when?.test(subject) ?? true)
  const [found, expected] = row ?? [`invalid YAML (${code})`, ONE_DOCUMENT]
  return { offset, found, expected }
}
