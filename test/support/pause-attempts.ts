import assert from 'node:assert/strict'
import { KEYS, SELF, GOOD_KEY_REQUEST } from './keyed-app.ts'
import type { RawResponse } from './raw-http.ts'

/** One request that a client might try. */
interface Attempt {
  readonly method: string
  readonly target: string
  /** Header lines besides Host. */
  readonly lines: readonly string[]
  /** Latin1. */
  readonly body: string
}

/** Requests of one kind, given a valid key. */
export interface PauseAttempts {
  readonly name: string
  readonly requests: (key: string) => readonly Attempt[]
}

const JSON_TYPE = 'Content-Type: application/json'

function attempt(
  lines: readonly string[],
  body: unknown = GOOD_KEY_REQUEST,
  { method = 'POST', target = KEYS } = {},
): Attempt {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    method,
    target,
    lines: [JSON_TYPE, `Content-Length: ${text.length}`, ...lines],
    body: text,
  }
}

const SAYINGS = ['true', '1', 'enabled', 'open', 'test', 'local', 'off', 'POST'] as const

/** Ways to ask for a key while none is issued. */
export const PAUSE_ATTEMPTS: readonly PauseAttempts[] = [
  {
    name: 'headers that name issuance, the runtime or a test',
    requests: () =>
      [
        'X-SVC-Issuance',
        'X-SVC-Issuance-Enabled',
        'X-SVC-Enable-Issuance',
        'X-SVC-Keys',
        'X-SVC-Challenge',
        'X-SVC-Runtime',
        'X-SVC-Deployment',
        'X-SVC-Test',
        'X-SVC-Admin',
        'X-SVC-Debug',
        'X-SVC-Approved-By',
        'X-SVC-Registry-Version',
        'X-Test-Mode',
        'X-Debug',
        'X-Admin',
        'X-Environment',
        'Prefer',
        'Pragma',
      ].flatMap((name) => SAYINGS.map((value) => attempt([`${name}: ${value}`]))),
  },
  {
    name: 'where the request says it comes from',
    requests: () =>
      [
        'X-Forwarded-For: 127.0.0.1',
        'X-Forwarded-Host: 127.0.0.1:8080',
        'X-Forwarded-Host: localhost',
        'X-Forwarded-Proto: https',
        'X-Forwarded-Prefix: /internal',
        'X-Forwarded-Port: 9090',
        'X-Forwarded-User: root',
        'X-Real-IP: 127.0.0.1',
        'Forwarded: for=127.0.0.1;host=localhost;proto=https',
        'Via: 1.1 localhost',
        'Origin: http://127.0.0.1:8080',
        'Sec-Fetch-Site: same-origin',
        'Referer: http://127.0.0.1:8080/en',
        'User-Agent: svc/1.0',
        'X-Original-URL: /api/v1/keys',
        'X-Rewrite-URL: /api/v1/keys',
      ].map((line) => attempt([line])),
  },
  {
    name: 'a good key and other credentials',
    requests: (key) =>
      [
        [`Authorization: Bearer ${key}`],
        [`X-SVC-Key: ${key}`],
        [`Authorization: Bearer ${key}`, `X-SVC-Key: ${key}`],
        ['Authorization: Bearer'],
        ['Authorization: Basic YWRtaW46YWRtaW4='],
        ['Cookie: admin=true; issuance=enabled'],
        ['X-Api-Key: admin'],
        ['Proxy-Authorization: Basic YWRtaW46YWRtaW4='],
      ].map((lines) => attempt(lines)),
  },
  {
    name: 'bodies that say it is open',
    requests: () =>
      [
        GOOD_KEY_REQUEST,
        { ...GOOD_KEY_REQUEST, enabled: true },
        { ...GOOD_KEY_REQUEST, issuance: { enabled: true } },
        {
          ...GOOD_KEY_REQUEST,
          issuance: {
            enabled: true,
            approvedBy: 'x',
            approvedAt: '2027-01-01',
            reference: 'x',
          },
        },
        { ...GOOD_KEY_REQUEST, force: true, override: true, test: true },
        { ...GOOD_KEY_REQUEST, ttlDays: 1, label: 'x' },
        '{"__proto__":{"enabled":true},"challengeToken":"test-pass"}',
        '{"constructor":{"prototype":{"enabled":true}},"challengeToken":"test-pass"}',
        [GOOD_KEY_REQUEST],
        'challengeToken=test-pass&enabled=true',
        '',
        '{',
        '\u0000',
        'x'.repeat(60_000),
      ].map((body) => attempt([], body)),
  },
  {
    name: 'queries and other spellings of the path',
    requests: () =>
      [
        `${KEYS}?enabled=true`,
        `${KEYS}?issuance=enabled&force=1`,
        `${KEYS}?for=issue-key&challenge=test`,
        `${KEYS}?_method=POST`,
        `${KEYS}?`,
        `http://localhost${KEYS}`,
        `http://127.0.0.1:8080${KEYS}?enabled=1`,
        `${KEYS}/`,
        `${KEYS}//`,
        `${KEYS}/new`,
        `${KEYS}/issue`,
        `${KEYS};enabled=true`,
        `/${KEYS}`,
        '/api/v1//keys',
        '/api/v1/./keys',
        '/api/v1/x/../keys',
        '/api/v1/%6beys',
        '/api/v1/KEYS',
        '/api/v1/keys%00',
        '/api/v1/keys%2f',
        '/api/keys',
        '/api/v2/keys',
        '/keys',
        '/admin/keys',
        '/api/v1/preview/keys',
        SELF,
      ].map((target) => attempt([], GOOD_KEY_REQUEST, { target })),
  },
  {
    name: 'other methods, and headers that override them',
    requests: (key) => [
      ...['PUT', 'PATCH', 'GET', 'HEAD', 'DELETE', 'OPTIONS', 'QUERY', 'LINK'].map((method) =>
        attempt([], GOOD_KEY_REQUEST, { method }),
      ),
      ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', '_method'].flatMap(
        (name) => [
          ...['PUT', 'GET', 'POST', 'DELETE', 'OPTIONS'].map((value) =>
            attempt([`${name}: ${value}`]),
          ),
          ...['GET', 'PUT'].map((method) =>
            attempt([`${name}: POST`], GOOD_KEY_REQUEST, { method }),
          ),
          attempt([`${name}: POST`, `X-SVC-Key: ${key}`], GOOD_KEY_REQUEST, {
            method: 'GET',
            target: SELF,
          }),
        ],
      ),
    ],
  },
  {
    name: 'preflights and protocol changes',
    requests: () => [
      attempt(['Origin: http://localhost', 'Access-Control-Request-Method: POST'], '', {
        method: 'OPTIONS',
      }),
      attempt(['Connection: Upgrade', 'Upgrade: h2c']),
      attempt(['Accept: */*', 'Accept-Encoding: gzip', 'If-None-Match: *', 'If-Match: *']),
      attempt(['Content-Encoding: identity']),
      attempt(['Range: bytes=0-1']),
    ],
  },
]

/**
 * Asserts the response to an attempt: 503 KEYS_UNAVAILABLE for a POST to the endpoint itself, otherwise the usual
 * response of that path, without a key or a success that could contain one.
 */
export function assertPausedResponse(
  { status, headers, body }: RawResponse,
  { method, target }: { readonly method: string; readonly target: string },
): void {
  const where = `${method} ${target}: ${status} ${body}`
  const path = target.replace(/^http:\/\/[^/]+/, '').replace(/\?.*$/, '')
  assert.doesNotMatch(body, /svk_/, where)
  if (method === 'POST' && path === KEYS) {
    assert.equal(status, 503, where)
    assert.match(body, /"code":"KEYS_UNAVAILABLE"/)
    assert.match(body, /"retryable":true/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('access-control-allow-origin'), undefined)
  } else if (path === SELF && method === 'GET') {
    assert.equal(status, 200, where)
  } else {
    assert.ok(status >= 400 && status < 500, where)
  }
}
