/** What the doctor measures against where the contract states no number of its own. */
export const DOCTOR_BOUNDS = {
  /** A current key that ends sooner wants its successor announced. */
  keyNoticeDays: 30,
  /** Clocks that are further apart are reported. */
  clockSkewSeconds: 60,
} as const
