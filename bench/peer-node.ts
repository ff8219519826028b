import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HEADERS } from '../src/contract/headers.ts'
import { SERVER_OPTIONS, printUrl } from './listening.ts'
import { RESPONSE, buildBody, openServiceSigner, signBody } from './peer.ts'

// The floor: node:http that builds the body, signs it unless the second argument is `unsigned`, and ignores the request.

const signer = process.argv[3] === 'unsigned' ? undefined : await openServiceSigner()

const server = createServer(SERVER_OPTIONS, (_request, response) => {
  const { requestId, issuedAt, body } = buildBody()
  const headers = [...RESPONSE.headers, HEADERS.requestId, requestId]
  if (signer !== undefined) {
    const { contentDigest, signature } = signBody(signer, issuedAt, body)
    headers.push(HEADERS.contentDigest, contentDigest, HEADERS.signedAt, issuedAt)
    headers.push(HEADERS.signature, signature)
  }
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => printUrl((server.address() as AddressInfo).port))
