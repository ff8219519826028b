/** What an element is made with. */
export interface ElementParts {
  readonly className?: string
  readonly children?: readonly (Node | string)[]
}

/** Makes an element; its texts come from the page. */
export function pageElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { className, children = [] }: ElementParts = {},
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
