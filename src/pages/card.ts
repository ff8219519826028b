import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { sha256Base64url } from '../crypto/sha256.ts'
import { DEFAULT_ACCENT } from './markup/site-assets.ts'
import { type Page, type PageContext, siteName } from './page.ts'

/** The size of a card in pixels, which platforms expect. */
export const CARD_SIZE = { width: 1200, height: 630 } as const

/** Part of the name of a card. Raise it with a change of the drawing, so that changed cards get new names. */
const DRAWING = 1

/** The picture that platforms show for a link to a page. Platforms cache it for days, so it contains no state. */
export function cardOf(
  context: Pick<PageContext, 'locale' | 'texts' | 'content'>,
  page: Pick<Page, 'path' | 'title' | 'description'>,
) {
  const { locale, texts, content } = context
  const { url, description, logo, accentColor } = content.organization ?? {}
  const isHome = page.path === ''
  const name = siteName(context)
  const ofPage = page.description(texts, { keyId: undefined })
  return {
    locale,
    heading: isHome ? texts.overview.heading : name,
    title: isHome ? name : page.title(texts),
    sentence: isHome ? (description ?? ofPage) : ofPage,
    host: url === undefined ? '' : new URL(url).host,
    accent: accentColor?.light ?? DEFAULT_ACCENT,
    logo,
  }
}

export type Card = ReturnType<typeof cardOf>

/**
 * The name of a card: a digest of what it shows. The service computes it as the publisher does, so that no list of cards is
 * needed and a card with old texts is never shown.
 */
export function cardName(card: Card): string {
  return sha256Base64url(canonicalJson({ ...card, drawing: DRAWING }))
}

/** The URL path of a card. */
export function cardPath(name: string): string {
  return `/cards/${name}.png`
}
