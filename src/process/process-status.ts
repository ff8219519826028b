/** Why a deployment should not get requests. */
export interface NotReadyReason {
  readonly code: 'STARTING' | 'STOPPING' | 'NO_WORKER' | 'STORE_UNAVAILABLE'
  /** For a person. */
  readonly message: string
}

/** What one serving process reports of itself. Plain data, so that it can cross processes. */
export interface ProcessStatus {
  readonly reasons: readonly NotReadyReason[]
  /** Its metrics as prom-client's `getMetricsAsJSON` returns them. */
  readonly metrics: readonly object[]
}
