// Finds versions by number, or by hash or digest in the index of all versions.
import { pageElement, partOf } from './page-element.ts'
import { type PageTexts, readPageTexts } from './page-texts.ts'

type Version = readonly [snapshotId: string, hash: string, digests: readonly string[]]

/** Shorter beginnings of hashes and digests match too much. */
const MIN_CHARACTERS = 4
const SHOWN_VERSIONS = 10

const NUMBER = /^(?:vs-?)?0*([1-9]\d{0,8})$/i

/** The version with this number; undefined if the history has none. */
function byNumber(query: string, versions: number): string | undefined {
  const number = NUMBER.exec(query)?.[1]
  if (number === undefined || Number(number) > versions) return undefined
  return `VS-${number.padStart(4, '0')}`
}

/** The versions whose hash, or a digest that they added, begins with the query. Rejects if a piece cannot be read. */
async function byDigest(form: HTMLFormElement, query: string): Promise<readonly string[]> {
  const { index = '', pieces } = form.dataset
  const hash = query.toLowerCase()
  const found: string[] = []
  for (let piece = Number(pieces); piece > 0; piece -= 1) {
    const response = await fetch(`${index}${piece}.json`, { credentials: 'omit' })
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    const { versions } = (await response.json()) as { versions: readonly Version[] }
    for (const [snapshotId, each, digests] of versions) {
      if (each.startsWith(hash) || digests.some((digest) => digest.startsWith(query)))
        found.push(snapshotId)
    }
  }
  return found
}

async function showFound(
  { text, count }: PageTexts,
  form: HTMLFormElement,
  query: string,
): Promise<void> {
  const place = partOf(form, '#find-result', HTMLElement)
  const show = (words: string): void => place.replaceChildren(pageElement('p', words))
  const isLong = query.length >= MIN_CHARACTERS
  if (!NUMBER.test(query) && !isLong) {
    show(text('short'))
    return
  }
  try {
    const numbered = byNumber(query, Number(form.dataset['versions']))
    const found = numbered === undefined ? (isLong ? await byDigest(form, query) : []) : [numbered]
    const links = found.slice(0, SHOWN_VERSIONS).map((snapshotId) => {
      const link = pageElement('a', [pageElement('code', snapshotId)])
      link.href = `${location.pathname}/${snapshotId}`
      return pageElement('li', [link])
    })
    if (found.length === 0) show(text('none', { query }))
    else
      place.replaceChildren(
        pageElement('p', count('found', found.length)),
        pageElement('ul', links),
      )
  } catch {
    show(text('failed'))
  }
}

/** Mounts the search of the history page. */
export function mountVersionSearch(): void {
  const form = partOf(document, '#find-version', HTMLFormElement)
  const input = partOf(form, '#find-input', HTMLInputElement)
  const texts = readPageTexts('find')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    // Entity tags have quotes, and archive paths end with .json.
    void showFound(
      texts,
      form,
      input.value
        .trim()
        .replaceAll('"', '')
        .replace(/\.json$/, ''),
    )
  })
}
