/** Limits of the doctor that the contract does not define. */
export const DOCTOR_BOUNDS = {
  /** A current key that ends sooner needs an announced successor. */
  keyNoticeDays: 30,
  /** Larger clock differences are reported. */
  clockSkewSeconds: 60,
  /** The timer refreshes a copy every five minutes, the workflow of a forge every ten. */
  copyRefreshSeconds: 600,
  /** One cache alone stays below it; several in a row may not, and clients refuse what is older than 900 seconds. */
  cachedAgeSeconds: 400,
  copyAgeSeconds: 3600,
  /** How long caches may keep what names the newest version. Some hosts set ten minutes for everything. */
  copyCacheSeconds: 600,
  /** Files of a copy that are read, the newest ones. */
  copyFiles: 2000,
} as const
