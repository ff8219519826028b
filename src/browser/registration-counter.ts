import { LIMITS } from '../contract/limits.ts'
import { partOf } from './page-element.ts'
import type { PageTexts } from './page-texts.ts'

/** From this number of remaining characters on, the count is announced. */
const SAID_FROM = 50
/** Pause in typing before an announcement. */
const PAUSE_MS = 1000

/** Counts the remaining characters as the service does: in code points. */
export function countCharacters(texts: PageTexts): void {
  const field = partOf(document, '#useCase', HTMLTextAreaElement)
  const shown = partOf(document, '#useCase-count', HTMLElement)
  const status = partOf(document, '#useCase-status', HTMLElement)
  let pause: ReturnType<typeof setTimeout> | undefined

  function update(): void {
    const left = LIMITS.maxUseCaseCodePoints - Array.from(field.value).length
    const text = left < 0 ? texts.count('count.over', -left) : texts.count('count.left', left)
    shown.textContent = text
    shown.classList.toggle('over', left < 0)
    clearTimeout(pause)
    pause = setTimeout(() => {
      status.textContent = left <= SAID_FROM ? text : ''
    }, PAUSE_MS)
  }

  field.addEventListener('input', update)
  // Browsers restore the input when a page is reloaded.
  addEventListener('pageshow', update)
  update()
}
