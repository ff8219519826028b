import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { HEADERS } from '../src/contract/headers.ts'
import {
  RESPONSE,
  buildBody,
  headersAsObject,
  openCryptoSigner,
  openServiceSigner,
  signBody,
} from './peer.ts'
import { SERVER_OPTIONS, printUrl } from './listening.ts'

// Fastify with an onSend hook that signs. The second argument names the library that signs.

declare module 'fastify' {
  interface FastifyRequest {
    issuedAt: string
  }
}

const signer = process.argv[3] === 'libsodium' ? await openServiceSigner() : openCryptoSigner()
const prepared = headersAsObject()
const app = Fastify({ logger: false, http: SERVER_OPTIONS })

app.decorateRequest('issuedAt', '')

app.addHook<string>('onSend', (request, reply, payload, done) => {
  const { contentDigest, signature } = signBody(signer, request.issuedAt, payload)
  reply.header(HEADERS.contentDigest, contentDigest)
  reply.header(HEADERS.signedAt, request.issuedAt)
  reply.header(HEADERS.signature, signature)
  done(null, payload)
})

app.get(RESPONSE.target, (request, reply) => {
  const { requestId, issuedAt, body } = buildBody()
  request.issuedAt = issuedAt
  reply.headers(prepared).header(HEADERS.requestId, requestId).send(body)
})

await app.listen({ port: 0, host: '127.0.0.1' })
printUrl((app.server.address() as AddressInfo).port)
