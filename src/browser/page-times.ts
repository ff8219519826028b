import { ageMs, formatAgo, formatElapsed, OWN_TIME_FORMAT } from '@public-api/contract/text/elapsed'

const { documentElement: root } = document

/** Ages state minutes. */
const REPEAT_MS = 60_000

/** Writes moments in the time zone of the visitor. The end of a range of one day has no date. */
function writeOwn(when: Element): void {
  const moments = [...when.querySelectorAll('time')].map(({ dateTime }) => new Date(dateTime))
  for (const [index, own] of when.querySelectorAll<HTMLElement>('.local > span').entries()) {
    const [moment, previous] = [moments[index], moments[index - 1]]
    if (moment === undefined) continue
    const { hour, minute, hourCycle } = OWN_TIME_FORMAT
    const isSameDay = moment.toDateString() === previous?.toDateString()
    const format = isSameDay ? { hour, minute, hourCycle } : OWN_TIME_FORMAT
    const { before = '', after = '' } = own.dataset
    own.textContent = before + new Intl.DateTimeFormat(root.lang, format).format(moment) + after
  }
}

/** Fills in every time of the visitor. Their place is kept by the time in UTC, which is not shown (style.css). */
export function showOwnTimes(parent: ParentNode = document): void {
  for (const when of parent.querySelectorAll('.when')) writeOwn(when)
  root.dataset['times'] = 'own'
}

/** Shows the notes of planned times that have passed. */
export function showPassedNotes(): void {
  for (const note of document.querySelectorAll<HTMLElement>('[data-planned]')) {
    const ms = Date.now() - Date.parse(note.dataset['planned'] ?? '')
    if (!(ms >= REPEAT_MS)) continue
    note.querySelector('.age')?.replaceChildren(formatAgo(root.lang, ms))
    note.hidden = false
  }
}

function showAges(): void {
  for (const age of document.querySelectorAll<HTMLTimeElement>('[data-ago]')) {
    age.textContent = formatAgo(root.lang, ageMs(age.dateTime, Date.now()))
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
