/** Stability levels and what each promises (spec 9.5). */
export const STABILITY_LEVELS = {
  stable:
    'Covered by the versioning promise: no breaking changes within this major version, and deprecation before removal.',
  beta: 'In use but not final. Fields may be added and details may change; the changelog records each change. The deprecation period does not apply.',
  experimental:
    'May change or be removed at any time, without notice. Never listed as `active` in the discovery index.',
} as const

/** Registry statuses and what each means. */
export const ENDPOINT_STATUSES = {
  active: 'Available.',
  preview: 'Reserved and disabled. Every request is refused.',
  deprecated: 'Available until its sunset date. Use the successor.',
} as const

/** Which runtimes serve an endpoint (spec 2.3). */
export const RUNTIMES = {
  all: 'Served by the local and the production runtime. The default.',
  local: 'Served by the local runtime only. Not listed in the production discovery index.',
} as const

export const AUTHENTICATIONS = {
  none: 'No authentication. An API key is optional and has its own quota.',
  'api-key': 'An API key is required.',
} as const

/** Groups of endpoints, in reading order. */
export const TAGS = {
  discovery: 'What this API offers and promises.',
  snapshots: 'What the organization publishes about itself.',
  wallet: 'Published wallet information. The API never queries a wallet.',
  history: 'The hash-chained history of everything published.',
  'early-access': 'The waitlist: an email address on a list, not an account.',
  keys: 'Anonymous, revocable API keys, and the key that signs responses.',
  preview: 'A namespace reserved for future endpoints.',
} as const
