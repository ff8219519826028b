// The endpoints of the reference: tabs for the samples, a form that tries an endpoint and verifies its response, and links
// to fields.
import { pageElement, partOf } from './page-element.ts'
import { fetchPage, readPageTexts } from './page-texts.ts'
import { mountSampleTabs } from './sample-tabs.ts'
import type * as TryForm from './try-form.ts'

mountSampleTabs()

const opener = partOf(document, '#try', HTMLTemplateElement)

/** The page with the form and its texts, fetched once. */
let formPage: Promise<Document> | undefined

/** Adds the form, with the script that verifies, to an opened place. If they do not load, a message takes its place until the next opening. */
async function openForm(place: HTMLElement, entry: HTMLElement): Promise<void> {
  const { form: address = '', script = '', failed = '', keyId } = opener.dataset
  try {
    const [page, { mountTryForm }] = await Promise.all([
      (formPage ??= fetchPage(address)),
      import(script) as Promise<typeof TryForm>,
    ])
    const template = partOf(page, '#try-form', HTMLTemplateElement)
    place.querySelector(':scope > .note')?.remove()
    mountTryForm(place, entry, template, readPageTexts('reference', page), keyId || undefined)
  } catch (error) {
    formPage = undefined
    place.append(pageElement('p', failed, 'note note-warn'))
    waitForOpening(place, entry)
    // Anything but a lost connection is a defect of this script.
    if (!(error instanceof TypeError)) throw error
  }
}

/** The form is created when its place is opened: many forms are slow, and password managers would fill in each of them. */
function waitForOpening(place: HTMLElement, entry: HTMLElement): void {
  place.addEventListener('toggle', () => void openForm(place, entry), { once: true })
}

for (const entry of document.querySelectorAll<HTMLElement>('[data-try]')) {
  const call = partOf(entry, '.call', HTMLElement).textContent
  const opened = document.importNode(opener.content, true)
  const place = partOf(opened, 'details', HTMLDetailsElement)
  partOf(place, 'summary', HTMLElement).append(pageElement('span', ` ${call}`, 'hidden-text'))
  waitForOpening(place, entry)
  entry.append(place)
}

// The name of each field and each heading without a link becomes a link to it. In the page itself, the links would take
// more room than the names.
for (const place of document.querySelectorAll('.fields dt, .endpoint > div > h3')) {
  const nodes = [...place.childNodes]
  // The type of a field follows its name, whose parts lines may break between.
  const end = nodes.findIndex((node) => node instanceof Element && node.localName !== 'wbr')
  const name = nodes.slice(0, end === -1 ? nodes.length : end)
  const last = name.at(-1)
  if (!(last instanceof Text)) continue
  last.data = last.data.trimEnd()
  const link = pageElement('a', name, 'anchor')
  link.href = `#${place.id}`
  place.prepend(link, ...(end === -1 ? [] : [' ']))
}

// A saved link to an endpoint or a field, of the time when all were on one page, leads to the page of its group.
const [, id = '', endpoint = ''] = /^#((\w+)[\w.-]*)$/.exec(location.hash) ?? []
if (document.getElementById(id) === null) {
  const group = document.querySelector<HTMLAnchorElement>(`.rail a[href$="#${endpoint}"]`)
  if (group !== null) location.replace(group.pathname + location.hash)
}
