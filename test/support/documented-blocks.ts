import { readFileSync } from 'node:fs'

/** A code block of a document. */
export interface DocumentedBlock {
  /** The last heading before it. */
  readonly heading: string
  readonly language: string
  /** Its lines, without the indentation of its list. */
  readonly text: string
  /** Why no test runs it, if the document says so in a comment before it. */
  readonly example: string | undefined
}

/** The blocks of a document in their order, or those below one heading, which has one at least. */
export function documentedBlocks(file: string, below?: string): readonly DocumentedBlock[] {
  const found: DocumentedBlock[] = []
  let [heading, example] = ['', undefined as string | undefined]
  let open: { readonly indent: string; readonly language: string; lines: string[] } | undefined
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, indent = '', language = ''] = /^(\s*)```(\w*)/.exec(line) ?? []
    const isFence = /^\s*```/.test(line)
    if (isFence && open !== undefined) {
      const text = open.lines.map((each) => each.slice(open?.indent.length)).join('\n')
      found.push({ heading, language: open.language, text: `${text}\n`, example })
      open = undefined
      example = undefined
    } else if (isFence) open = { indent, language, lines: [] }
    else if (open !== undefined) open.lines.push(line)
    else {
      heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading
      if (line.trim() !== '') example = /^\s*<!-- Not run by a test: (.{10,}) -->$/.exec(line)?.[1]
    }
  }
  const chosen = found.filter((block) => below === undefined || block.heading === below)
  if (chosen.length === 0) throw new Error(`${file} has no code block below ${below}`)
  return chosen
}
