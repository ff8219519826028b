import type { Locale } from '../contract/locales.ts'
import { html, type Html } from './html.ts'

const UTC = 'UTC'

/** So that no narrow line begins with the zone alone. */
const NO_BREAK = '\u00a0'

/** A moment as a reader of the language writes it, to the minute and in UTC. */
function writtenMoment(locale: Locale, iso: string): string {
  const text = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: UTC,
  }).format(new Date(iso))
  return `${text}${NO_BREAK}UTC`
}

/**
 * A moment (ISO 8601, UTC) for a cell or a list of facts: in UTC, and below it a line that the script of all pages fills
 * with the reader's own time (`data-moment`). The line is there from the start, so that nothing shifts.
 */
export function momentHtml(locale: Locale, iso: string): Html {
  return html`<span class="moment"
    ><time datetime="${iso}" data-moment>${writtenMoment(locale, iso)}</time
    ><span class="own-time"></span
  ></span>`
}

/** The same within a sentence, in UTC alone. */
export function momentInText(locale: Locale, iso: string): Html {
  return html`<time datetime="${iso}">${writtenMoment(locale, iso)}</time>`
}

/** A day (ISO 8601) as a reader of the language writes it. */
export function dayHtml(locale: Locale, iso: string): Html {
  const text = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: UTC }).format(
    new Date(iso),
  )
  return html`<time datetime="${iso}">${text}</time>`
}
