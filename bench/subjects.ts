import { BASE_PATH } from '../src/contract/api-version.ts'
import { ENDPOINTS } from '../src/contract/endpoints.ts'

/** One row of the cost table: a server and the request it gets. */
export interface Subject {
  readonly id: string
  readonly title: string
  /** Undefined for the service; else the peer's file (peer-<name>.ts) and its arguments. */
  readonly peer: readonly string[] | undefined
  readonly method: 'GET' | 'HEAD'
  readonly target: string
  readonly expectedStatus: number
  /** Whether the request has the current ETag in If-None-Match. */
  readonly isConditional: boolean
  /** Whether the response must equal the service's, equal it without the signature, or may differ. */
  readonly response: 'as-service' | 'unsigned' | 'different'
}

const READ_STATUS = {
  method: 'GET',
  target: ENDPOINTS.status.path,
  expectedStatus: 200,
  isConditional: false,
} as const
const SERVICE = { ...READ_STATUS, peer: undefined, response: 'different' } as const
const PEER = { ...READ_STATUS, response: 'as-service' } as const

/** In the order of a round. */
export const SUBJECTS = [
  { ...SERVICE, id: 'service', title: 'the service', response: 'as-service' },
  { ...PEER, id: 'node-signed', title: 'bare node:http, same signer', peer: ['node'] },
  { ...PEER, id: 'fastify-crypto', title: 'Fastify 5, node:crypto', peer: ['fastify', 'openssl'] },
  {
    ...PEER,
    id: 'fastify-sodium',
    title: 'Fastify 5, same signer',
    peer: ['fastify', 'libsodium'],
  },
  { ...PEER, id: 'hono', title: 'Hono 4, same signer', peer: ['hono'] },
  {
    ...PEER,
    id: 'node-unsigned',
    title: 'bare node:http, unsigned',
    peer: ['node', 'unsigned'],
    response: 'unsigned',
  },
  {
    ...SERVICE,
    id: 'not-modified',
    title: 'the service: 304 to If-None-Match',
    expectedStatus: 304,
    isConditional: true,
  },
  { ...SERVICE, id: 'head', title: 'the service: HEAD', method: 'HEAD' },
  {
    ...SERVICE,
    id: 'not-found',
    title: 'the service: 404, signed',
    target: `${BASE_PATH}/nothing-here`,
    expectedStatus: 404,
  },
  { ...SERVICE, id: 'time', title: 'the service: /time, signed', target: ENDPOINTS.time.path },
] as const satisfies readonly Subject[]

export type SubjectId = (typeof SUBJECTS)[number]['id']
