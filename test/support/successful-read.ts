import assert from 'node:assert/strict'
import { DATA_SCHEMAS, type DataSchemaName } from '@public-api/contract/registry/schemas'
import { schemaCheck } from '../documents/document-schemas.ts'
import { rawRequest, sendRaw } from './raw-http.ts'
import { toResponse, assertSigned, etagOf, publishedKey } from './received-response.ts'
import type { RunningApp } from './running-app.ts'

/** Parts that differ between successful reads. */
export interface ExpectedRead {
  /** Name of the schema of `data`. */
  readonly schema: DataSchemaName
  readonly cacheClass: 'static-snapshot' | 'short-lived'
  /** Value of Link; undefined: no such header. */
  readonly link?: string
  /** False for the one document that is sent without an envelope. */
  readonly enveloped?: false
}

/** Values of Cache-Control, as spec section 8 writes them. */
const CACHE_CONTROL = {
  'static-snapshot': 'public, max-age=60, stale-while-revalidate=300',
  'short-lived': 'public, max-age=0, must-revalidate',
} as const

/** Exposed headers of spec section 8, and the proof of contract decisions 3.4. */
export const EXPOSED_HEADERS =
  'X-Request-Id, X-SVC-API-Version, ETag, Retry-After, Deprecation, Sunset, Link, Content-Digest, X-SVC-Signed-At, X-SVC-Signature, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-SVC-Revalidated, Signature, Signature-Input, Unencoded-Digest'

/** Reads a path anonymously, compares the whole response with the contract and returns its `data`. */
export async function assertRead(
  app: RunningApp,
  target: string,
  expected: ExpectedRead,
): Promise<{ readonly [name: string]: unknown }> {
  const raw = await sendRaw(app.port, rawRequest('GET', target))
  const response = toResponse('GET', target, raw)
  const text = response.bytes.toString('utf8')
  assert.equal(response.status, 200, text)

  const body = JSON.parse(text) as { readonly [name: string]: unknown }
  const requestId = response.header('x-request-id')
  const data = expected.enveloped === false ? body : (body['data'] as typeof body)
  if (expected.enveloped !== false) {
    assert.deepEqual(Object.entries(body).slice(0, 4), [
      ['ok', true],
      ['schema', 'svc.public.api.response.v1'],
      ['requestId', requestId],
      ['issuedAt', new Date(app.clock.ms).toISOString()],
    ])
    assert.deepEqual(Object.keys(body).slice(4), ['data'])
  }
  assert.deepEqual(schemaCheck(DATA_SCHEMAS[expected.schema])(data), [])

  const headers = Object.fromEntries(raw.headers)
  // Values that come from the machine's clock or are checked below.
  for (const name of ['date', 'content-digest', 'x-svc-signature']) delete headers[name]
  assert.deepEqual(headers, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(response.bytes.length),
    'cache-control': CACHE_CONTROL[expected.cacheClass],
    vary: 'Authorization, X-SVC-Key, Accept-Signature',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': EXPOSED_HEADERS,
    'x-svc-api-version': 'v1',
    ...(expected.link === undefined ? {} : { link: expected.link }),
    etag: etagOf(data),
    'x-request-id': requestId,
    'x-svc-signed-at': new Date(app.clock.ms).toISOString(),
    connection: 'close',
  })
  assertSigned(response, await publishedKey(app))
  return data
}
