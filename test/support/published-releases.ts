import { loadReleases } from '../../src/service/releases.ts'
import { openReleaseStore } from '../../src/storage/release-store.ts'

const RELEASES_DIR = `${import.meta.dirname}/../../releases`

/** The releases of this repository: real content that the pages must fit. */
export function publishedReleases() {
  return loadReleases(openReleaseStore(RELEASES_DIR))
}
