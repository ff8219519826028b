import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SERVER_OPTIONS, printUrl } from './listening.ts'

/** A prepared page, read from the file that the command line names. */
export interface PeerPage {
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  readonly bodyBase64: string
}

// The floor of sending a page: node:http with prepared bytes and headers. It ignores the request.

const { headers, bodyBase64 } = JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8')) as PeerPage
const body = Buffer.from(bodyBase64, 'base64')

const server = createServer(SERVER_OPTIONS, (_request, response) => {
  response.writeHead(200, headers as string[])
  response.end(body)
})
server.listen(0, '127.0.0.1', () => printUrl((server.address() as AddressInfo).port))
