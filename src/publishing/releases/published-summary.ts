import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import { isUsual, type Status } from '../editing/edit-status.ts'

/**
 * The summary that comes back when nothing is open any more in the last of some versions: that of the newest one before
 * it in which nothing was open. Undefined if nothing is open in the last one, and if the history has no such version.
 */
export function usualSummaryOf(
  store: ReleaseStore,
  versions: readonly VersionEntry[],
): string | undefined {
  const digests = versions.toReversed().flatMap(({ resources }) => resources['status'] ?? [])
  for (const [index, digest] of [...new Set(digests)].entries()) {
    try {
      const status = JSON.parse(store.readResourceText('status', digest)) as Status
      if (isUsual(status)) return index === 0 ? undefined : status.summary
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
    }
  }
  return undefined
}
