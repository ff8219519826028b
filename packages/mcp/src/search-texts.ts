import { foldText } from '@public-api/contract/text/fold-text'

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

/** Finds the objects in data whose own texts contain every word of a query, compared as in the search of the pages. */
export function searchTexts(resource: string, data: unknown, query: string): readonly Hit[] {
  const words = foldText(query)
    .split(/\s+/)
    .filter((word) => word !== '')
  const hits: Hit[] = []
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) {
      const item = scalarsOf(value)
      const text = foldText(Object.values(item).join('\n'))
      if (words.every((word) => text.includes(word))) hits.push({ resource, pointer, item })
    }
    for (const [name, member] of Object.entries(value)) {
      visit(member, `${pointer}/${escapePointer(name)}`)
    }
  }
  visit(data, '')
  return hits
}
