import { LIMITS } from '../contract/limits.ts'
import type { PageTexts } from './page-texts.ts'

/** From so many characters left on, the count is also said. */
const SAID_FROM = 50
/** A pause in typing, after which it is said. */
const PAUSE_MS = 1000

/** Where a count is shown and where it is said. */
interface CounterOptions {
  readonly field: HTMLTextAreaElement
  readonly shown: HTMLElement
  readonly said: HTMLElement
}

/** Counts what is left of a text as the service counts it: in code points. */
export function countCharacters(texts: PageTexts, { field, shown, said }: CounterOptions): void {
  let pause: ReturnType<typeof setTimeout> | undefined

  function update(): void {
    const left = LIMITS.maxUseCaseCodePoints - Array.from(field.value).length
    const text = left < 0 ? texts.count('count.over', -left) : texts.count('count.left', left)
    shown.textContent = text
    shown.classList.toggle('over', left < 0)
    clearTimeout(pause)
    pause = setTimeout(() => {
      said.textContent = left <= SAID_FROM ? text : ''
    }, PAUSE_MS)
  }

  field.addEventListener('input', update)
  // A browser brings back what was typed before a page was loaded again.
  addEventListener('pageshow', update)
  update()
}
