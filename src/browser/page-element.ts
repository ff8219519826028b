/** What an element is made with. */
export interface ElementOptions {
  readonly className?: string
  readonly children?: readonly (Node | string)[]
}

/** Makes an element; its texts come from the page. */
export function pageElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { className, children = [] }: ElementOptions = {},
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  if (className !== undefined) element.className = className
  element.append(...children)
  return element
}

/** The element of the page with this id. Throws an Error where the page has none of that kind. */
export function elementOf<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id)
  if (element instanceof kind) return element
  throw new Error(`The page has no ${kind.name} with the id ${id}`)
}

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
