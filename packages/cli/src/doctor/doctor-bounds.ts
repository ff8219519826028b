/** Limits of the doctor that the contract does not define. */
export const DOCTOR_BOUNDS = {
  /** A current key that ends sooner needs an announced successor. */
  keyNoticeDays: 30,
  /** Larger clock differences are reported. */
  clockSkewSeconds: 60,
} as const
