/** One entity tag at the start of a list: an optional `W/` and the quoted opaque part (RFC 9110 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/
const LIST_GAP = /^[ \t]*(?:,[ \t]*|$)+/

/**
 * Whether an If-None-Match value names the current representation (RFC 9110 13.1.2): `*`, or a list in which some tag
 * is equal by weak comparison. An invalid value matches nothing, so the full response is sent.
 */
export function matchesIfNoneMatch(value: string | undefined, etag: string): boolean {
  if (value === undefined) return false
  let rest = value.trim()
  if (rest === '*') return true
  const opaque = etag.slice(etag.indexOf('"'))
  let matched = false
  // Empty list members are legal (RFC 9110 5.6.1).
  rest = rest.replace(/^(?:[ \t]*,)+[ \t]*/, '')
  while (rest !== '') {
    const tag = ENTITY_TAG.exec(rest)
    if (tag === null) return false
    matched ||= tag[1] === opaque
    const gap = LIST_GAP.exec(rest.slice(tag[0].length))
    if (gap === null) return false
    rest = rest.slice(tag[0].length + gap[0].length)
  }
  return matched
}
