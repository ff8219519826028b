/** The major version; X-SVC-API-Version reports it. */
export const API_VERSION = 'v1'

/** Base path of this major version. */
export const BASE_PATH = '/api/v1'
