/** An item of a list, and its place in a text. */
interface Item {
  readonly start: number
  readonly end: number
  readonly value: unknown
}

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT, LIST_END, OBJECT_END] = Buffer.from('"\\,[{]}')

/** The end of the string, list or object that begins at a place. Of bytes that are not JSON, any place after it. */
function endOfValue(json: Buffer, start: number): number {
  let [depth, isText] = [0, false]
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if (byte === LIST || byte === OBJECT) depth += 1
    else if (byte === LIST_END || byte === OBJECT_END) depth -= 1
    if (depth === 0 && !isText) return at + 1
  }
  return json.length
}

/**
 * Parses UTF-8 texts one after another. An item of a list that the text before had too is the same object, and is not parsed
 * again: a version changes few items of a long status. Returns undefined for bytes that are not JSON.
 */
export function createItemParser(): (json: Buffer) => unknown {
  let before = Buffer.alloc(0)
  let known: readonly Item[] = []

  function parse(json: Buffer): unknown {
    const items: Item[] = []
    let [rest, restStart, depth, isInList, next] = ['', 0, 0, false, 0]
    const hasAt = (at: number, { start, end }: Item): boolean => {
      const stop = at + end - start
      return stop <= json.length && json.compare(before, start, end, at, stop) === 0
    }
    for (let at = 0; at < json.length; at += 1) {
      const byte = json[at]
      if (byte === QUOTE) at = endOfValue(json, at) - 1
      else if (byte === LIST_END || byte === OBJECT_END) depth -= 1
      else if (byte === LIST || byte === OBJECT) {
        depth += 1
        if (depth === 2) isInList = byte === LIST
        if (depth < 3 || !isInList) continue
        let same = next
        while (same < known.length && !hasAt(at, known[same] as Item)) same += 1
        const item = known[same]
        if (item !== undefined) next = same + 1
        const end = item === undefined ? endOfValue(json, at) : at + item.end - item.start
        const value = item?.value ?? (JSON.parse(json.toString('utf8', at, end)) as unknown)
        const isNext = at === restStart + 1 && json[restStart] === COMMA
        // In its place is a list with its number, so that what is around it is parsed as it is.
        rest += `${isNext ? ',' : json.toString('utf8', restStart, at)}[${items.length}]`
        items.push({ start: at, end, value })
        restStart = end
        at = end - 1
        depth -= 1
      }
    }
    const data = JSON.parse(rest + json.toString('utf8', restStart)) as unknown
    for (const list of Object.values(Object(data) as object)) {
      if (!Array.isArray(list)) continue
      for (const [at, each] of list.entries()) {
        if (Array.isArray(each)) list[at] = items[each[0] as number]?.value
      }
    }
    if (before.length < json.length) before = Buffer.allocUnsafeSlow(2 * json.length)
    json.copy(before)
    known = items
    return data
  }

  return (json) => {
    try {
      return parse(json)
    } catch {
      return undefined
    }
  }
}
