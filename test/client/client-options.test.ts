import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import type { ClientOptions } from '@public-api/client-internal/client-options'
import { ConnectionError, RedirectError } from '@public-api/client-internal/connection'
import type { Retry } from '@public-api/client-internal/retries'
import { isStatus, fakeResponse, scripted } from './scripted-client.ts'

const BASE = { baseUrl: 'https://api.example.test' }

describe('createClient refuses wrong options immediately', () => {
  for (const [name, value, expected] of [
    ['maxRetries', -1, 'maxRetries: expected an integer from 0'],
    ['maxRetries', 1.5, 'maxRetries: expected an integer from 0'],
    ['maxRetries', Number.NaN, 'maxRetries: expected an integer from 0'],
    ['maxWaitSeconds', -1, 'maxWaitSeconds: expected more than 0'],
    ['maxAgeSeconds', 0, 'maxAgeSeconds: expected more than 0'],
    ['maxAgeSeconds', Number.NaN, 'maxAgeSeconds: expected more than 0'],
    ['timeoutMs', '30', 'timeoutMs: expected more than 0'],
    ['maxBodyBytes', 0, 'maxBodyBytes: expected more than 0'],
    ['pinnedKeyIds', [], 'pinnedKeyIds: expected key IDs of 43 characters'],
    ['pinnedKeyIds', ['short'], 'pinnedKeyIds: expected key IDs of 43 characters'],
    ['pinnedKeyIds', 'A'.repeat(43), 'pinnedKeyIds: expected key IDs of 43 characters'],
    ['apiKey', '', 'apiKey: expected visible ASCII'],
    ['apiKey', 'svk_secret\n', 'apiKey: expected visible ASCII'],
    ['fetch', 'fetch', 'fetch: expected a function'],
    ['onRetry', {}, 'onRetry: expected a function'],
    ['baseUrl', '', 'baseUrl: expected an origin'],
  ] as const) {
    test(`${name}: ${JSON.stringify(value)}`, () => {
      const options = { ...BASE, [name]: value } as unknown as ClientOptions
      assert.throws(
        () => createClient(options),
        (error) =>
          error instanceof TypeError &&
          error.message === expected &&
          !error.message.includes('secret'),
      )
    })
  }

  test('an unknown name, without quoting it', () => {
    const options = { ...BASE, maxRetry: 3, svk_secret: true } as ClientOptions
    assert.throws(
      () => createClient(options),
      (error) =>
        error instanceof TypeError &&
        error.message.startsWith('unknown option; expected baseUrl,pinnedKeyIds'),
    )
  })

  test('treats undefined options as missing', () => {
    const options = {
      ...BASE,
      maxRetries: undefined,
      apiKey: undefined,
    } as unknown as ClientOptions
    assert.equal(createClient(options).origin, BASE.baseUrl)
  })
})

test('names a redirect in the error without following or retrying', async () => {
  for (const [status, location, named] of [
    [301, 'https://elsewhere.test/api/v1/status', 'https://elsewhere.test/api/v1/status'],
    // What a browser shows of a redirect.
    [0, undefined, 'elsewhere'],
  ] as const) {
    const { client, sent } = scripted((one) =>
      isStatus(one)
        ? fakeResponse(status, location === undefined ? {} : { Location: location })
        : undefined,
    )
    await assert.rejects(
      client.status(),
      (error) =>
        error instanceof ConnectionError &&
        error.cause instanceof RedirectError &&
        error.message.endsWith(`not fetched: redirects to ${named}`),
    )
    assert.equal(sent.filter(isStatus).length, 1)
  }
})

test('onRetry is called before each retry with the error and the wait', async () => {
  const retries: Retry[] = []
  const { client, waits } = scripted(
    (one, count) =>
      isStatus(one) && count < 2 ? fakeResponse(503, { 'Retry-After': '3' }) : undefined,
    { onRetry: (retry) => retries.push(retry) },
  )
  await client.status()
  assert.deepEqual(
    retries.map(({ attempt, waitSeconds }) => [attempt, waitSeconds]),
    [
      [1, 3],
      [2, 3],
    ],
  )
  assert.deepEqual(waits, [3000, 3000])
})

test('results and errors have the request id, and with a key the quota', async () => {
  const { client } = scripted()
  const { requestId, rateLimit, response } = await client.status()
  assert.equal(
    requestId,
    new Map(response.headers as Iterable<[string, string]>).get('X-Request-Id'),
  )
  assert.equal(rateLimit, undefined)
  await assert.rejects(client.get('/api/v1/nowhere'), (error: Error & { requestId?: string }) =>
    /^[0-9a-f-]{36}$/.test(error.requestId ?? ''),
  )
})
