import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import { FINDING_CATALOG, type FindingId } from './finding-catalog.ts'

/** A violated expectation, at one or more places. */
export type DoctorFinding = ReturnType<ReturnType<typeof createFindings>['list']>[number]

/** Adds a finding. The same finding at several places becomes one. */
export type Report = (id: FindingId, where: string, found: string) => void

/** Collects the findings of one check. */
export function createFindings() {
  const byId = new Map<FindingId, { readonly found: string; readonly where: Set<string> }>()
  const report: Report = (id, where, found) => {
    const known = byId.get(id)
    if (known === undefined)
      byId.set(id, { found: sanitizeForTerminal(found), where: new Set([where]) })
    else known.where.add(where)
  }
  return {
    report,
    /** Each with what was found at its first place, and every place, such as `GET /api/v1/status`. */
    list: () =>
      [...byId].map(([id, { found, where }]) => {
        const { severity, expected, advice } = FINDING_CATALOG[id]
        return { id, severity, found, expected, advice, where: [...where] }
      }),
  }
}
