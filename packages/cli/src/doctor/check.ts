import type { Ask } from '../verifying/requests.ts'
import type { Report } from './findings.ts'
import type { Survey } from './probe-deployment.ts'

/**
 * A group of checks. It reads the survey, sends further requests through the survey's probe, and reports findings.
 * Returns the reason if it cannot run at all.
 */
export type Check = (
  survey: Survey,
  report: Report,
  settings: DoctorSettings,
) => Promise<string | undefined>

/** Options of the doctor. */
export interface DoctorSettings {
  readonly origin: string
  readonly ask: Ask
  /** This machine's clock: milliseconds since 1970. */
  readonly nowMs: () => number
  readonly pinnedKeyIds: readonly string[] | undefined
  /** Whether the key IDs are published in DNS; undefined if unknown. */
  readonly hasKeyRecord?: boolean | undefined
  /** The kind of deployment; by its robots.txt if undefined. */
  readonly deployment: 'primary' | 'preview' | undefined
  /** URLs of static copies, each with a slash at the end. */
  readonly mirrors?: readonly string[]
  /** Whether every file of the copies is read, and not only the newest ones. */
  readonly readsAllFiles?: boolean
  /** The check of the machine that runs the deployment, if it is this one. */
  readonly checkMachine?: ((report: Report) => Promise<string | undefined>) | undefined
  /** Called after each response. */
  readonly onResponse?: () => void
}
