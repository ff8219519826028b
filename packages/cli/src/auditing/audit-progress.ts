import {
  createProgress,
  type Environment,
  type Progress,
  type ProgressStream,
} from '@public-api/cli-kit/progress'
import type { AuditProgress } from '@public-api/client-internal/audit-options'

/** Where the progress of an audit is shown. */
export interface AuditBarOptions {
  readonly stream: ProgressStream
  readonly env: Environment
  readonly nowMs: () => number
}

/** Shows the progress of an audit. The total is known once the index of the history is verified. */
export interface AuditBar {
  /** For `onProgress` of the audit. */
  hear(progress: AuditProgress): void
  end(): void
}

/** Creates the bar of one audit. It starts again with the remaining work if a version is published during the audit. */
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
