import type { Html } from './html.ts'

/** How much of a list that only grows stands on a page: the page has to stay light, also in Thai. */
export interface ShownLimits {
  readonly items: number
  /** About how much markup they may be. The first one is shown however much it is. */
  readonly bytes: number
}

/** The part of a list that a page shows. */
export interface ShownPart {
  readonly shown: readonly Html[]
  /** How many were left out. */
  readonly left: number
}

/** Renders the first items of a list, as many as there is room for; those that have to be seen are never left out. */
export function newestShown<Item>(
  items: readonly Item[],
  { items: most, bytes: room }: ShownLimits,
  render: (item: Item, index: number) => Html,
  hasToBeSeen: (item: Item) => boolean = () => false,
): ShownPart {
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
