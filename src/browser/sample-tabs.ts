import { pageElement, partOf } from './page-element.ts'
import { saveChoice } from './saved-choice.ts'

const root = document.documentElement

/** The language that is shown where the chosen one has no sample. */
const FIRST = 'curl'

/** The samples of an endpoint with their tabs. */
interface TabbedSamples {
  show(language: string): void
}

/** Makes tabs of the names of an endpoint's samples (ARIA Authoring Practices, tabs with automatic activation). */
function mountTabs(
  place: HTMLElement,
  choose: (language: string, tab: HTMLElement) => void,
): TabbedSamples {
  const copy = partOf(place, '.copy', HTMLElement)
  const list = pageElement('div', [], 'tabs')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', copy.querySelector('.hidden-text')?.textContent.trim() ?? '')
  const endpoint = place.closest('.endpoint')?.id ?? ''
  const entries = [...place.querySelectorAll<HTMLElement>('[data-language]')].map((panel) => {
    const { language = '' } = panel.dataset
    const code = partOf(panel, 'code', HTMLElement)
    code.id = `${endpoint}-${language}`
    const tab = pageElement('button', partOf(panel, 'p', HTMLElement).textContent, 'muted small')
    tab.type = 'button'
    tab.id = `${code.id}-tab`
    tab.setAttribute('role', 'tab')
    panel.id = `${code.id}-panel`
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', tab.id)
    tab.setAttribute('aria-controls', panel.id)
    tab.addEventListener('click', () => choose(language, tab))
    return { language, tab, code }
  })
  list.append(...entries.map(({ tab }) => tab))
  list.addEventListener('keydown', (event) => {
    const at = entries.findIndex(({ tab }) => tab === event.target)
    const last = entries.length - 1
    const next = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key]
    const entry = next === undefined ? undefined : entries[next]
    if (entry === undefined) return
    event.preventDefault()
    entry.tab.focus()
    choose(entry.language, entry.tab)
  })
  place.prepend(list)

  return {
    show(language) {
      const shown = entries.find((each) => each.language === language) ?? entries[0]
      for (const entry of entries) {
        entry.tab.setAttribute('aria-selected', String(entry === shown))
        entry.tab.tabIndex = entry === shown ? 0 : -1
      }
      if (shown !== undefined) copy.dataset['copy'] = shown.code.id
    },
  }
}

/**
 * Makes tabs of the samples of all endpoints. The style sheet shows the language that `data-sample` of the root names, before
 * this script runs. A choice holds for all endpoints, and the browser remembers it.
 */
export function mountSampleTabs(): void {
  const chosen = (): string => root.dataset['sample'] ?? FIRST
  const all = [...document.querySelectorAll<HTMLElement>('.samples')].map((place) =>
    mountTabs(place, (language, tab) => {
      const before = tab.getBoundingClientRect().top
      root.dataset['sample'] = language
      saveChoice('sample', language)
      show()
      // The samples above have another height now.
      scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
    }),
  )
  function show(): void {
    for (const samples of all) samples.show(chosen())
  }
  show()
  // The choice may have come from another tab, or from before the page was left.
  new MutationObserver(show).observe(root, { attributeFilter: ['data-sample'] })
}
