import { BASE_PATH } from '../src/contract/api-version.ts'
import { ENDPOINTS } from '../src/contract/endpoints.ts'

/** One row of the cost table: a server and what it is asked. */
export interface Subject {
  readonly id: string
  readonly title: string
  /** Undefined for the service; else the peer's file (peer-<name>.ts) and its arguments. */
  readonly peer: readonly string[] | undefined
  readonly method: 'GET' | 'HEAD'
  readonly target: string
  readonly expectedStatus: number
  /** Whether it is asked with the ETag that it has just sent. */
  readonly isConditional: boolean
  /** What the answer must be: the service's own to the last header, the same without a signature, or whatever comes. */
  readonly answers: 'as-service' | 'unsigned' | 'otherwise'
}

const READ_STATUS = {
  peer: undefined,
  method: 'GET',
  target: ENDPOINTS.status.path,
  expectedStatus: 200,
  isConditional: false,
  answers: 'as-service',
} as const satisfies Partial<Subject>

const OF_SERVICE = { ...READ_STATUS, answers: 'otherwise' } as const

/** All of them, in the order in which a round takes them. */
export const SUBJECTS = [
  { ...READ_STATUS, id: 'service', title: 'the service' },
  {
    ...READ_STATUS,
    id: 'node-signed',
    title: 'bare node:http, same signer',
    peer: ['node-signed'],
  },
  {
    ...READ_STATUS,
    id: 'fastify-crypto',
    title: 'Fastify 5, node:crypto',
    peer: ['fastify', 'openssl'],
  },
  {
    ...READ_STATUS,
    id: 'fastify-sodium',
    title: 'Fastify 5, same signer',
    peer: ['fastify', 'libsodium'],
  },
  { ...READ_STATUS, id: 'hono', title: 'Hono 4, same signer', peer: ['hono'] },
  {
    ...READ_STATUS,
    id: 'node-unsigned',
    title: 'bare node:http, unsigned',
    peer: ['node-unsigned'],
    answers: 'unsigned',
  },
  {
    ...OF_SERVICE,
    id: 'not-modified',
    title: 'the service: 304 to If-None-Match',
    expectedStatus: 304,
    isConditional: true,
  },
  { ...OF_SERVICE, id: 'head', title: 'the service: HEAD', method: 'HEAD' },
  {
    ...OF_SERVICE,
    id: 'not-found',
    title: 'the service: 404, signed',
    target: `${BASE_PATH}/nothing-here`,
    expectedStatus: 404,
  },
  { ...OF_SERVICE, id: 'time', title: 'the service: /time, signed', target: ENDPOINTS.time.path },
] as const satisfies readonly Subject[]

export type SubjectId = (typeof SUBJECTS)[number]['id']
