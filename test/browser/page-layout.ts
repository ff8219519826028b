import type { Page } from 'playwright-core'

/** What is wrong with the layout of a page: it is wider than its window, squeezes a text, or covers a control. */
export function layoutFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
    const faults: string[] = []
    const nameOf = (element: Element): string =>
      `${element.tagName.toLowerCase()}.${element.className} "${element.textContent.trim().slice(0, 30)}"`
    const isShown = (element: Element): boolean =>
      element.checkVisibility({ visibilityProperty: true }) &&
      element.closest('.hidden-text, .skip, [aria-hidden="true"]') === null
    /** The part of a box that its ancestors with bars or clips leave; such a part may be reached by scrolling. */
    const scrolls = (element: Element): boolean => {
      for (let each = element.parentElement; each !== null; each = each.parentElement) {
        if (each !== document.body && getComputedStyle(each).overflowX !== 'visible') return true
      }
      return false
    }

    const { scrollWidth = 0 } = document.scrollingElement ?? {}
    if (scrollWidth > innerWidth) faults.push(`the page is ${scrollWidth} px wide`)
    for (const element of document.querySelectorAll('body *')) {
      const { left, right, width } = element.getBoundingClientRect()
      if (width < 2 || !isShown(element) || scrolls(element)) continue
      if (right > innerWidth + 1 || left < -1) faults.push(`leaves the window: ${nameOf(element)}`)
    }

    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    while (texts.nextNode()) {
      const { currentNode: node } = texts
      const parent = node.parentElement
      const text = node.nodeValue?.trim() ?? ''
      if (parent === null || text.length < 6 || !isShown(parent)) continue
      if (parent.closest('svg, template, script, pre') !== null) continue
      range.selectNodeContents(node)
      const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)))
      if (Array.from(text).length / lines.size < 3) {
        faults.push(`${lines.size} lines for ${nameOf(parent)}`)
      }
    }

    const controls = [...document.querySelectorAll('a[href], button, input, select, summary')]
      .filter((element) => isShown(element) && element.closest('svg') === null && !scrolls(element))
      .map((element) => ({ element, rects: [...element.getClientRects()] }))
    for (const [index, one] of controls.entries()) {
      for (const other of controls.slice(index + 1)) {
        if (one.element.contains(other.element)) continue
        const covers = one.rects.some((a) =>
          other.rects.some(
            (b) =>
              Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
              // Lines of text with tall letters overlap a little.
              Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) >
                Math.min(a.height, b.height) / 2,
          ),
        )
        if (covers) faults.push(`${nameOf(one.element)} and ${nameOf(other.element)} overlap`)
      }
    }
    return [...new Set(faults)].slice(0, 12)
  })
}
