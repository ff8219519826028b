/** An element that the page must have, by a selector; throws an Error that names it where it has none. */
export function partOf<Kind extends HTMLElement>(
  parent: ParentNode,
  selector: string,
  kind: new () => Kind,
): Kind {
  const found = parent.querySelector(selector)
  if (found instanceof kind) return found
  throw new Error(`The page has no ${selector} that is a ${kind.name}`)
}

/** An element with a text. */
export function textElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text: string,
  className?: string,
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  element.textContent = text
  if (className !== undefined) element.className = className
  return element
}
