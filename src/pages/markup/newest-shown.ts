import type { Html } from './html.ts'

/** Limits of a growing list on a page, so that the page stays small, also in Thai. */
export interface ShownLimits {
  readonly items: number
  /** Approximate limit of their markup. The first item is always shown. */
  readonly bytes: number
}

/** Renders the first items of a list up to the limits; required items are never omitted. `left` counts the omitted ones. */
export function newestShown<Item>(
  items: readonly Item[],
  { items: most, bytes: room }: ShownLimits,
  render: (item: Item, index: number) => Html,
  hasToBeSeen: (item: Item) => boolean = () => false,
) {
  const shown: Html[] = []
  let bytes = 0
  let isFull = false
  for (const [index, item] of items.entries()) {
    isFull ||= index >= most
    if (isFull && !hasToBeSeen(item)) continue
    const made = render(item, index)
    bytes += Buffer.byteLength(made.text)
    isFull ||= bytes > room
    if (isFull && index > 0 && !hasToBeSeen(item)) continue
    shown.push(made)
  }
  return { shown, left: items.length - shown.length }
}
