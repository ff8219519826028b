/** Options of a new element. */
export interface ElementOptions {
  readonly className?: string
  readonly children?: readonly (Node | string)[]
}

/** Creates an element. */
export function pageElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { className, children = [] }: ElementOptions = {},
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  if (className !== undefined) element.className = className
  element.append(...children)
  return element
}

/** The element with this id. Throws an Error if it is missing or of another type. */
export function elementOf<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id)
  if (element instanceof kind) return element
  throw new Error(`The page has no ${kind.name} with the id ${id}`)
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
