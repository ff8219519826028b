/** Version of the OpenAPI specification that this API is described in (spec 2.1). */
export const OPENAPI_VERSION = '3.0.3'
