// The search over the pages, loaded when it is opened first. site.ts opens and closes it.
import { pageElement, partOf } from './page-element.ts'
import { createSearch, type Match, type PageMatch, type Piece } from './search-matches.ts'

interface Index {
  readonly pages: readonly {
    readonly path: string
    readonly title: string
    readonly entries: readonly (readonly [id: string, heading: string, text: string])[]
  }[]
  /** What is not found. */
  readonly note?: string
}

const dialog = partOf(document, '#search', HTMLDialogElement)
const input = partOf(dialog, 'input', HTMLInputElement)
const status = partOf(dialog, '[role=status]', HTMLElement)
const list = partOf(dialog, 'ol', HTMLOListElement)
const {
  index: indexPath = '',
  events: eventsPath = '',
  found = '',
  none = '',
  failed = '',
  loading: isLoading = '',
} = dialog.dataset

let loading: Promise<ReturnType<typeof createSearch>> | undefined
let note = ''

async function read(path: string): Promise<Index> {
  const response = await fetch(path)
  // A node that runs the release before has no index of events.
  if (response.status === 404 && path === eventsPath) return { pages: [] }
  if (!response.ok) throw new Error(`${path} returned ${response.status}`)
  return (await response.json()) as Index
}

async function load(): Promise<ReturnType<typeof createSearch>> {
  const indexes = await Promise.all([indexPath, eventsPath].map(read))
  note = indexes.flatMap((each) => each.note ?? []).join(' ')
  return createSearch(
    indexes
      .flatMap(({ pages }) => pages)
      .flatMap(({ path, title, entries }) =>
        entries.map(([id, heading, text]) => ({ path, title, id, heading, text })),
      ),
    document.documentElement.lang,
  )
}

const marked = (pieces: readonly Piece[]): readonly (string | Node)[] =>
  pieces.map(({ text, isHit }) => (isHit ? pageElement('mark', text) : text))

function linkTo({ place: { path, id }, name }: Match): HTMLAnchorElement {
  const link = pageElement('a', [pageElement('strong', marked(name))])
  link.href = id === '' ? path : `${path}#${id}`
  return link
}

/** A page: its best place, and below its excerpt the others. */
function itemOf({ others, ...best }: PageMatch): HTMLLIElement {
  const { title, heading } = best.place
  const link = linkTo(best)
  if (heading !== '') link.append(' ', pageElement('span', title, 'muted small'))
  const item = pageElement('li', [link, pageElement('p', marked(best.excerpt), 'muted small')])
  if (others.length > 0) item.append(pageElement('p', others.map(linkTo), 'links small'))
  return item
}

async function show(): Promise<void> {
  const query = input.value
  if (query.trim() === '') {
    list.replaceChildren()
    status.textContent = ''
    return
  }
  try {
    if (list.childElementCount === 0) status.textContent = isLoading
    loading ??= load()
    const matches = (await loading)(query)
    // Typing went on while the index was loaded.
    if (query !== input.value) return
    list.replaceChildren(...matches.map((match) => itemOf(match)))
    const result = matches.length === 0 ? none : found.replace('{count}', String(matches.length))
    status.textContent = note === '' ? result : `${result} · ${note}`
  } catch {
    loading = undefined
    list.replaceChildren()
    status.textContent = failed
  }
}

const links = (): readonly HTMLAnchorElement[] => [...list.querySelectorAll('a')]

input.addEventListener('input', () => void show())
input.addEventListener('keydown', ({ key, isComposing }) => {
  // Enter opens the best match, unless it ends the composition of a word.
  if (key === 'Enter' && !isComposing) links()[0]?.click()
})
dialog.addEventListener('keydown', (event) => {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const stops: readonly HTMLElement[] = [input, ...links()]
  const at = stops.findIndex((each) => each === document.activeElement)
  event.preventDefault()
  stops[Math.min(stops.length - 1, Math.max(0, at + step))]?.focus()
})
list.addEventListener('click', ({ target }) => {
  // A place on this page is behind the dialog.
  if (target instanceof Element && target.closest('a') !== null) dialog.close()
})

dialog.addEventListener('open-search', () => void show())
void show()
