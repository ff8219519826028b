import { type Document, isScalar, visit, type YAMLError } from 'yaml'

/** A syntax error in plain words. */
export interface SyntaxMistake {
  readonly offset: number
  readonly found: string
  readonly expected: string
}

/** Deepest nesting of a content file; the deepest schema uses six levels. */
export const MAX_DEPTH = 32

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  return text.slice(start, end === -1 ? undefined : end)
}

/** Start of the quoted text that is still open at an offset. */
function openQuoteBefore(document: Document, offset: number): number | undefined {
  let start: number | undefined
  visit(document, {
    Scalar(_, node) {
      if (!isScalar(node) || node.type?.startsWith('QUOTE_') !== true) return
      const from = node.range?.[0]
      if (from !== undefined && from < offset) start = Math.max(start ?? 0, from)
    },
  })
  return start
}

function explainMissing(document: Document, offset: number, message: string): SyntaxMistake {
  const quote = /closing (.)quote/.exec(message)?.[1]
  if (quote !== undefined) {
    return {
      offset: openQuoteBefore(document, offset) ?? offset,
      found: 'a quote that is never closed',
      expected: `a closing ${quote} at the end of the text`,
    }
  }
  return message.startsWith('Sequence item')
    ? {
        offset,
        found: 'a line outside of any list item',
        expected: 'the indentation of the lines above, or - before a new item',
      }
    : { offset, found: 'a name without a colon', expected: 'name: value' }
}

function explainKey(text: string, offset: number): SyntaxMistake {
  const line = lineAt(text, offset).trim()
  if (line.startsWith('- ') || line === '-') {
    return { offset, found: 'a list item between fields', expected: 'the list below its own field' }
  }
  return /^[\w-]+:\S/.test(line)
    ? { offset, found: 'a colon without a space after it', expected: 'name: value' }
    : { offset, found: 'a line without a field name', expected: 'name: value' }
}

function explainToken(offset: number, message: string): SyntaxMistake {
  if (message.includes('scalar at node end')) {
    return {
      offset,
      found: 'text after a closing quote',
      expected: 'the whole text in quotes, with none of the same quotes inside',
    }
  }
  if (message.includes('block-seq-ind')) {
    return {
      offset,
      found: 'a list item on the line of its field',
      expected: 'each item on its own line',
    }
  }
  if (message.startsWith('Block scalar')) {
    return { offset, found: 'text after > or |', expected: 'the text on the lines below' }
  }
  return {
    offset,
    found: 'a character in a place where it has no meaning',
    expected: 'one YAML 1.2 document',
  }
}

/** Facts about an error of the YAML parser. */
interface ErrorContext {
  readonly document: Document
  readonly text: string
  readonly offset: number
  readonly message: string
}

/** Explains an error; by default at the parser's position. */
type Explain = (
  error: ErrorContext,
) => Pick<SyntaxMistake, 'found' | 'expected'> & { readonly offset?: number }

const EXPLANATIONS: { readonly [code: string]: Explain } = {
  BLOCK_AS_IMPLICIT_KEY: () => ({
    found: 'a text with a colon and a space in it, without quotes',
    expected: 'the text in quotes',
  }),
  MISSING_CHAR: ({ document, offset, message }) => explainMissing(document, offset, message),
  TAB_AS_INDENT: () => ({ found: 'a tab in the indentation', expected: 'spaces' }),
  MULTIPLE_DOCS: () => ({
    found: 'a second document (after --- or ...)',
    expected: 'one document in a file',
  }),
  BAD_INDENT: ({ message }) =>
    message.startsWith('Flow')
      ? {
          found: 'a { or [ that is not closed',
          expected: 'its } or ] before the next field',
        }
      : {
          found: 'an indentation that matches no line above',
          expected: 'the same indentation for all fields of a group',
        },
  MULTILINE_IMPLICIT_KEY: ({ text, offset }) => explainKey(text, offset),
  BAD_SCALAR_START: ({ text, offset }) => ({
    found: `a text that starts with ${text.slice(offset, offset + 1)}`,
    expected: 'the text in quotes',
  }),
  UNEXPECTED_TOKEN: ({ offset, message }) => explainToken(offset, message),
  BAD_DQ_ESCAPE: () => ({
    found: 'a backslash with an unknown letter in double quotes',
    expected: String.raw`\\ for a backslash, or single quotes around the text`,
  }),
  DUPLICATE_KEY: () => ({ found: 'a field that is there already', expected: 'each field once' }),
  TAG_RESOLVE_FAILED: () => ({
    found: 'a text that starts with !',
    expected: 'the text in quotes',
  }),
  KEY_OVER_1024_CHARS: () => ({
    found: 'a field name of more than 1024 characters',
    expected: 'name: value',
  }),
  // The recursive parser ran out of stack on deeply nested brackets.
  RESOURCE_EXHAUSTION: () => ({
    found: 'fields nested too deeply',
    expected: `at most ${MAX_DEPTH} levels`,
  }),
}

/** Explains an error of the YAML parser to readers who do not know YAML's grammar. */
export function explainSyntax(
  document: Document,
  text: string,
  { code, message, pos: [offset] }: YAMLError,
): SyntaxMistake {
  const explain = EXPLANATIONS[code]
  return {
    offset,
    ...(explain?.({ document, text, offset, message }) ?? {
      found: `invalid YAML (${code})`,
      expected: 'one YAML 1.2 document',
    }),
  }
}
