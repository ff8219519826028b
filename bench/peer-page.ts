import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SERVER_OPTIONS, tellUrl } from './listening.ts'
import type { PageAnswer } from './pages.ts'

// The floor of sending a page: node:http with its bytes and headers at hand. No routing, no look at the request.

const { headers, bodyBase64 } = JSON.parse(
  readFileSync(process.argv[3] ?? '', 'utf8'),
) as PageAnswer
const body = Buffer.from(bodyBase64, 'base64')
// Node takes a list of names and values as it is, and leaves it so; only its type does not say so.
const sent = headers as string[]

const server = createServer(SERVER_OPTIONS, (_request, response) => {
  response.writeHead(200, sent)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => tellUrl((server.address() as AddressInfo).port))
