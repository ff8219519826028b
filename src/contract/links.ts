import { ENDPOINTS } from './endpoints.ts'

/** Related documents, as paths on this origin (spec 2.3): the `links` of the discovery index and of the policy. */
export const LINKS = {
  index: ENDPOINTS.index.path,
  policy: ENDPOINTS.policy.path,
  openapi: ENDPOINTS.openapi.path,
  /** The reference documentation, in the default locale. */
  docs: '/en/reference',
} as const
