import { ENDPOINTS } from './endpoints.ts'

/** Path of the reference for people, in the default locale. The page and every link to it read this. */
export const REFERENCE_PAGE_PATH = '/en/reference'

/** Where to read on, as paths on this origin (spec 2.3): the `links` of the discovery index and of the policy. */
export const LINKS = {
  index: ENDPOINTS.index.path,
  policy: ENDPOINTS.policy.path,
  openapi: ENDPOINTS.openapi.path,
  docs: REFERENCE_PAGE_PATH,
} as const
