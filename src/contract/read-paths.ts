import { BASE_PATH } from './api-version.ts'

/**
 * Path template of every read (GET) endpoint, by the endpoint's name. It stands apart from the registry, which takes
 * its paths from here, so that a client can ask by name without carrying the registry's texts into a browser.
 */
export const READ_PATHS = {
  index: BASE_PATH,
  status: `${BASE_PATH}/status`,
  time: `${BASE_PATH}/time`,
  architecture: `${BASE_PATH}/architecture`,
  developmentQueue: `${BASE_PATH}/development-queue`,
  roadmap: `${BASE_PATH}/roadmap`,
  earlyAccess: `${BASE_PATH}/early-access`,
  wallet: `${BASE_PATH}/wallet`,
  walletArchitecture: `${BASE_PATH}/wallet/architecture`,
  walletSecurity: `${BASE_PATH}/wallet/security`,
  walletEvidence: `${BASE_PATH}/wallet/evidence`,
  walletCapabilities: `${BASE_PATH}/wallet/capabilities`,
  walletIntegration: `${BASE_PATH}/wallet/integration`,
  walletDevelopment: `${BASE_PATH}/wallet/development`,
  policy: `${BASE_PATH}/policy`,
  openapi: `${BASE_PATH}/openapi.json`,
  changelog: `${BASE_PATH}/changelog`,
  version: `${BASE_PATH}/version`,
  versions: `${BASE_PATH}/versions`,
  versionById: `${BASE_PATH}/versions/{snapshotId}`,
  keySelf: `${BASE_PATH}/keys/self`,
  signingKey: `${BASE_PATH}/keys/signing-key`,
  preview: `${BASE_PATH}/preview/{path}`,
} as const
