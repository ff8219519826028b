import { formatAgo, formatElapsed } from '@public-api/contract/text/elapsed'

const { documentElement: root, body } = document

/** Ages state minutes. */
const REPEAT_MS = 60_000

/** A time of the visitor's clock and time zone, as the page words it. */
function ownTime(write: (format: Intl.DateTimeFormat) => string): string {
  const format = new Intl.DateTimeFormat(root.lang, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (body.dataset['ownTime'] ?? '').replace('{time}', write(format))
}

const isUtc = (moment: Date): boolean => moment.getTimezoneOffset() === 0

/** Fills the line below each moment with the local time, unless that is UTC. */
export function showOwnTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-moment]')) {
    const line = time.nextElementSibling
    const moment = new Date(time.dateTime)
    if (line === null || isUtc(moment)) continue
    line.textContent = ownTime((format) => format.format(moment))
  }
}

/** Fills the line above each planned time with the local time, and shows the notes of planned times that have passed. */
export function showPlannedTimes(): void {
  for (const line of document.querySelectorAll<HTMLElement>('[data-from]')) {
    const { from = '', to = '' } = line.dataset
    const start = new Date(from)
    if (!isUtc(start))
      line.textContent = ownTime((format) => format.formatRange(start, new Date(to)))
  }
  for (const note of document.querySelectorAll<HTMLElement>('[data-planned]')) {
    const ms = Date.now() - Date.parse(note.dataset['planned'] ?? '')
    if (!(ms >= REPEAT_MS)) continue
    note.querySelector('.age')?.replaceChildren(formatAgo(root.lang, ms))
    note.hidden = false
  }
}

function showAges(): void {
  for (const age of document.querySelectorAll<HTMLElement>('[data-ago]')) {
    age.textContent = formatAgo(root.lang, Date.now() - Date.parse(age.dataset['ago'] ?? ''))
  }
  for (const span of document.querySelectorAll<HTMLElement>('[data-elapsed]')) {
    const ms = Date.now() - Date.parse(span.dataset['elapsed'] ?? '')
    span.textContent = formatElapsed(root.lang, ms)
  }
}

/** Shows the ages and the durations of the visitor's clock, each minute again. Pages are cached for some minutes. */
export function keepAgesCurrent(): void {
  if (document.querySelector('[data-ago], [data-elapsed]') === null) return
  showAges()
  setInterval(showAges, REPEAT_MS)
}
