// Runs before the page is drawn, so that it is not drawn in another theme first. The pages load it as a classic script,
// because modules wait until the page is parsed.
const NAME = 'theme'
const root = document.documentElement

/** Applies the saved theme: `system`, `light` or `dark`. */
function applyTheme(): void {
  let theme = root.dataset[NAME] ?? 'system'
  try {
    theme = localStorage.getItem(NAME) ?? theme
  } catch {
    // The browser blocks storage: a choice lasts as long as the page.
  }
  root.dataset[NAME] = theme
  const choice = document.getElementById(NAME)
  if (choice instanceof HTMLSelectElement) choice.value = theme
}

applyTheme()
document.addEventListener('DOMContentLoaded', applyTheme)
// A page that comes back from the back-forward cache, and one in another tab.
addEventListener('pageshow', applyTheme)
addEventListener('storage', applyTheme)
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || target.id !== NAME) return
  root.dataset[NAME] = target.value
  try {
    localStorage.setItem(NAME, target.value)
  } catch {
    // As above.
  }
})
