// The script of every page. Each part looks for its own elements and does nothing without them.
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import { highlightJson } from './json-highlight.ts'
import { pageElement } from './page-element.ts'
import { keepAgesCurrent, showOwnTimes, showPassedNotes } from './page-times.ts'

const { documentElement: root, body } = document

/** How long an announcement is shown. */
const ANNOUNCEMENT_MS = 6000
let clearTimer: ReturnType<typeof setTimeout> | undefined

/** How long a copy button says that it copied. */
const DONE_MS = 2000

/** Puts a message into the live region at the foot of the window. A quiet one is read aloud and not shown. */
function announce(text: string, isQuiet = false): void {
  const line = document.getElementById('announcement')
  if (line === null) return
  // Emptied first, so that screen readers read the same text again.
  line.textContent = ''
  line.classList.toggle('hidden-text', isQuiet)
  clearTimeout(clearTimer)
  requestAnimationFrame(() => {
    line.textContent = text
  })
  clearTimer = setTimeout(() => (line.textContent = ''), ANNOUNCEMENT_MS)
}

/** Copies a text; announces if the browser refuses. */
async function copy(text: string, onCopied: () => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // No permission, or no secure context.
    announce(body.dataset['notCopied'] ?? '')
    return
  }
  onCopied()
}

/** Says for a moment on a copy button that it copied, and announces it. */
function showDone(button: HTMLElement): void {
  const word = button.querySelector<HTMLElement>('[data-widths]')
  if (word === null) return
  if (!button.classList.contains('is-done')) {
    const before = word.textContent
    button.classList.add('is-done')
    word.textContent = word.dataset['widths'] ?? ''
    setTimeout(() => {
      button.classList.remove('is-done')
      word.textContent = before
    }, DONE_MS)
  }
  announce(button.textContent, true)
}

document.addEventListener('click', ({ target }) => {
  if (!(target instanceof Element)) return
  const button = target.closest<HTMLElement>('[data-copy]')
  if (button !== null) {
    const text = document.getElementById(button.dataset['copy'] ?? '')?.textContent ?? ''
    void copy(text, () => showDone(button))
  }
  // A heading or a field that links to itself also copies its link.
  const anchor = target.closest<HTMLAnchorElement>('a.anchor')
  if (anchor !== null) void copy(anchor.href, () => announce(body.dataset['linkCopied'] ?? ''))
})

/** Boxes that scroll are tab stops, so that the keyboard can scroll them. Boxes whose content fits are not. */
const scrollBoxes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (!(target instanceof HTMLElement)) continue
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = target
    target.tabIndex = scrollWidth > clientWidth || scrollHeight > clientHeight ? 0 : -1
  }
})

for (const box of document.querySelectorAll('main :is(pre, .wide)[tabindex]')) {
  scrollBoxes.observe(box)
}

showOwnTimes()
showPassedNotes()
keepAgesCurrent()

// A link in the contents popover closes it.
document.getElementById('contents-menu')?.addEventListener('click', ({ target, currentTarget }) => {
  const isLink = target instanceof Element && target.closest('a') !== null
  if (isLink && currentTarget instanceof HTMLElement && currentTarget.matches(':popover-open')) {
    currentTarget.hidePopover()
  }
})

/** What an item of a filter is found by, besides its text: see `renderReferenceIndex`. */
interface FoundBy {
  readonly title: string
  readonly words: string
  readonly parts: readonly string[]
}

/** Parts that are listed below an item. */
const MAX_FOUND = 3

/** Text as it is compared. */
const comparable = (text: string): string => withoutLineMarks(text).toLowerCase()

