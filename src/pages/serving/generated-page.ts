import { markdownPath, pathOfPage } from '../addresses.ts'
import { sincePage } from '../history/since-page.ts'
import { versionPage } from '../history/version-page.ts'
import { type Page, type PageContext } from '../page.ts'
import { eventPage, eventPages } from '../snapshots/event-page.ts'
import { monthPage, monthPaths } from '../snapshots/month-page.ts'

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

/**
 * Paths of the pages of months, incidents and maintenances, and of their Markdown twins; or those that removed items keep,
 * whose status is 410.
 */
export function generatedPaths(context: PageContext, isRemoved = false): readonly string[] {
  const events = eventPages(context, isRemoved).map(({ path }) => path)
  return [...(isRemoved ? [] : monthPaths(context)), ...events].flatMap((below) => {
    const path = pathOfPage(context.locale, below)
    return [path, markdownPath(path)]
  })
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
