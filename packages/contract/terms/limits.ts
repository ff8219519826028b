/** Default age at which a verifier refuses a signature, in seconds. Separate from LIMITS to keep the client small. */
export const SIGNATURE_MAX_AGE_SECONDS = 900

/** Every number the contract promises (spec section 8). Texts, examples and checks take them from here. */
export const LIMITS = {
  /** Largest request body, in bytes; one more is 413. */
  maxBodyBytes: 8192,
  /** Longest `useCase`, in Unicode code points. */
  maxUseCaseCodePoints: 500,
  /** Longest email address, in characters of its converted (IDNA) form. */
  maxEmailLength: 254,
  /** Maximum number of `interests`. */
  maxInterests: 10,
  /** Longest API key label, in characters. */
  maxLabelLength: 40,
  /** API key time to live, in days. */
  minTtlDays: 1,
  defaultTtlDays: 90,
  maxTtlDays: 365,
  /** Registrations of all actors together, per window. */
  registrationGlobal: { requests: 300, windowSeconds: 60 },
  /** Registrations of one actor, per window. */
  registrationPerActor: { requests: 5, windowSeconds: 60 },
  /** Requests with one API key, per fixed window. */
  keyedRequests: { requests: 600, windowSeconds: 60 },
  /** Keys issued to all callers together, per window. */
  keyIssuance: { requests: 60, windowSeconds: 3600 },
  /** Maximum number of active keys. */
  maxActiveKeys: 10_000,
  /** Shortest notice before a stable endpoint may be switched off, in days. */
  deprecationNoticeDays: 90,
  /** Largest |offset| + error of a clock that /time calls SYNCHRONIZED, in milliseconds. */
  maxTimeDistanceMs: 500,
  /** Seconds without a valid response from the time source after which /time says UNSYNCHRONIZED. */
  timeSilenceSeconds: 180,
  signatureMaxAgeSeconds: SIGNATURE_MAX_AGE_SECONDS,
} as const
