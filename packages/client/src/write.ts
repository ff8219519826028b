// The third part of the published surface: registrations and API keys. It stands apart so that a page that only reads
// does not carry it.

export { createKey, keySelf, revokeKeySelf } from './api-keys.ts'
export type { ApiKeyOptions } from './api-keys.ts'
export { register } from './register.ts'
export type { DuplicateRegistration, NewRegistration } from './register.ts'
export type {
  IssuedKey,
  KeyRequest,
  Registration,
  RegistrationResult,
  RevokedKey,
} from './resources.ts'
export type { WriteOptions } from './post-json.ts'
