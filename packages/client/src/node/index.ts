// What `@public-api/client/node` exports.

export { createFileHeadStore } from './file-head-store.ts'
export { createFileResponseStore } from './file-response-store.ts'
