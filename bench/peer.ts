import { createPrivateKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formatSuccess } from '@public-api/contract/http/envelope'
import { formatContentDigest, formatSignedText } from '@public-api/contract/http/signature'
import { HEADERS } from '@public-api/contract/terms/headers'
import { createOpensslSigner, openResponseSigner } from '../src/crypto/response-signer.ts'
import { sha256Base64 } from '../src/crypto/sha256.ts'
import type { PeerResponse } from './peer-response.ts'

// The servers next to the service. Arguments: the file with the response, and the peer's id. Each server prepares its data
// and fixed headers, and builds and signs the body as the service does: the prepared data in a new envelope.

declare module 'fastify' {
  interface FastifyRequest {
    issuedAt: string
  }
}

/** The node:http options that the service uses for speed. */
const SERVER_OPTIONS = { noDelay: true, optimizeEmptyRequests: true }

const [file = '', peer] = process.argv.slice(2)
const { target, headers, bodyBase64, signingKeyPem } = JSON.parse(
  readFileSync(file, 'utf8'),
) as PeerResponse
const body = Buffer.from(bodyBase64, 'base64')
const preparedHeaders = headers.flat()
const key = createPrivateKey(signingKeyPem)
const signer = peer === 'fastify-crypto' ? createOpensslSigner(key) : await openResponseSigner(key)

/** Prints the URL in the format of the service's log. */
function printUrl(port: number): void {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
}

/** The service's body with another request id and time. */
function createBodies() {
  const text = body.toString()
  const { schema } = JSON.parse(text) as { schema: string }
  // The text as received, so that members keep their order.
  const dataJson = text.slice(text.indexOf('"data":') + '"data":'.length, -1)
  return () => {
    const requestId = randomUUID()
    const issuedAt = new Date().toISOString()
    return { requestId, issuedAt, text: formatSuccess(schema, { requestId, issuedAt }, dataJson) }
  }
}

function sign(issuedAt: string, text: string) {
  const contentDigest = formatContentDigest(sha256Base64(text))
  const signed = { method: 'GET', target, status: 200, signedAt: issuedAt, contentDigest }
  return { contentDigest, signature: signer.sign(formatSignedText(signed)) }
}

/** Starts a bare server. It ignores the request. */
function serveNode(respond: (response: ServerResponse) => void): void {
  const server = createServer(SERVER_OPTIONS, (_request, response) => respond(response))
  server.listen(0, '127.0.0.1', () => printUrl((server.address() as AddressInfo).port))
}

/** The floor of an API response. */
function serveApi(isSigned: boolean): void {
  const buildBody = createBodies()
  serveNode((response) => {
    const { requestId, issuedAt, text } = buildBody()
    const fields = [...preparedHeaders, HEADERS.requestId, requestId]
    if (isSigned) {
      const { contentDigest, signature } = sign(issuedAt, text)
      fields.push(HEADERS.contentDigest, contentDigest, HEADERS.signedAt, issuedAt)
      fields.push(HEADERS.signature, signature)
    }
    response.writeHead(200, fields)
    response.end(text)
  })
}

/** Fastify with an onSend hook that signs. */
async function serveFastify(): Promise<void> {
  const { default: createFastify } = await import('fastify')
  const buildBody = createBodies()
  const prepared = Object.fromEntries(headers)
  const app = createFastify({ logger: false, http: SERVER_OPTIONS })
  app.decorateRequest('issuedAt', '')
  app.addHook<string>('onSend', (request, reply, payload, done) => {
    const { contentDigest, signature } = sign(request.issuedAt, payload)
    reply.header(HEADERS.contentDigest, contentDigest)
    reply.header(HEADERS.signedAt, request.issuedAt)
    reply.header(HEADERS.signature, signature)
    done(null, payload)
  })
  app.get(target, (request, reply) => {
    const { requestId, issuedAt, text } = buildBody()
    request.issuedAt = issuedAt
    reply.headers(prepared).header(HEADERS.requestId, requestId).send(text)
  })
  // The service has about as many addresses.
  const others = peer === 'fastify-routes' ? 39 : 0
  for (let nth = 0; nth < others; nth += 1) app.get(`/other/${nth}`, () => ({ nth }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  printUrl((app.server.address() as AddressInfo).port)
}

// What was compiled is kept for the next start.
process.once('SIGTERM', () => process.exit())

if (peer?.startsWith('fastify')) await serveFastify()
else serveApi(peer === 'node-signed')
