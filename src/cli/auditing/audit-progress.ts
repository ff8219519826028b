import { decodeBase64 } from '../../client/base64.ts'
import type { Fetch } from '../../client/connection.ts'
import type { HeadStore } from '../../client/head-store.ts'
import { READ_PATHS } from '../../contract/read-paths.ts'
import { SNAPSHOT_NAMES } from '../../contract/snapshot-schemas.ts'
import type { Environment } from '../../config.ts'
import { propertyOf } from '../../service/property-of.ts'
import { createProgress, type Progress, type ProgressStream } from '../progress.ts'

/** What the progress of an audit is shown with. */
export interface AuditProgressParts {
  readonly fetch: Fetch
  readonly stream: ProgressStream
  readonly env: Environment
  readonly nowMs: () => number
}

/** Counts what an audit fetches. How much there is to fetch shows once the index of the history has come. */
export interface AuditProgress {
  /** To be given to the client. */
  readonly fetch: Fetch
  /** To be given to the audit: versions up to the kept head are not read again, unless all are. */
  watch(store: HeadStore, everyVersion: boolean): HeadStore
  end(): void
}

function numberIn(bytes: Uint8Array, name: string): number {
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const found = propertyOf(propertyOf(content, 'data'), name)
    return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : 0
  } catch {
    return 0
  }
}

/** Makes the progress of one audit. The figures in it are the server's word, and decide nothing. */
export function createAuditProgress(parts: AuditProgressParts): AuditProgress {
  const { stream, env, nowMs } = parts
  let known = 0
  let progress: Progress | undefined

  return {
    async fetch(url, init) {
      const response = await parts.fetch(url, init)
      if (progress !== undefined) progress.advance(1)
      else if (new URL(url).pathname === READ_PATHS.versions) {
        const bytes = await response.arrayBuffer()
        const versions = numberIn(new Uint8Array(bytes), 'count') - known
        const total = Math.max(versions, 0) + SNAPSHOT_NAMES.length
        progress = createProgress({ stream, label: 'Auditing', total, env, nowMs })
      }
      return response
    },
    watch: (store, everyVersion) => ({
      async load() {
        const saved = await store.load()
        if (saved !== undefined && !everyVersion) {
          try {
            known = numberIn(decodeBase64(saved.answer.bodyBase64), 'sequence')
          } catch {
            // The audit itself says what is wrong with it.
          }
        }
        return saved
      },
      save: (head) => store.save(head),
    }),
    end: () => progress?.end(),
  }
}
