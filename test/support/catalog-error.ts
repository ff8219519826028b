import assert from 'node:assert/strict'
import { ask, assertSigned, assertUnsigned, publishedKey } from './received-response.ts'
import type { RunningApp } from './running-app.ts'

/** The request that leads to an error. */
export interface Trigger {
  readonly method: string
  readonly target: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

/** The expected error, written out by the test. A header that is not listed must not be sent. */
export interface ExpectedError {
  readonly code: string
  readonly status: number
  readonly retryable: boolean
  /** In the body and, the same, in Retry-After. */
  readonly retryAfterSeconds?: number
  readonly allow?: string
  readonly wwwAuthenticate?: string
  /** Whether a page of another origin may read it. */
  readonly cors: boolean
  /** Undefined for a signed response. */
  readonly unsigned?: true
}

/** Sent in the query, a header and, if the test puts it there, the body; no response may contain it. */
export const ECHO_MARKER = 'echo-marker-5d41402a'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Sends the request to the running app and compares the whole response with the expected one. */
export async function assertCatalogError(
  app: RunningApp,
  trigger: Trigger,
  expected: ExpectedError,
): Promise<void> {
  const target = `${trigger.target}?q=${ECHO_MARKER}`
  const response = await ask(app, target, {
    method: trigger.method,
    headers: {
      ...trigger.headers,
      'User-Agent': ECHO_MARKER,
      'X-Marker': ECHO_MARKER,
      'X-Request-Id': ECHO_MARKER,
    },
    ...(trigger.body === undefined ? {} : { body: trigger.body }),
  })
  const { code, status, retryable, retryAfterSeconds } = expected

  assert.equal(response.status, status)
  assert.equal(response.header('content-type'), 'application/json; charset=utf-8')
  assert.equal(response.header('content-length'), String(response.bytes.length))
  assert.equal(response.header('cache-control'), 'no-store')
  assert.equal(response.header('x-svc-api-version'), 'v1')

  const requestId = response.header('x-request-id') ?? ''
  assert.match(requestId, UUID_V4)
  const text = response.bytes.toString('utf8')
  const { message } = (JSON.parse(text) as { error: { message: string } }).error
  assert.match(message, /^[A-Z].*\.$/)
  // Equal as text: every member, in the promised order, and no other.
  assert.equal(
    text,
    JSON.stringify({
      ok: false,
      schema: 'svc.public.api.error.v1',
      requestId,
      issuedAt: new Date(app.clock.ms).toISOString(),
      error: { code, status, message, retryable, ...(retryAfterSeconds && { retryAfterSeconds }) },
    }),
  )
  assert.ok(!text.includes(ECHO_MARKER), 'the response repeats what was sent')

  assert.equal(
    response.header('retry-after'),
    retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds),
  )
  assert.ok(status !== 429 || (Number(retryAfterSeconds) >= 1 && Number(retryAfterSeconds) <= 60))
  assert.equal(response.header('allow'), expected.allow)
  assert.equal(response.header('www-authenticate'), expected.wwwAuthenticate)
  assert.equal(response.header('access-control-allow-origin'), expected.cors ? '*' : undefined)
  assert.equal(response.header('access-control-allow-credentials'), undefined)
  for (const name of ['etag', 'set-cookie']) assert.equal(response.header(name), undefined)

  if (expected.unsigned === true) assertUnsigned(response)
  else assertSigned(response, await publishedKey(app))
}
