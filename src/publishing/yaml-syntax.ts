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

/** Where the quoted text starts that is still open at an offset. */
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
        found: 'a line that belongs to no list item',
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

/** Puts an error of the YAML parser into words that need no knowledge of YAML's grammar. */
export function explainSyntax(document: Document, text: string, error: YAMLError): SyntaxMistake {
  const [offset] = error.pos
  const { code, message } = error
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
      return {
        offset,
        found: 'a text with a colon and a space in it, without quotes',
        expected: 'the text in quotes',
      }
    case 'MISSING_CHAR':
      return explainMissing(document, offset, message)
    case 'TAB_AS_INDENT':
      return { offset, found: 'a tab in the indentation', expected: 'spaces' }
    case 'MULTIPLE_DOCS':
      return {
        offset,
        found: 'a second document (after --- or ...)',
        expected: 'one document in a file',
      }
    case 'BAD_INDENT':
      return message.startsWith('Flow')
        ? {
            offset,
            found: 'a { or [ that is not closed',
            expected: 'its } or ] before the next field',
          }
        : {
            offset,
            found: 'an indentation that matches no line above',
            expected: 'the same indentation for all fields of a group',
          }
    case 'MULTILINE_IMPLICIT_KEY':
      return explainKey(text, offset)
    case 'BAD_SCALAR_START':
      return {
        offset,
        found: `a text that starts with ${text.slice(offset, offset + 1)}`,
        expected: 'the text in quotes',
      }
    case 'UNEXPECTED_TOKEN':
      return explainToken(offset, message)
    case 'BAD_DQ_ESCAPE':
      return {
        offset,
        found: 'a backslash with an unknown letter in double quotes',
        expected: String.raw`\\ for a backslash, or single quotes around the text`,
      }
    case 'DUPLICATE_KEY':
      return { offset, found: 'a field that is there already', expected: 'each field once' }
    case 'TAG_RESOLVE_FAILED':
      return { offset, found: 'a text that starts with !', expected: 'the text in quotes' }
    case 'KEY_OVER_1024_CHARS':
      return { offset, found: 'a field name of more than 1024 characters', expected: 'name: value' }
    case 'RESOURCE_EXHAUSTION':
      // The parser is recursive and stops itself where its stack ends: a bomb of brackets.
      return { offset, found: 'fields nested too deeply', expected: `at most ${MAX_DEPTH} levels` }
    default:
      return { offset, found: `invalid YAML (${code})`, expected: 'one YAML 1.2 document' }
  }
}
