// The endpoints of the reference: tries endpoints and verifies their responses.
import { partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { mountTryForm } from './try-form.ts'

const texts = readPageTexts('reference')
const form = partOf(document, '#try-form', HTMLTemplateElement)
const opener = partOf(document, '#try', HTMLTemplateElement)

for (const entry of document.querySelectorAll<HTMLElement>('.endpoint')) {
  // Only reads can be tried: other methods change data.
  if (partOf(entry, '.call', HTMLElement).dataset['call']?.startsWith('GET ') !== true) continue
  const opened = document.importNode(opener.content, true)
  const place = partOf(opened, 'details', HTMLDetailsElement)
  // Created when opened: many forms are slow, and password managers would fill in each of them.
  place.addEventListener('toggle', () => mountTryForm(place, entry, form, texts), {
    once: true,
  })
  entry.append(place)
}
