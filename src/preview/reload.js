// Reloads the page after the content was changed. The path of this script names the revision that the page shows.
const revision = new URL(import.meta.url).searchParams.get('revision')

async function waitForChange() {
  for (;;) {
    try {
      const response = await fetch(`/preview/changes?after=${revision}`)
      if (response.status === 200) {
        location.reload()
        return
      }
    } catch {
      // The preview was stopped; it may be started again.
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

await waitForChange()
