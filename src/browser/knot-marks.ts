import type { VersionSummary } from '../contract/version-chain.ts'
import type { PageTexts } from './page-texts.ts'

/** What an audit found of a version that the page draws. */
export type KnotProof = 'recomputed' | 'held' | 'broken' | 'otherHash'

/** Marks in the drawn chain. */
export interface KnotMarks {
  /** Marks a version. One that the page drew with another hash is marked so instead. */
  mark(version: Pick<VersionSummary, 'snapshotId' | 'hash'>, proof: KnotProof): void
  /** Marks a version as the one at which the chain is broken, whatever its hash. */
  break(snapshotId: string): void
  /** Takes all marks away. */
  clear(): void
}

/** Marks for the chain of the page. Versions that it does not draw are passed over. */
export function createKnotMarks(texts: PageTexts): KnotMarks {
  function show(snapshotId: string, proof: KnotProof): void {
    const knot = document.getElementById(snapshotId.toLowerCase())
    const place = knot?.querySelector<HTMLElement>('.knot-proof')
    if (!knot || !place) return
    knot.dataset['proof'] = proof
    const isBad = proof === 'broken' || proof === 'otherHash'
    place.className = `knot-proof state ${isBad ? 'state-bad' : 'state-good'}`
    place.textContent = texts.text(`knots.${proof}`)
  }

  return {
    mark({ snapshotId, hash }, proof) {
      const knot = document.getElementById(snapshotId.toLowerCase())
      show(snapshotId, knot?.dataset['hash'] === hash ? proof : 'otherHash')
    },
    break: (snapshotId) => show(snapshotId, 'broken'),
    clear() {
      for (const knot of document.querySelectorAll<HTMLElement>('.knot[data-proof]')) {
        delete knot.dataset['proof']
        const place = knot.querySelector<HTMLElement>('.knot-proof')
        place?.replaceChildren()
        if (place) place.className = 'knot-proof'
      }
    },
  }
}
