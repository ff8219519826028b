/** Creates an element with the given children and class. */
export function pageElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  children: string | readonly (Node | string)[] = [],
  className = '',
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  element.append(...(typeof children === 'string' ? [children] : children))
  if (className !== '') element.className = className
  return element
}

/** A number in the page's language. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(document.documentElement.lang, options).format(value)
}

/** The element for a selector. Throws an Error that names the selector if none matches. */
export function partOf<Kind extends HTMLElement>(
  parent: ParentNode,
  selector: string,
  kind: new () => Kind,
): Kind {
  const found = parent.querySelector(selector)
  if (found instanceof kind) return found
  throw new Error(`The page has no ${selector} that is a ${kind.name}`)
}

/**
 * A function that runs some work unless it is running. Meanwhile the button is `aria-disabled`, not `disabled`, which would
 * remove its focus.
 */
export function runsOnce(button: HTMLButtonElement, work: () => Promise<void>) {
  let isRunning = false
  return async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    button.setAttribute('aria-disabled', 'true')
    try {
      await work()
    } finally {
      isRunning = false
      button.setAttribute('aria-disabled', 'false')
    }
  }
}
