// The published surface, and the only barrel: what stands here is promised to those who install the package.

export { ApiResponseError } from './api-response-error.ts'
export { createClient } from './client.ts'
export type { Client } from './client.ts'
export type { ClientOptions } from './client-options.ts'
export { ConnectionError, RedirectError } from './connection.ts'
export type { Fetch, FetchedResponse } from './connection.ts'
export type { HeaderSource } from './header-fields.ts'
export type { OnRetry, Retry } from './retries.ts'
export type {
  Architecture,
  Changelog,
  DevelopmentQueue,
  EarlyAccess,
  EndpointIndex,
  KeyMetadata,
  Policy,
  Roadmap,
  SigningKeyDocument,
  Status,
  Time,
  VersionEntry,
  VersionIndex,
  Wallet,
} from './resources.ts'
export type { RateLimit } from './rate-limit.ts'
export type { ReadData, ReadName, ReadOptions, Verified } from './reads.ts'
export { parseSigningKeys, verifyKeyDocument } from './signing-keys.ts'
export type { VerifiedKeys } from './signing-keys.ts'
export { VerificationError } from './verification-error.ts'
export type { VerificationFault } from './verification-error.ts'
export { importKey } from './verification-key.ts'
export type { PublishedKey, VerificationKey } from './verification-key.ts'
export { targetOf, verifyResponse } from './verify-response.ts'
export type { HttpResponse, Expectations, VerifiedResponse } from './verify-response.ts'
export type { ErrorCode } from '../../../src/contract/errors.ts'
