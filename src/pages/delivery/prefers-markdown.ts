/** A media range with its parameters, of which only the weight matters here (RFC 9110 12.5.1). */
const MEDIA_RANGE = /^[ \t]*([^\s;/]+)\/([^\s;]+)[ \t]*(?:;(.*))?$/
const WEIGHT = /(?:^|;)[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*(?:;|$)/i

/** The weight of each range of an Accept header, by the range in lower case. Malformed ranges are ignored. */
function weightsOf(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const element of accept.split(',')) {
    const [, type, subtype, parameters = ''] = MEDIA_RANGE.exec(element) ?? []
    if (type === undefined) continue
    const weight = Number(WEIGHT.exec(parameters)?.[1] ?? 1)
    const range = `${type}/${subtype}`.toLowerCase()
    weights.set(range, Math.max(weight, weights.get(range) ?? 0))
  }
  return weights
}

/**
 * Whether a client gets Markdown for a page: if its Accept header names `text/markdown`, with at least the weight of
 * HTML. Browsers and clients without a preference get HTML.
 */
export function prefersMarkdown(accept = ''): boolean {
  if (!/markdown/i.test(accept)) return false
  const weights = weightsOf(accept)
  const markdown = weights.get('text/markdown') ?? 0
  const html = weights.get('text/html') ?? weights.get('text/*') ?? weights.get('*/*') ?? 0
  return markdown > 0 && markdown >= html
}
