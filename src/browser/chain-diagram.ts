import type { VersionSummary } from '@public-api/contract/history/version-chain'
import type { PageTexts } from './page-texts.ts'

type LinkProof = 'recomputed' | 'held' | 'broken' | 'otherHash'

/** Marks for the chain of the page. Versions that are not drawn are ignored. */
export function createChainDiagram(texts: PageTexts) {
  /** Shows a proof, or `otherHash` if the entry was drawn with another hash. */
  function show(snapshotId: string, given: LinkProof, hash?: string): void {
    const element = document.getElementById(snapshotId.toLowerCase())
    const place = element?.querySelector<HTMLElement>('.entry-proof')
    if (!element || !place) return
    const drawn = element.querySelector('.hash')?.textContent
    const proof = hash === undefined || drawn === hash ? given : 'otherHash'
    element.dataset['proof'] = proof
    const isBad = proof === 'broken' || proof === 'otherHash'
    place.className = `entry-proof state ${isBad ? 'state-bad' : 'state-good'}`
    place.textContent = texts.text(`marks.${proof}`)
  }

  return {
    /** Marks a version. One that was drawn with another hash is marked as different. */
    mark: (version: Pick<VersionSummary, 'snapshotId' | 'hash'>, proof: LinkProof): void =>
      show(version.snapshotId, proof, version.hash),
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
