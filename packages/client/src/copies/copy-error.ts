/**
 * The service is away, and no copy has what was asked. `NO_COPY`: the target is not a published resource, or the copied version
 * has no such resource. `STALE_COPY`: the newest copy is older than `maxMirrorAgeSeconds`. `OTHER_HISTORY`: the service signed
 * another version of that number, or one that does not continue the version that this client verified.
 *
 * @example
 * ```ts
 * if (error instanceof CopyError && error.code === 'STALE_COPY') console.error(error.message)
 * ```
 */
export class CopyError extends Error {
  /** Why no copy was returned. */
  readonly code: 'NO_COPY' | 'STALE_COPY' | 'OTHER_HISTORY'

  /** `outage` is the error of the service. */
  constructor(code: CopyError['code'], detail: string, outage?: unknown) {
    super(`${code}: ${detail}`, { cause: outage })
    this.name = 'CopyError'
    this.code = code
  }
}
