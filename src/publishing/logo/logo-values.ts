const REFERENCE = /^url\(\s*(["']?)(#[\w.-]+)\1\s*\)$/
const KEYWORD_OR_COLOR = /^(?:[a-z]{1,40}|#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([\d\s.,%/a-z+-]{1,80}\))$/i
const TRANSFORM =
  /^(?:\s*,?\s*(?:matrix|translate|scale|rotate|skewX|skewY)\([\d\s.,e+-]{1,200}\))*\s*$/i

const PAINTS: ReadonlySet<string> = new Set(['fill', 'stroke', 'color', 'stop-color'])
const CONTENT_REFERENCES: ReadonlySet<string> = new Set(['mask', 'clip-path'])
const TRANSFORMS: ReadonlySet<string> = new Set(['transform', 'gradientTransform'])

/** What the value of an attribute may be, if it is something else; undefined for a value that stays inside the file. */
export function expectedValue(name: string, value: string): string | undefined {
  const text = value.trim()
  if (name === 'href') return /^#[\w.-]+$/.test(value) ? undefined : 'the #id of an element'
  if (CONTENT_REFERENCES.has(name)) {
    return REFERENCE.test(text) || text === 'none' ? undefined : 'url(#id) or none'
  }
  if (PAINTS.has(name)) {
    const [, reference = '', fallback = text] = /^(url\([^)]{0,80}\))\s*(.*)$/i.exec(text) ?? []
    const isReference = reference === '' || REFERENCE.test(reference)
    const isColor = KEYWORD_OR_COLOR.test(fallback) || (reference !== '' && fallback === '')
    return isReference && isColor ? undefined : 'a color, url(#id) or none'
  }
  if (TRANSFORMS.has(name)) return TRANSFORM.test(value) ? undefined : 'transform functions'
  // A function or an escape of CSS could load something.
  return /[()\\]/.test(value) ? 'a value without functions' : undefined
}

/** The id of the element that a value refers to. */
export function referredId(name: string, value: string): string | undefined {
  if (name === 'href') return value.slice(1)
  return REFERENCE.exec(/^url\([^)]*\)/i.exec(value.trim())?.[0] ?? '')?.[2]?.slice(1)
}
