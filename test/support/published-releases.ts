import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'

const RELEASES_DIR = `${import.meta.dirname}/../../releases`

/** The releases of this repository: real content that the pages must fit. */
export function publishedReleases() {
  return loadReleases(openReleaseStore(RELEASES_DIR))
}
