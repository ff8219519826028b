/** Stability levels and what each promises (spec 9.5). */
export const STABILITY_LEVELS = {
  stable:
    'Shape and meaning are covered by the versioning promise: nothing breaks inside this major version, and an endpoint is deprecated before it goes.',
  beta: 'In use, and not settled: it may gain fields and change in its details, which the changelog then tells. Nobody is promised a deprecation period.',
  experimental:
    'A trial: any day it may be different, or gone, unannounced. The discovery index lists none as active.',
} as const

/** Registry statuses and what each means. */
export const ENDPOINT_STATUSES = {
  active: 'Serves.',
  preview: 'Reserved and disabled: every request is refused.',
  deprecated: 'Serves until its sunset date; use the successor.',
} as const

/** Which runtimes serve an endpoint (spec 2.3). */
export const RUNTIMES = {
  all: 'Served by the local and the production runtime; the default.',
  local: 'Served by the local runtime only; the production discovery index leaves it out.',
} as const

/** Who may call an endpoint. */
export const AUTHENTICATIONS = {
  none: 'No authentication; an API key is optional and adds a quota of its own.',
  'api-key': 'An API key is required.',
} as const

export type Stability = keyof typeof STABILITY_LEVELS
export type EndpointStatus = keyof typeof ENDPOINT_STATUSES
export type EndpointRuntime = keyof typeof RUNTIMES
export type Authentication = keyof typeof AUTHENTICATIONS

/** Groups of endpoints, in reading order. */
export const TAGS = {
  discovery: 'What this API offers and promises.',
  snapshots: 'What the organisation publishes about itself.',
  wallet: 'Sanitized views of the wallet work; never a live wallet query.',
  history: 'The hash-chained history of everything published.',
  'early-access': 'The waitlist: an e-mail address on a list, not an account.',
  keys: 'Anonymous, revocable API keys and the key that signs the answers.',
  preview: 'A reserved namespace for what comes next.',
} as const

export type TagName = keyof typeof TAGS
