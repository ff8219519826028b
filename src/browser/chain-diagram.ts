import type { VersionSummary } from '../contract/version-chain.ts'
import type { PageTexts } from './page-texts.ts'

type LinkProof = 'recomputed' | 'held' | 'broken' | 'otherHash'

/** Marks for the chain of the page. Versions that are not drawn are ignored. */
export function createChainDiagram(texts: PageTexts) {
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
    /** Marks a version. One that was drawn with another hash is marked as different. */
    mark(
      { snapshotId, hash }: Pick<VersionSummary, 'snapshotId' | 'hash'>,
      proof: LinkProof,
    ): void {
      const element = document.getElementById(snapshotId.toLowerCase())
      show(snapshotId, element?.dataset['hash'] === hash ? proof : 'otherHash')
    },
    /** Marks a version as the one at which the chain is broken, whatever its hash. */
    break: (snapshotId: string): void => show(snapshotId, 'broken'),
    /** Removes all marks. */
    clear(): void {
      for (const element of document.querySelectorAll<HTMLElement>('.chain-entry[data-proof]')) {
        delete element.dataset['proof']
        const place = element.querySelector<HTMLElement>('.entry-proof')
        place?.replaceChildren()
        if (place) place.className = 'entry-proof'
      }
    },
  }
}

export type ChainDiagram = ReturnType<typeof createChainDiagram>
