import type { Report } from './findings.ts'
import type { Survey } from './probe-deployment.ts'

/**
 * A group of checks. It looks at the survey, asks what else it needs through the survey's probe, and reports. Gives
 * the reason where it cannot be carried out at all.
 */
export type Check = (survey: Survey, report: Report) => Promise<string | undefined>
