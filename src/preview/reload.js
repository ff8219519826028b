// Reloads the page after the content was changed. The path of this script names the revision that the page shows.
const revision = new URL(import.meta.url).searchParams.get('revision')

async function reloadIfChanged() {
  // Without a response, the preview was stopped; it may be started again.
  const response = await fetch('/preview/revision').catch(() => undefined)
  if (response?.status === 200 && (await response.text()) !== revision) location.reload()
}

setInterval(() => void reloadIfChanged(), 300)
