import type { Html } from './html.ts'

/** Limits of a growing list on a page, so that the page stays small, also in Thai. */
export interface ShownLimits {
  readonly items: number
  /** Approximate limit of their markup. The first item is always shown. */
  readonly bytes: number
}

/** Renders the first items of a list up to the limits. `left` counts the omitted ones. */
export function newestShown<Item>(
  items: readonly Item[],
  { items: most, bytes: room }: ShownLimits,
  render: (item: Item, index: number) => Html,
) {
  const shown: Html[] = []
  let bytes = 0
  for (const [index, item] of items.slice(0, most).entries()) {
    const made = render(item, index)
    bytes += Buffer.byteLength(made.text)
    if (bytes > room && index > 0) break
    shown.push(made)
  }
  return { shown, left: items.length - shown.length }
}
