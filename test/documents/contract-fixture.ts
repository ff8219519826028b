import type { Issuance } from '@public-api/contract/keys/issuance'
import {
  ENDPOINTS,
  type Endpoint,
  type Registry,
  type Runtime,
} from '@public-api/contract/registry/endpoints'

const ISSUANCE_PAUSED: Issuance = { enabled: false, reason: 'PRODUCT_NOT_READY' }

/** Issuance as an owner would approve it. */
export const ISSUANCE_OPEN = {
  enabled: true,
  approvedBy: 'the owner',
  approvedAt: '2027-01-31',
  reference: 'decision 12',
} as const satisfies Issuance

/** What all three documents can be made from. */
export const PRODUCTION = {
  registry: ENDPOINTS,
  runtime: 'production',
  registryVersion: '1.0.0',
  issuance: ISSUANCE_PAUSED,
  baseUrl: 'http://127.0.0.1:8080',
} as const satisfies {
  readonly registry: Registry
  readonly runtime: Runtime
  [option: string]: unknown
}

/** The service's rows, one of them deprecated and one more that only a local runtime serves. */
export const CHANGED_REGISTRY: { readonly [name: string]: Endpoint } = {
  ...ENDPOINTS,
  changelog: {
    ...ENDPOINTS.changelog,
    status: 'deprecated',
    deprecation: {
      deprecatedAt: '2026-11-21T00:00:00Z',
      sunsetAt: '2027-03-01T00:00:00Z',
      successor: '/api/v2/changelog',
    },
  },
  draft: { ...ENDPOINTS.time, path: '/api/v1/draft', runtime: 'local' },
}
