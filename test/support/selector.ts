import type { PageElement } from './page-markup.ts'

type Test = (element: PageElement) => boolean

const COMPOUND = /^(?:\*|[a-z][a-z\d]*|[#.][\w-]+|\[[\w-]+(?:="[^"]*")?\])+$/i
const SIMPLE = /\[([\w-]+)(?:="([^"]*)")?\]|([#.]?)([\w-]+|\*)/g

/** Whether an element has the name, the classes, the id and the attributes of a compound such as `a.link[href]`. */
function compoundTest(compound: string): Test {
  if (!COMPOUND.test(compound)) throw new Error(`expected a selector, found ${compound}`)
  const tests = [...compound.matchAll(SIMPLE)].map(
    ([, attribute, value, sign, name = '']): Test => {
      if (attribute !== undefined) {
        return (element) =>
          value === undefined
            ? element.hasAttribute(attribute)
            : element.attribute(attribute) === value
      }
      if (sign === '#') return (element) => element.attribute('id') === name
      if (sign === '.') return (element) => classesOf(element).includes(name)
      return (element) => name === '*' || element.tagName === name
    },
  )
  return (element) => tests.every((test) => test(element))
}

function classesOf(element: PageElement): readonly string[] {
  return element.attribute('class')?.split(/\s+/) ?? []
}

/** Whether an ancestor passes a test; with `isChild` only the parent counts. */
function hasAncestor(element: PageElement, isChild: boolean, test: Test): boolean {
  const parent = element.parentElement
  return parent !== null && (test(parent) || (!isChild && hasAncestor(parent, false, test)))
}

/** Spaces and commas in the values of attributes do not separate. */
const WORDS = /(?:\[[^\]]*\]|[^\s,[])+/g

function complexTest(selector: string): Test {
  const [first = '', ...rest] = selector.match(WORDS) ?? []
  let test = compoundTest(first)
  let isChild = false
  for (const word of rest) {
    if (word === '>' && !isChild) {
      isChild = true
      continue
    }
    const [before, ofChild, own] = [test, isChild, compoundTest(word)]
    test = (element) => own(element) && hasAncestor(element, ofChild, before)
    isChild = false
  }
  if (isChild) throw new Error(`expected a selector, found ${selector}`)
  return test
}

/**
 * Whether a selector of CSS selects an element: names, ids, classes, attributes, descendants, children and lists. Throws for
 * others.
 */
export function selectorTest(selector: string): Test {
  const tests = (selector.match(/(?:\[[^\]]*\]|[^,[])+/g) ?? []).map(complexTest)
  if (tests.length === 0) throw new Error('expected a selector, found none')
  return (element) => tests.some((test) => test(element))
}
