import type { VersionSummary } from '../contract/version-chain.ts'
import type { PageTexts } from './page-texts.ts'

/** What an audit found of a version that the page draws. */
export type LinkProof = 'recomputed' | 'held' | 'broken' | 'otherHash'

/** Marks in the drawn chain. */
export interface ChainDiagram {
  /** Marks a version. One that the page drew with another hash is marked so instead. */
  mark(version: Pick<VersionSummary, 'snapshotId' | 'hash'>, proof: LinkProof): void
  /** Marks a version as the one at which the chain is broken, whatever its hash. */
  break(snapshotId: string): void
  /** Takes all marks away. */
  clear(): void
}

/** Marks for the chain of the page. Versions that it does not draw are passed over. */
export function createChainDiagram(texts: PageTexts): ChainDiagram {
  function show(snapshotId: string, proof: LinkProof): void {
    const element = document.getElementById(snapshotId.toLowerCase())
    const place = element?.querySelector<HTMLElement>('.entry-proof')
    if (!element || !place) return
    element.dataset['proof'] = proof
    const isBad = proof === 'broken' || proof === 'otherHash'
    place.className = `entry-proof state ${isBad ? 'state-bad' : 'state-good'}`
    place.textContent = texts.text(`marks.${proof}`)
  }

  return {
    mark({ snapshotId, hash }, proof) {
      const element = document.getElementById(snapshotId.toLowerCase())
      show(snapshotId, element?.dataset['hash'] === hash ? proof : 'otherHash')
    },
    break: (snapshotId) => show(snapshotId, 'broken'),
    clear() {
      for (const element of document.querySelectorAll<HTMLElement>('.chain-entry[data-proof]')) {
        delete element.dataset['proof']
        const place = element.querySelector<HTMLElement>('.entry-proof')
        place?.replaceChildren()
        if (place) place.className = 'entry-proof'
      }
    },
  }
}
