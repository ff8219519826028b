/** The major version; X-SVC-API-Version reports it. */
export const API_VERSION = 'v1'

/** Base path of this major version. */
export const BASE_PATH = '/api/v1'

/** Semantic version of the registry and everything it promises (spec section 9). A change of the contract raises it. */
export const REGISTRY_VERSION = '1.8.1'

/** Version of the OpenAPI specification that this API is described in (spec 2.1). */
export const OPENAPI_VERSION = '3.0.3'
