// The endpoints of the reference: copies requests, tries endpoints and verifies their responses.
import { partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { mountTryForm } from './try-form.ts'

function clone<Kind extends HTMLElement>(
  { content }: HTMLTemplateElement,
  selector: string,
  kind: new () => Kind,
): Kind {
  return partOf(document.importNode(content, true), selector, kind)
}

const texts = readPageTexts('reference')
const form = partOf(document, '#try-form', HTMLTemplateElement)
const opener = partOf(document, '#try', HTMLTemplateElement)
const copyButton = partOf(document, '#copy-request', HTMLTemplateElement)

/** Adds a button that copies the request. The script of all pages does the copying. */
function addCopyButton(entry: HTMLElement): void {
  const head = partOf(entry, 'figcaption', HTMLElement)
  const code = partOf(head, 'code', HTMLElement)
  code.id = `${entry.id}-request`
  const button = clone(copyButton, 'button', HTMLButtonElement)
  button.dataset['copy'] = code.id
  button.dataset['copied'] = texts.text('copied', { what: texts.text('request') })
  head.append(button)
}

for (const entry of document.querySelectorAll<HTMLElement>('.endpoint')) {
  addCopyButton(entry)
  // Only reads can be tried: other methods change data.
  if (partOf(entry, '.call', HTMLElement).dataset['call']?.startsWith('GET ') !== true) continue
  const place = clone(opener, 'details', HTMLDetailsElement)
  // Created when opened: many forms are slow, and password managers would fill in each of them.
  place.addEventListener('toggle', () => mountTryForm(place, entry, form, texts), {
    once: true,
  })
  entry.append(place)
}