/** The title of a found item, and links to its parts that have one of the words in their name. */
function foundList({ title, parts }: FoundBy, words: readonly string[], page: string): Element {
  const found = parts.filter((part) => words.some((word) => part.toLowerCase().includes(word)))
  const links = found.slice(0, MAX_FOUND).map((part) => {
    const link = pageElement('a', part.replace(/.*#/, ''))
    link.href = part.startsWith('#') ? page.replace(/#.*/, part) : part
    return pageElement('li', [link])
  })
  return pageElement('ul', [pageElement('li', title), ...links], 'found')
}

/** Shows only the items that contain every typed word, and their number. */
function mountFilter(filter: HTMLElement): void {
  const input = filter.querySelector('input')
  const shown = filter.querySelector('[role=status]')
  const { items: selector = '', some = '', none = '', index: address } = filter.dataset
  const items = [...document.querySelectorAll<HTMLElement>(selector)].map((item) => ({
    item,
    text: comparable(item.textContent),
    page: item.querySelector('a')?.getAttribute('href') ?? '',
  }))
  let index: { readonly [page: string]: FoundBy } = {}

  function show(): void {
    const words = comparable(input?.value ?? '')
      .split(/\s+/)
      .filter((word) => word !== '')
    let count = 0
    for (const { item, text, page } of items) {
      const by = index[page]
      const all =
        by === undefined
          ? text
          : `${text} ${comparable([by.title, by.words, ...by.parts].join(' '))}`
      item.hidden = !words.every((word) => all.includes(word))
      if (!item.hidden) count += 1
      item.querySelector('.found')?.remove()
      if (by !== undefined && words.length > 0 && !item.hidden)
        item.append(foundList(by, words, page))
    }
    if (shown === null) return
    shown.textContent =
      count === items.length
        ? ''
        : (count === 0 ? none : some)
            .replace('{count}', String(count))
            .replace('{total}', String(items.length))
  }

  async function load(from: string): Promise<void> {
    const response = await fetch(from, { credentials: 'omit' })
    if (!response.ok) return
    index = (await response.json()) as typeof index
    show()
  }

  input?.addEventListener('input', show)
  if (address !== undefined) {
    // Without it, the filter finds what the items say themselves.
    input?.addEventListener('focus', () => void load(address).catch(() => {}), { once: true })
  }
}

for (const example of document.querySelectorAll('pre.json')) highlightJson(example)

for (const filter of document.querySelectorAll<HTMLElement>('.filter')) mountFilter(filter)

/** The section of the page at the top of the window, by the last heading or entry with such an id above it. */
function currentSection(isCounted: (id: string) => boolean = () => true): string | undefined {
  const marks = document.querySelectorAll('main :is(h2, h3)[id], main section[id]')
  const line = innerHeight / 3
  return [...marks].findLast(
    (mark) => isCounted(mark.id) && mark.getBoundingClientRect().top <= line,
  )?.id
}

/** Height of the faded lower edge of the rail. */
const FADED_PIXELS = 48

/** Scrolls the rail, and not the page, until an element of it is in view, and the filter covers no link by half. */
function scrollRailTo(element: Element): void {
  const rail = element.closest('.contents')
  if (rail === null) return
  const [shown, wanted] = [rail.getBoundingClientRect(), element.getBoundingClientRect()]
  const top = rail.querySelector('.filter')?.getBoundingClientRect().bottom ?? shown.top
  const bottom = shown.bottom - FADED_PIXELS
  rail.scrollTop += Math.max(0, wanted.bottom - bottom) - Math.max(0, top - wanted.top)
  const covered = [...rail.querySelectorAll('li a')]
    .map((link) => link.getBoundingClientRect())
    .find((link) => link.top < top && link.bottom > top)
  if (covered !== undefined) rail.scrollTop += covered.bottom - top
}

/** Marks the link of the rail to the current section, or to the last section before it that has a link. */
function markCurrentSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents a')].filter(
    ({ pathname, hash }) => pathname === location.pathname && hash !== '',
  )
  const current = currentSection((id) => links.some(({ hash }) => hash === `#${id}`))
  for (const link of links) {
    if (link.hash !== `#${current}`) {
      link.removeAttribute('aria-current')
    } else if (!link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'location')
      scrollRailTo(link)
    }
  }
}

if (document.querySelector('.contents') !== null) {
  const group = document.querySelector('.rail-group:has([aria-current="page"])')
  if (group !== null) scrollRailTo(group)
  markCurrentSection()
  // Browsers send at most one scroll event per frame.
  addEventListener('scroll', markCurrentSection)
}

// The language switch keeps the fragment, or links to the current section.
for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) {
  link.addEventListener('click', () => {
    const section = location.hash.slice(1) || (scrollY > 0 ? currentSection() : undefined)
    if (section !== undefined) link.hash = section
  })
}

let hasSearch = false

/** Loads the script of the search, which finds what was typed meanwhile. */
function loadSearch(dialog: HTMLDialogElement, script: string): void {
  if (hasSearch) return
  hasSearch = true
  import(script).catch(() => {
    hasSearch = false
    dialog.querySelector('[role=status]')?.replaceChildren(dialog.dataset['failed'] ?? '')
  })
}

const searchDialog = document.querySelector<HTMLDialogElement>('#search')
const searchScript = document.querySelector<HTMLElement>('[data-search]')?.dataset['search']
if (searchDialog !== null && searchScript !== undefined) {
  const input = searchDialog.querySelector('input')
  const load = () => loadSearch(searchDialog, searchScript)
  const open = () => {
    if (!searchDialog.open) searchDialog.showModal()
    input?.select()
    searchDialog.dispatchEvent(new Event('open-search'))
    load()
  }
  for (const button of document.querySelectorAll('[data-search], .search-here')) {
    button.addEventListener('click', open)
  }
  // Typing tries again after a failure.
  input?.addEventListener('input', load)
  searchDialog.querySelector('.close')?.addEventListener('click', () => searchDialog.close())
  addEventListener('keydown', (event) => {
    const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
    if (!isShortcut || event.altKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
}

root.dataset['script'] = 'on'
