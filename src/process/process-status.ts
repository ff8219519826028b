/** Why a deployment should not get requests. */
export interface NotReadyReason {
  readonly code: 'STARTING' | 'STOPPING' | 'NO_WORKER' | 'STORE_UNAVAILABLE'
  /** An explanation for people. */
  readonly message: string
}

/** The status of one serving process. Plain data, so that it can be sent to other processes. */
export interface ProcessStatus {
  readonly reasons: readonly NotReadyReason[]
  /** Its metrics as prom-client's `getMetricsAsJSON` returns them. */
  readonly metrics: readonly object[]
}
