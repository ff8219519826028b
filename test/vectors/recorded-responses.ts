import type { KeyObject } from 'node:crypto'
import { pathOf } from '@public-api/contract/http/request-target'
import { createOpensslSigner } from '../../src/crypto/response-signer.ts'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { bytesOfBody, type App } from '../../src/http/api-request.ts'
import { UNVERIFIED_TIME } from '../../src/service/time/time-quality.ts'
import { createApp } from '../support/create-app.ts'
import { madeHistory } from '../support/made-releases.ts'
import {
  createUnavailableApiKeys,
  createUnavailableWaitlist,
} from '../support/unavailable-service.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'
import type { HeaderPair, Vector, VectorResponse } from '../support/vector.ts'
import { TEST_SIGNING_KEY } from './signing-key.ts'

/** Every response in the vectors has this id, so that a file changes only with what it is about. */
export const REQUEST_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

/** One request to the app as it stood at one moment. */
export interface RecordedRequest {
  readonly method: string
  readonly target: string
  readonly headers?: readonly HeaderPair[]
  /** When it is asked: milliseconds since the epoch. */
  readonly atMs: number
  /** How many versions are published then; the status is another one in each. */
  readonly versions?: number
  readonly signingKey?: KeyObject
  /** The configured origin, which only signatures by RFC 9421 cover. */
  readonly origin?: string
}

/** The app with everything that would differ from run to run held fast. */
function createFixedApp({
  atMs,
  versions = 1,
  signingKey,
  origin = 'https://api.example.test',
}: Partial<RecordedRequest>): App {
  const privateKey = signingKey ?? TEST_SIGNING_KEY
  const key = derivePublicSigningKey(privateKey)
  return createApp({
    runtime: 'local',
    deployment: 'primary',
    baseUrl: origin,
    releases: madeHistory(versions),
    signing: {
      signer: createOpensslSigner(privateKey),
      keys: [{ ...key, status: 'current', notBefore: null, notAfter: null }],
    },
    apiKeys: createUnavailableApiKeys(),
    timeQuality: UNVERIFIED_TIME,
    waitlist: createUnavailableWaitlist(),
    challenge: UNSOLVABLE_CHALLENGE,
    trustedProxies: [],
    clock: { nowMs: () => atMs ?? 0 },
    newRequestId: () => REQUEST_ID,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
}

/** What the app answers. */
export async function recordResponse(request: RecordedRequest): Promise<VectorResponse> {
  const { method, target } = request
  const sent = new Map(
    request.headers?.map(([name, value]) => [name.toLowerCase(), value] as const) ?? [],
  )
  const reply = await createFixedApp(request)({
    method,
    target,
    path: pathOf(target),
    header: (name) => sent.get(name),
    peerAddress: () => '127.0.0.1',
    readBody: () => Promise.resolve(new Uint8Array()),
  })
  const headers: HeaderPair[] = []
  for (let index = 0; index < reply.headers.length; index += 2) {
    headers.push([reply.headers[index] ?? '', reply.headers[index + 1] ?? ''])
  }
  const bodyBase64 = reply.body === undefined ? null : bytesOfBody(reply.body).toString('base64')
  return { status: reply.status, headers, bodyBase64 }
}

/** A header's value by its name in any case; throws if it is missing. */
export function headerOf({ headers }: VectorResponse, name: string): string {
  const found = headers.find(([each]) => each.toLowerCase() === name.toLowerCase())
  if (found === undefined) throw new Error(`The response has no ${name}`)
  return found[1]
}

/** The part of a vector that describes a key. */
export function describeKey(privateKey: KeyObject): Vector['publicKey'] {
  const { keyId, jwk, publicKeyPem } = derivePublicSigningKey(privateKey)
  return { keyId, jwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, pem: publicKeyPem }
}
