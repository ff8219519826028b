/** Semantic version of the endpoint registry, reported by the policy and recorded in every version (spec section 9). */
export const REGISTRY_VERSION = '1.1.0'
