import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { HEADERS } from '../src/contract/headers.ts'
import { RESPONSE, buildBody, headersAsObject, openServiceSigner, signBody } from './peer.ts'
import { SERVER_OPTIONS, printUrl } from './listening.ts'

// Hono on its Node server, with the service's own signer.

const signer = await openServiceSigner()
const prepared = headersAsObject()
const app = new Hono()

app.get(RESPONSE.target, (context) => {
  const { requestId, issuedAt, body } = buildBody()
  const { contentDigest, signature } = signBody(signer, issuedAt, body)
  return context.body(body, 200, {
    ...prepared,
    [HEADERS.requestId]: requestId,
    [HEADERS.contentDigest]: contentDigest,
    [HEADERS.signedAt]: issuedAt,
    [HEADERS.signature]: signature,
  })
})

serve(
  { fetch: app.fetch, port: 0, hostname: '127.0.0.1', serverOptions: SERVER_OPTIONS },
  ({ port }) => printUrl(port),
)
