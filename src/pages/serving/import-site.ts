import { ownTurn } from '../markup/turns.ts'

/** Each loads at most 14 modules that those before it did not, so that requests for the API do not wait. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('../texts/translations.ts'),
  () => import('../texts/texts.ts'),
  () => import('../snapshots/month-page.ts'),
  () => import('../site-facts.ts'),
  () => import('../snapshots/event-page.ts'),
  () => import('../history/version-page.ts'),
  () => import('../early-access/privacy-page.ts'),
  () => import('../reference/reference-example.ts'),
  () => import('../reference/reference-page.ts'),
  () => import('../snapshots/overview-page.ts'),
  () => import('../snapshots/wallet-page.ts'),
  () => import('./page-table.ts'),
  () => import('./fixed-files.ts'),
]

async function importParts() {
  for (const importPart of PARTS) {
    await ownTurn()
    await importPart()
  }
  await ownTurn()
  return import('./site.ts')
}

let imported: ReturnType<typeof importParts> | undefined

/** Imports the pages once, in parts that each have a turn of the event loop of their own. Rejects if one is broken. */
export function importSite(): ReturnType<typeof importParts> {
  return (imported ??= importParts())
}
