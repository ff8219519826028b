import { weightsOf } from './content-coding.ts'

/**
 * Whether a client gets Markdown for a page: if its Accept header names `text/markdown`, with at least the weight of
 * HTML. Browsers and clients without a preference get HTML.
 */
export function prefersMarkdown(accept = ''): boolean {
  const weights = weightsOf(accept)
  const markdown = weights.get('text/markdown') ?? 0
  const html = weights.get('text/html') ?? weights.get('text/*') ?? weights.get('*/*') ?? 0
  return markdown > 0 && markdown >= html
}
