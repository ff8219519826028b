/** A choice that this browser remembers for all pages, such as the theme; undefined without a choice or storage. */
export function readChoice(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Remembers a choice. If the browser blocks storage, it lasts as long as the page. */
export function saveChoice(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // As above.
  }
}
