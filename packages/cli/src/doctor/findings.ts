import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import { FINDING_CATALOG, type FindingId, type FindingSeverity } from './finding-catalog.ts'

/** A violated expectation, at one or more places. */
export interface DoctorFinding {
  readonly id: FindingId
  readonly severity: FindingSeverity
  /** What was found at the first place. */
  readonly found: string
  readonly expected: string
  readonly advice: string
  /** Every place, such as `GET /api/v1/status`. */
  readonly where: readonly string[]
}

/** Adds a finding. The same finding at several places becomes one. */
export type Report = (id: FindingId, where: string, found: string) => void

/** Collects the findings of one check. */
export function createFindings(): { readonly report: Report; list(): readonly DoctorFinding[] } {
  const byId = new Map<FindingId, { readonly found: string; readonly where: Set<string> }>()
  return {
    report(id, where, found) {
      const known = byId.get(id)
      if (known === undefined)
        byId.set(id, { found: sanitizeForTerminal(found), where: new Set([where]) })
      else known.where.add(where)
    },
    list: () =>
      [...byId].map(([id, { found, where }]) => {
        const { severity, expected, advice } = FINDING_CATALOG[id]
        return { id, severity, found, expected, advice, where: [...where] }
      }),
  }
}
