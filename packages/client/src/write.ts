// The third entry point: registrations and API keys. It is separate so that pages that only read do not load it.

export { keySelf, revokeKeySelf } from './api-keys.ts'
export type { ApiKeyOptions } from './api-keys.ts'
export { register } from './register.ts'
export type { DuplicateRegistration, NewRegistration } from './register.ts'
export type { Registration, RegistrationResult, RevokedKey } from './resources.ts'
export type { WriteOptions } from './post-json.ts'
