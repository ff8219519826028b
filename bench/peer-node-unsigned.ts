import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HEADERS } from '../src/contract/headers.ts'
import { ANSWER, buildBody } from './peer.ts'
import { SERVER_OPTIONS, tellUrl } from './listening.ts'

// The same body and headers on node:http, without digest and signature: what signing costs is the difference.

const server = createServer(SERVER_OPTIONS, (_request, response) => {
  const { requestId, body } = buildBody()
  response.writeHead(200, [...ANSWER.headers, HEADERS.requestId, requestId])
  response.end(body)
})
server.listen(0, '127.0.0.1', () => tellUrl((server.address() as AddressInfo).port))
