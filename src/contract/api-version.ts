/** The major version; X-SVC-API-Version reports it. */
export const API_VERSION = 'v1'

/** Where every endpoint of this major version lives. */
export const BASE_PATH = '/api/v1'
