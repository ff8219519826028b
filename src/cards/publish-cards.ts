import { messageOf } from '@public-api/contract/errors/error-message'
import { LOCALES } from '@public-api/contract/terms/locales'
import { type Card, cardName, cardOf } from '../pages/card.ts'
import { PAGES } from '../pages/serving/page-table.ts'
import { createLocalizedContent } from '../pages/site-facts.ts'
import { TEXTS } from '../pages/texts/texts.ts'
import type { ReleaseStore } from '../releases/release-store.ts'
import { createCanonicalPayload } from '../service/releases/payload.ts'

/** The cards of the pages, in the languages that the organization offers. Other pages show the card of their parent. */
export function listCards(read: (name: string) => string | undefined): readonly Card[] {
  const resource = (name: string) => {
    const text = read(name)
    return text === undefined ? undefined : createCanonicalPayload(text)
  }
  const pages = PAGES.filter(({ parent }) => parent === undefined)
  const { languages } = createLocalizedContent({ resource }, 'en').organization?.site ?? {}
  return (languages ?? LOCALES).flatMap((locale) => {
    const context = {
      locale,
      texts: TEXTS[locale],
      content: createLocalizedContent({ resource }, locale),
    }
    return pages.map((page) => cardOf(context, page))
  })
}

/**
 * Draws and stores the cards that are missing for resources. Never rejects, because a publication must not fail for a
 * picture: returns a warning with the number of cards that are still missing and the first reason.
 */
export async function publishCards(
  store: Pick<ReleaseStore, 'readCard' | 'writeCard'>,
  read: (name: string) => string | undefined,
): Promise<readonly string[]> {
  const reasons: string[] = []
  async function attempt(count: number, run: () => void | Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      const [reason = ''] = messageOf(error).split('\n')
      reasons.push(...Array.from({ length: count }, () => reason))
    }
  }
  const cards = listCards(read)
  const missing = cards.filter((card) => store.readCard(cardName(card)) === undefined)
  for (const [locale, ofLocale] of Map.groupBy(missing, (card) => card.locale)) {
    await attempt(ofLocale.length, async () => {
      const { openCardRenderer } = await import('./render-card.ts')
      const render = await openCardRenderer(locale, ofLocale)
      for (const card of ofLocale) {
        await attempt(1, () => store.writeCard(cardName(card), render(card)))
      }
    })
  }
  if (reasons.length === 0) return []
  return [
    `${reasons.length} of ${cards.length} social cards are missing; links to their pages show the logo, if any: ${reasons[0]}`,
  ]
}
