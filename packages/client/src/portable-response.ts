import { propertyOf } from '#contract/json/property-of'
import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import { parseInstant } from '#contract/text/instant'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { readHeaders } from './header-fields.ts'
import type { HttpResponse } from './http-response.ts'
import { VerificationError } from './verification-error.ts'
import { importKey, type PublishedKey, type VerificationKey } from './verification-key.ts'
import { PROOF_HEADERS, verifyResponse, type VerifiedResponse } from './verify-response.ts'

/** A signed response as JSON, with everything needed to verify its signature later. */
export interface PortableResponse {
  /** Method of the request. */
  readonly method: string
  /** Path and query of the request, as sent. */
  readonly target: string
  /** HTTP status. */
  readonly status: number
  /** The fields that belong to the proof. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The exact bytes of the body, in padded base64. */
  readonly bodyBase64: string
}

const PROOF_FIELDS = [...PROOF_HEADERS, CLIENT_HEADERS.requestId]
const PROOF_FIELDS_OF_304 = [CLIENT_HEADERS.etag, CLIENT_HEADERS.revalidated]

export function toPortable({
  method,
  target,
  status,
  headers,
  body,
}: HttpResponse): PortableResponse {
  const fields = readHeaders(headers)
  return {
    method,
    target,
    status,
    headers: (status === 304 ? PROOF_FIELDS_OF_304 : PROOF_FIELDS).flatMap((name) => {
      const value = fields(name)
      return value === undefined ? [] : [[name, value] as const]
    }),
    bodyBase64: encodeBase64(body),
  }
}

/** Whether a JSON value has the form of a portable response. */
export function isPortable(value: unknown): value is PortableResponse {
  const headers = propertyOf(value, 'headers')
  return (
    ['method', 'target', 'bodyBase64'].every(
      (name) => typeof propertyOf(value, name) === 'string',
    ) &&
    typeof propertyOf(value, 'status') === 'number' &&
    isListOf(headers, Infinity, (pair) => isListOf(pair, 2, isText) && pair.length === 2)
  )
}

const isText = (value: unknown): boolean => typeof value === 'string'

/** Whether a JSON value has the form of a key as saved with portable responses. */
function isPublishedKey(value: unknown): value is PublishedKey {
  const isDate = (date: unknown) => date === undefined || date === null || typeof date === 'string'
  return (
    ['kty', 'crv', 'x'].every(
      (name) => typeof propertyOf(propertyOf(value, 'jwk'), name) === 'string',
    ) &&
    isDate(propertyOf(value, 'notBefore')) &&
    isDate(propertyOf(value, 'notAfter'))
  )
}

/** Whether a JSON value is a list of at most `most` of such items. */
export function isListOf(
  value: unknown,
  most: number,
  isItem: (item: unknown) => boolean,
): value is readonly unknown[] {
  return Array.isArray(value) && value.length <= most && value.every(isItem)
}

/** Whether a JSON value is a list of at most `most` keys as saved with portable responses. */
export function isKeyList(value: unknown, most: number): boolean {
  return isListOf(value, most, isPublishedKey)
}

/** The response that was saved. Throws a VerificationError (MALFORMED) if its body is not base64. */
export function fromPortable({ bodyBase64, ...asked }: PortableResponse): HttpResponse {
  try {
    return { ...asked, body: decodeBase64(bodyBase64) }
  } catch {
    throw new VerificationError('MALFORMED', 'bodyBase64 is not base64')
  }
}

/** Keys in the form saved with portable responses. */
export function publishedOf(keys: readonly VerificationKey[]): readonly PublishedKey[] {
  return keys.map(({ published: { jwk, notBefore = null, notAfter = null } }) => ({
    jwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x },
    notBefore,
    notAfter,
  }))
}

/** Verifies a portable response as of the time at which it was signed, whatever its age. Throws a VerificationError. */
export async function verifyPortable(
  response: PortableResponse,
  keys: readonly PublishedKey[],
  pinnedKeyIds?: readonly string[],
): Promise<VerifiedResponse> {
  return verifyResponse({
    ...fromPortable(response),
    keys: await Promise.all(keys.map(importKey)),
    ...(pinnedKeyIds === undefined ? {} : { pinnedKeyIds }),
    nowMs: parseInstant(readHeaders(response.headers)(CLIENT_HEADERS.signedAt) ?? '') ?? 0,
  })
}
