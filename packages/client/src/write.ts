// The third part of the published surface: registrations and API keys. It stands apart so that a page that only reads
// does not carry it.

export { createKey, keySelf, revokeKeySelf } from './api-keys.ts'
export type { ApiKeyOptions, IssuedKey, KeyRequest, RevokedKey } from './api-keys.ts'
export { register } from './register.ts'
export type {
  DuplicateRegistration,
  NewRegistration,
  Registration,
  RegistrationResult,
} from './register.ts'
export type { WriteOptions } from './post-json.ts'
