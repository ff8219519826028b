// Written by `npm run generate` from the registry (endpoints.ts).

/** Path template of every read (GET) endpoint by its name, for clients that must not carry the registry's texts. */
export const READ_PATHS = {
  index: '/api/v1',
  status: '/api/v1/status',
  time: '/api/v1/time',
  architecture: '/api/v1/architecture',
  developmentQueue: '/api/v1/development-queue',
  roadmap: '/api/v1/roadmap',
  earlyAccess: '/api/v1/early-access',
  wallet: '/api/v1/wallet',
  walletArchitecture: '/api/v1/wallet/architecture',
  walletSecurity: '/api/v1/wallet/security',
  walletEvidence: '/api/v1/wallet/evidence',
  walletCapabilities: '/api/v1/wallet/capabilities',
  walletIntegration: '/api/v1/wallet/integration',
  walletDevelopment: '/api/v1/wallet/development',
  policy: '/api/v1/policy',
  openapi: '/api/v1/openapi.json',
  changelog: '/api/v1/changelog',
  version: '/api/v1/version',
  versions: '/api/v1/versions',
  versionById: '/api/v1/versions/{snapshotId}',
  keySelf: '/api/v1/keys/self',
  signingKey: '/api/v1/keys/signing-key',
  preview: '/api/v1/preview/{path}',
} as const

/** Targets that a copy of the service can replace: published resources, and the newest version. */
export const COPIED_PATHS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  '/api/v1/status',
  '/api/v1/architecture',
  '/api/v1/development-queue',
  '/api/v1/roadmap',
  '/api/v1/wallet',
  '/api/v1/wallet/architecture',
  '/api/v1/wallet/security',
  '/api/v1/wallet/evidence',
  '/api/v1/wallet/capabilities',
  '/api/v1/wallet/integration',
  '/api/v1/wallet/development',
  '/api/v1/changelog',
  '/api/v1/version',
])
