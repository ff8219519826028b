import type { VersionSummary } from '../contract/version-chain.ts'
import type { PageTexts } from './page-texts.ts'

/** The audit result for a drawn version. */
export type LinkProof = 'recomputed' | 'held' | 'broken' | 'otherHash'

/** Marks in the drawn chain. */
export interface ChainDiagram {
  /** Marks a version, or marks it as different if it was drawn with another hash. */
  mark(version: Pick<VersionSummary, 'snapshotId' | 'hash'>, proof: LinkProof): void
  /** Marks the version at which the chain is broken. */
  break(snapshotId: string): void
  /** Removes all marks. */
  clear(): void
}

/** Marks for the chain of the page. Versions that are not drawn are ignored. */
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
