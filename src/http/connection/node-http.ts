import type http from 'node:http'

/**
 * The values of node:http. An import of node:http reads all of its exports, and one of them loads the WebSocket client of
 * Node, which takes longer than most other modules together.
 */
export const nodeHttp: typeof http = process.getBuiltinModule('node:http')
