import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HEADERS } from '../src/contract/headers.ts'
import { ANSWER, buildBody, openServiceSigner, signBody } from './peer.ts'
import { SERVER_OPTIONS, tellUrl } from './listening.ts'

// The floor: node:http that builds and signs the body and does nothing else. No routing, no look at the request.

const signer = await openServiceSigner()

const server = createServer(SERVER_OPTIONS, (_request, response) => {
  const { requestId, issuedAt, body } = buildBody()
  const { contentDigest, signature } = signBody(signer, issuedAt, body)
  response.writeHead(200, [
    ...ANSWER.headers,
    HEADERS.requestId,
    requestId,
    HEADERS.contentDigest,
    contentDigest,
    HEADERS.signedAt,
    issuedAt,
    HEADERS.signature,
    signature,
  ])
  response.end(body)
})
server.listen(0, '127.0.0.1', () => tellUrl((server.address() as AddressInfo).port))
