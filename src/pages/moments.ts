import type { Locale } from '../contract/locales.ts'
import { html, type Html } from './html.ts'

const UTC = 'UTC'

/**
 * A moment (ISO 8601, UTC) as a reader of the language writes it, to the minute and in UTC. The script of all pages
 * puts the reader's own time beside it (`data-moment`).
 */
export function momentHtml(locale: Locale, iso: string): Html {
  const text = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: UTC,
  }).format(new Date(iso))
  return html`<time datetime="${iso}" data-moment>${text} UTC</time>`
}

/** A day (ISO 8601) as a reader of the language writes it. */
export function dayHtml(locale: Locale, iso: string): Html {
  const text = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: UTC }).format(
    new Date(iso),
  )
  return html`<time datetime="${iso}">${text}</time>`
}
