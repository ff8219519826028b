// Runs before the page is drawn, so that it is not drawn in another theme, or with other samples, first. The pages load it as
// a classic script, because modules wait until the page is parsed.
import { readChoice, saveChoice } from './saved-choice.ts'

const NAME = 'theme'
const root = document.documentElement

/** Applies the saved theme (`system`, `light` or `dark`), the time zone and the language of samples. */
function applyChoices(): void {
  const theme = readChoice(NAME) ?? root.dataset[NAME] ?? 'system'
  root.dataset[NAME] = theme
  const choice = document.getElementById(NAME)
  if (choice instanceof HTMLSelectElement) choice.value = theme
  // Both times would be the same.
  if (new Date().getTimezoneOffset() === 0) root.dataset['zone'] = 'utc'
  const sample = readChoice('sample') ?? root.dataset['sample']
  if (sample !== undefined) root.dataset['sample'] = sample
}

applyChoices()
document.addEventListener('DOMContentLoaded', applyChoices)
// A page that comes back from the back-forward cache, and one in another tab.
addEventListener('pageshow', applyChoices)
addEventListener('storage', applyChoices)
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || target.id !== NAME) return
  root.dataset[NAME] = target.value
  saveChoice(NAME, target.value)
})
