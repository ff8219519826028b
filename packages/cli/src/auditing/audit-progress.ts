import type { AuditProgress } from '../../../client/src/audit-options.ts'
import {
  createProgress,
  type Environment,
  type Progress,
  type ProgressStream,
} from '../command/progress.ts'

/** What the progress of an audit is shown with. */
export interface AuditBarOptions {
  readonly stream: ProgressStream
  readonly env: Environment
  readonly nowMs: () => number
}

/** Shows how far an audit has come. How much there is to do is known once the index of the history holds. */
export interface AuditBar {
  /** To be given to the audit. */
  hear(progress: AuditProgress): void
  end(): void
}

/** Makes the bar of one audit. Where a version is published meanwhile it begins again, with what is left. */
export function createAuditBar({ stream, env, nowMs }: AuditBarOptions): AuditBar {
  let bar: Progress | undefined
  return {
    hear(progress) {
      if (progress.step === 'index') {
        bar?.end()
        const total = progress.toRead + progress.resources
        bar = createProgress({ stream, label: 'Auditing', total, env, nowMs })
      } else if (progress.step !== 'head') bar?.advance(1)
    },
    end: () => bar?.end(),
  }
}
