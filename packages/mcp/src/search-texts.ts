/** A text that contains every word of a query. */
interface Hit {
  /** Name of the resource. */
  readonly resource: string
  /** JSON Pointer (RFC 6901) of the object that contains the text. */
  readonly pointer: string
  /** The members of the object that are texts or numbers. */
  readonly item: { readonly [name: string]: unknown }
}

type Scalars = { readonly [name: string]: string | number | boolean | null }

function scalarsOf(object: object): Scalars {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => typeof value !== 'object' || value === null),
  )
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** A text as it is compared: in any case, and however its letters are encoded, as the search of the pages has it. */
const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Finds the objects in data whose own texts contain every word of a query. */
export function searchTexts(resource: string, data: unknown, query: string): readonly Hit[] {
  const words = folded(query)
    .split(/\s+/)
    .filter((word) => word !== '')
  const hits: Hit[] = []
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) {
      const item = scalarsOf(value)
      const text = folded(Object.values(item).join('\n'))
      if (words.every((word) => text.includes(word))) hits.push({ resource, pointer, item })
    }
    for (const [name, member] of Object.entries(value)) {
      visit(member, `${pointer}/${escapePointer(name)}`)
    }
  }
  visit(data, '')
  return hits
}
