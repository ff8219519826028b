import { type CommandOutput, EXIT_CODES, type ExitCode } from '@public-api/cli-kit/command'
import { HistoryError } from '@public-api/client-internal/history/history-error'
import { LogFinding } from '@public-api/client-internal/log/log-finding'
import { printFinding } from './print-finding.ts'
import { printReport } from './print-report.ts'
import { type AuditSettings, runAudit } from './run-audit.ts'

/** Settings of one audit of a service, with how its result is printed. */
export interface ServiceAudit extends AuditSettings {
  readonly evidenceFile: string | undefined
  readonly json: boolean
}

/** Audits a service and prints the report or the finding. */
export async function auditService(
  settings: ServiceAudit,
  output: CommandOutput,
): Promise<ExitCode> {
  try {
    printReport(await runAudit(settings), settings, output)
    return EXIT_CODES.done
  } catch (error) {
    if (!(error instanceof HistoryError || error instanceof LogFinding)) throw error
    const { code, message, evidence } = error
    if (evidence === undefined) throw error
    return printFinding({ code, message, evidence }, settings, output)
  }
}
