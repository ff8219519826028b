// Finds versions by number, hash or digest in the index of all versions.
import { pageElement, partOf } from './page-element.ts'
import { type PageTexts, readPageTexts } from './page-texts.ts'

type Version = readonly [snapshotId: string, hash: string, digests: readonly string[]]

/** Shorter beginnings of hashes and digests match too much. */
const MIN_CHARACTERS = 4
const SHOWN_VERSIONS = 10

const NUMBER = /^(?:vs-?)?0*([1-9]\d{0,8})$/i

/** The versions that a query names: by number, or by the first characters of a hash or digest. */
function findVersions(versions: readonly Version[], query: string): readonly Version[] {
  const number = NUMBER.exec(query)?.[1]
  const snapshotId = number === undefined ? '' : `VS-${number.padStart(4, '0')}`
  const hash = query.toLowerCase()
  const isLong = query.length >= MIN_CHARACTERS
  const byNumber = versions.filter(([id]) => id === snapshotId)
  if (byNumber.length > 0 || !isLong) return byNumber
  return versions.filter(
    ([, each, digests]) =>
      each.startsWith(hash) || digests.some((digest) => digest.startsWith(query)),
  )
}

async function showFound(
  { text, count }: PageTexts,
  form: HTMLFormElement,
  query: string,
): Promise<void> {
  const place = partOf(form, '#find-result', HTMLElement)
  const show = (words: string): void => place.replaceChildren(pageElement('p', words))
  if (!NUMBER.test(query) && query.length < MIN_CHARACTERS) {
    show(text('short'))
    return
  }
  try {
    const response = await fetch(form.dataset['index'] ?? '', { credentials: 'omit' })
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    const { versions } = (await response.json()) as { versions: readonly Version[] }
    const found = findVersions(versions, query)
    const pageOf = ([snapshotId]: Version): string => `${location.pathname}/${snapshotId}`
    const links = found.slice(0, SHOWN_VERSIONS).map((version) => {
      const link = pageElement('a', [pageElement('code', version[0])])
      link.href = pageOf(version)
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
