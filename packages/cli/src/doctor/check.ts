import type { Report } from './findings.ts'
import type { Survey } from './probe-deployment.ts'

/**
 * A group of checks. It reads the survey, sends further requests through the survey's probe, and reports findings.
 * Returns the reason if it cannot run at all.
 */
export type Check = (survey: Survey, report: Report) => Promise<string | undefined>
