import type { VersionEntry } from '#contract/history/version-chain'
import { READ_PATHS } from '#contract/registry/read-paths'
import { CopyError } from './copy-error.ts'

/** What proves data: which data, and when it was last signed as current. */
export interface DataProof {
  /** Entity tag of the data. */
  readonly etag: string
  /** Milliseconds since 1970. */
  readonly provedAtMs: number
  /** The version that names the data; undefined for a response of the service itself. */
  readonly entry: VersionEntry | undefined
}

/** Whether a proof is newer: of a later version, else signed later. A response of the service does not say its version. */
export function isAfter(one: DataProof, other: DataProof | undefined): boolean {
  if (other === undefined) return true
  const versions = (one.entry?.sequence ?? 0) - (other.entry?.sequence ?? 0)
  const areKnown = one.entry !== undefined && other.entry !== undefined
  return areKnown && versions !== 0 ? versions > 0 : one.provedAtMs > other.provedAtMs
}

/** Creates what a reader remembers of everything it has verified, so that it never goes back, nor to another history. */
export function createReaderMemory() {
  let newest: VersionEntry | undefined
  const proofs = new Map<string, DataProof>()

  return {
    /** Remembers a version. Of two with one number, that of the service replaces that of a copy. */
    learnVersion(entry: VersionEntry, isOfService: boolean): void {
      const sequence = newest?.sequence ?? 0
      if (entry.sequence > sequence || (isOfService && entry.sequence === sequence)) newest = entry
    },

    /** Remembers what proved a resource, unless a later proof is known. */
    learnProof(target: string, proof: DataProof): void {
      if (proof.provedAtMs >= (proofs.get(target)?.provedAtMs ?? -Infinity)) {
        proofs.set(target, proof)
      }
    },

    /** Throws a CopyError unless a version of a copy can belong to one history with the newest version. */
    requireSameHistory(entry: VersionEntry): void {
      if (newest === undefined) return
      const steps = entry.sequence - newest.sequence
      const pairs: { readonly [steps: number]: readonly [found: string, expected: string] } = {
        [-1]: [entry.hash, newest.previousHash],
        0: [entry.hash, newest.hash],
        1: [entry.previousHash, newest.hash],
      }
      const [found, expected] = pairs[steps] ?? []
      if (found === expected) return
      const other = steps === 1 ? 'the version before' : 'this version'
      throw new CopyError(
        'OTHER_HISTORY',
        `${entry.snapshotId} is of another history than the verified ${newest.snapshotId}: expected the hash ${expected} of ${other}, found ${found}`,
      )
    },

    /** In which way a proof is older than what was verified before; undefined if it is not. */
    ageOf(target: string, { etag, provedAtMs, entry }: DataProof): string | undefined {
      const name = entry?.snapshotId ?? 'a response'
      if (newest !== undefined && entry !== undefined && entry.sequence < newest.sequence) {
        return `${name} is older than ${newest.snapshotId}, which was verified before`
      }
      // The number of a version says more than the time at which a node of the service signed it.
      if (target === READ_PATHS.version) return undefined
      const last = proofs.get(target)
      if (last === undefined || last.etag === etag || last.provedAtMs <= provedAtMs)
        return undefined
      const times = [provedAtMs, last.provedAtMs].map((ms) => new Date(ms).toISOString())
      return `${name}, signed at ${times[0]}, is older than what was verified as of ${times[1]}`
    },
  }
}
