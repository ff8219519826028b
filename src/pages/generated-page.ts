import { sincePage } from './history/since-page.ts'
import { versionPage } from './history/version-page.ts'
import { markdownPath, type Page, type PageContext, pathOfPage } from './page.ts'
import { eventPage, publishedEventPages, removedEventPages } from './snapshots/event-page.ts'
import { monthPage, monthPaths } from './snapshots/month-page.ts'

/** The pages that a release has besides those of the page table, by their paths below the locale. */
const PATHS: readonly (readonly [
  path: RegExp,
  pageOf: (context: PageContext, ...parts: readonly string[]) => Page | undefined,
])[] = [
  [
    /^history\/(since\/)?(VS-\d{4,})$/,
    ({ facts }, since, snapshotId = '') => {
      const entry = facts.version(snapshotId)
      return entry && (since === undefined ? versionPage(entry) : sincePage(entry))
    },
  ],
  [
    /^status\/(\d{4}-\d{2})(?:\/([1-9]\d{0,3}))?$/,
    (context, month = '', part = '1') => monthPage(context, month, Number(part)),
  ],
  [
    /^status\/(incidents|maintenances)\/([a-z0-9-]+)$/,
    (context, kind, id = '') => eventPage(context, kind as 'incidents' | 'maintenances', id),
  ],
]

/** The paths of some pages and of their Markdown twins. */
function withTwins({ locale }: PageContext, paths: readonly string[]): readonly string[] {
  return paths.flatMap((below) => {
    const path = pathOfPage(locale, below)
    return [path, markdownPath(path)]
  })
}

/** The pages of months, incidents and maintenances, by their paths below the locale; without those of removed items. */
export function generatedPagePaths(context: PageContext): readonly string[] {
  return [...monthPaths(context), ...publishedEventPages(context).map(({ path }) => path)]
}

/** Their paths in the locale, with their Markdown twins. */
export function generatedPaths(context: PageContext): readonly string[] {
  return withTwins(context, generatedPagePaths(context))
}

/** Paths of the pages that removed incidents and maintenances keep, with their Markdown twins. Their status is 410. */
export function removedPaths(context: PageContext): readonly string[] {
  return withTwins(
    context,
    removedEventPages(context).map(({ path }) => path),
  )
}

/** Whether a path below the locale has the form of a generated page. */
export function isGeneratedPath(path: string): boolean {
  return PATHS.some(([form]) => form.test(path))
}

/** The page of a version, of what changed since one, of a month, an incident or a maintenance. Undefined for an unknown path. */
export function generatedPage(context: PageContext, path: string): Page | undefined {
  for (const [form, pageOf] of PATHS) {
    const found = form.exec(path)
    if (found !== null) return pageOf(context, ...found.slice(1))
  }
  return undefined
}
