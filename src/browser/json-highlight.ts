// Colors JSON with highlight ranges, which do not change the document.

/** A name with its colon, a string, or a number or word. */
const TOKEN =
  /(?<name>"(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|(?<literal>\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*\b)/g
/** Longer texts stay uncolored, because each range costs memory. */
const MAX_CHARACTERS = 50_000

function rangesFor(kind: string): Highlight {
  const ranges = CSS.highlights.get(kind) ?? new Highlight()
  CSS.highlights.set(kind, ranges)
  return ranges
}

/** Colors the names and literals of the JSON in an element that contains nothing but text. */
export function highlightJson({ firstChild: node }: Element): void {
  // With forced colors, highlighted text looks selected.
  if (matchMedia('(forced-colors: active)').matches) return
  if (!('highlights' in CSS) || !(node instanceof Text) || node.length > MAX_CHARACTERS) return
  for (const { index, groups } of node.data.matchAll(TOKEN)) {
    const kind = ['name', 'literal'].find((each) => groups?.[each] !== undefined)
    if (kind === undefined) continue
    const endOffset = index + (groups?.[kind]?.length ?? 0)
    rangesFor(`json-${kind}`).add(
      new StaticRange({ startContainer: node, startOffset: index, endContainer: node, endOffset }),
    )
  }
}
