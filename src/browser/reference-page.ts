// The script of the API reference: copies of the requests, and a form for each endpoint that is read, which checks the
// answer's proof.
import { partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { mountTryForm } from './try-form.ts'

const texts = readPageTexts('reference')

const form = partOf(document, '#try-form', HTMLTemplateElement)
const opener = partOf(document, '#try', HTMLTemplateElement)
const copyButton = partOf(document, '#copy-request', HTMLTemplateElement)

function clone<Kind extends HTMLElement>(
  { content }: HTMLTemplateElement,
  selector: string,
  kind: new () => Kind,
): Kind {
  return partOf(document.importNode(content, true), selector, kind)
}

/** Puts a button beside the request that copies it; the script of all pages does the copying. */
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
  // What changes something cannot be tried.
  if (!partOf(entry, '.call', HTMLElement).textContent.startsWith('GET ')) continue
  const place = clone(opener, 'details', HTMLDetailsElement)
  // A page full of forms would be heavy, and password managers would offer themselves in each of them.
  place.addEventListener('toggle', () => mountTryForm(place, entry, { template: form, texts }), {
    once: true,
  })
  entry.append(place)
}
