import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { RawResponse } from './raw-http.ts'
import type { RunningApp } from './running-app.ts'

/** A response as received by any client. */
export interface ReceivedResponse {
  readonly method: string
  /** The request target that was sent. */
  readonly target: string
  readonly status: number
  /** A header's value by lower-case name. */
  header(name: string): string | undefined
  readonly bytes: Buffer
}

/** Asks through fetch. */
export async function ask(
  app: RunningApp,
  target: string,
  init: RequestInit = {},
): Promise<ReceivedResponse> {
  const response = await app.fetch(target, init)
  return {
    method: init.method ?? 'GET',
    target,
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

/** A response that came over a raw socket. */
export function toResponse(method: string, target: string, raw: RawResponse): ReceivedResponse {
  return {
    method,
    target,
    status: raw.status,
    header: (name) => raw.headers.get(name),
    bytes: Buffer.from(raw.body, 'latin1'),
  }
}

/** A parsed envelope, as loosely as a reader knows it. */
export interface Envelope {
  readonly ok: boolean
  readonly schema: string
  readonly requestId: string
  readonly issuedAt: string
  readonly data: { readonly [name: string]: unknown }
}

/** The envelope of a success. */
export function envelopeOf({ bytes }: ReceivedResponse): Envelope {
  return JSON.parse(bytes.toString('utf8')) as Envelope
}

/** The public key, as the running service publishes it. */
export async function publishedKey(app: RunningApp): Promise<KeyObject> {
  const { data } = envelopeOf(await ask(app, '/api/v1/keys/signing-key'))
  const [key] = data['keys'] as readonly { readonly publicKeyPem: string }[]
  assert.ok(key, 'expected a published key')
  return createPublicKey(key.publicKeyPem)
}

function sha256(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** The ETag of `data`, computed without the service's code: base64url SHA-256 of its canonical JSON (RFC 8785). */
export function etagOf(data: unknown): string {
  return `W/"${digestOf(data)}"`
}

/** The digest of `data`, as in version entries and ETags. */
export function digestOf(data: unknown): string {
  return sha256(canonicalize(data) ?? '').toString('base64url')
}

/** Asserts that the signature covers exactly these bytes, this method, target, status and time (spec 5.7). */
export function assertSigned(response: ReceivedResponse, key: KeyObject): void {
  const { method, target, status, bytes } = response
  const digest = `sha-256=:${sha256(bytes).toString('base64')}:`
  assert.equal(response.header('content-digest'), digest)
  const signedAt = response.header('x-svc-signed-at') ?? ''
  assert.match(signedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const signature = response.header('x-svc-signature') ?? ''
  assert.match(signature, /^[A-Za-z0-9+/]{86}==$/)
  const text = ['svc-response-v1', method, target, status, signedAt, digest].join('\n')
  assert.ok(
    verify(null, Buffer.from(text, 'latin1'), key, Buffer.from(signature, 'base64')),
    `the signature of ${method} ${target} does not verify`,
  )
}

/** Asserts that X-SVC-Revalidated proves this 304 (contract decisions 3.4), and returns its signed-at. */
export function assertRevalidated(response: ReceivedResponse, key: KeyObject): string {
  const proof = response.header('x-svc-revalidated') ?? ''
  const [, signedAt = '', signature = ''] = /^(\S+); ([A-Za-z0-9+/]{86}==)$/.exec(proof) ?? []
  const etag = response.header('etag') ?? ''
  const text = ['svc-revalidation-v1', response.method, response.target, '304', signedAt, etag]
  assert.ok(
    verify(null, Buffer.from(text.join('\n'), 'latin1'), key, Buffer.from(signature, 'base64')),
    `the proof "${proof}" of ${response.method} ${response.target} does not verify`,
  )
  return signedAt
}

/** Asserts that no header of a signature is present. */
export function assertUnsigned(response: ReceivedResponse): void {
  for (const name of [
    'content-digest',
    'x-svc-signed-at',
    'x-svc-signature',
    'x-svc-revalidated',
  ]) {
    assert.equal(response.header(name), undefined, name)
  }
}

/** The code of an error response, or undefined for a success. */
export function codeOf(response: ReceivedResponse): string | undefined {
  return /"code":"([A-Z_]+)"/.exec(response.bytes.toString())?.[1]
}

/** The status and the code of a response: `401 KEY_INVALID`, or `200`. */
export function outcome(response: ReceivedResponse): string {
  return `${response.status} ${codeOf(response) ?? ''}`.trim()
}

/** The same of a response that came over a raw socket. */
export function outcomeOf(raw: RawResponse): string {
  return outcome(toResponse('GET', '', raw))
}
