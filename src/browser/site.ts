// The script of every page. Each part looks for its own marks in the page and does nothing where there are none.

const { documentElement: root, body } = document

/** How long what was said can be read. */
const ANNOUNCEMENT_MS = 6000
let clearTimer: ReturnType<typeof setTimeout> | undefined

/** Says something to everybody: in a line at the foot of the window, which screen readers read out. */
function announce(text: string): void {
  const line = document.getElementById('announcement')
  if (line === null) return
  // Emptied first, so that the same words are read out again.
  line.textContent = ''
  clearTimeout(clearTimer)
  requestAnimationFrame(() => {
    line.textContent = text
  })
  clearTimer = setTimeout(() => (line.textContent = ''), ANNOUNCEMENT_MS)
}

/** Copies what a button names (`data-copy` is the id of an element) and says what it was (`data-copied`). */
async function copyFor({ dataset }: HTMLElement): Promise<void> {
  const text = document.getElementById(dataset['copy'] ?? '')?.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text)
    announce(dataset['copied'] ?? '')
  } catch {
    // No permission, or no secure context.
    announce(body.dataset['notCopied'] ?? '')
  }
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null
  if (button !== null) void copyFor(button)
})

/** Puts the reader's own time into the line below each moment, unless that is UTC. */
function showOwnTimes(): void {
  const phrase = body.dataset['ownTime'] ?? ''
  const format = new Intl.DateTimeFormat(root.lang, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-moment]')) {
    const line = time.nextElementSibling
    const moment = new Date(time.dateTime)
    if (line === null || moment.getTimezoneOffset() === 0) continue
    line.textContent = phrase.replace('{time}', format.format(moment))
  }
}

showOwnTimes()

// A link into the page that was followed from the popover of the contents has led away from it.
document.getElementById('contents-menu')?.addEventListener('click', ({ target, currentTarget }) => {
  const isLink = target instanceof Element && target.closest('a') !== null
  if (isLink && currentTarget instanceof HTMLElement && currentTarget.matches(':popover-open')) {
    currentTarget.hidePopover()
  }
})

root.dataset['script'] = 'on'
