import { formatAgo, MOMENT_FORMAT } from '@public-api/contract/text/elapsed'

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

/** A duration in the page's language: `15 minutes`. */
export function formatDuration(count: number, unit: 'second' | 'minute'): string {
  return formatNumber(count, { style: 'unit', unit, unitDisplay: 'long' })
}

/** A moment (ISO 8601, or milliseconds since 1970) as the server writes it: in the page's language, in UTC. */
export function formatPageMoment(moment: string | number): string {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, MOMENT_FORMAT)
  return `${format.format(new Date(moment))}\u00a0UTC`
}

/** A relative time in the page's language, in the longest unit that fits: `now`, `3 seconds ago`. */
export function formatAge(seconds: number): string {
  return formatAgo(document.documentElement.lang, seconds * 1000)
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
      button.removeAttribute('aria-disabled')
    }
  }
}
