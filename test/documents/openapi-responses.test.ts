import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExample } from '@public-api/contract/documents/examples'
import { createOpenApi, type OpenApiDocument } from '@public-api/contract/documents/openapi'
import type { ErrorCode } from '@public-api/contract/errors/errors'
import { ENDPOINTS, errorsOf, type Endpoint } from '@public-api/contract/registry/endpoints'
import { REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { CHANGED_REGISTRY, PRODUCTION } from './contract-fixture.ts'
import { objectAt, resolvePlace } from './document-places.ts'
import { documentSchemaChecks } from './document-schemas.ts'

// The document describes what is really sent: every response here comes over HTTP from the running app, and its status,
// its body and each of its headers must be found in the document, and each header that is always there must be there.

/** Header fields of the connection and of HTTP itself; the document describes the API's own. */
const HTTP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
])

function targetOf({ path, parameter }: Endpoint): string {
  return parameter === undefined ? path : path.replace(/\{.*\}$/, parameter.example)
}

/** A document with the checks of its schemas, which are compiled once. */
interface DescribedApi {
  readonly document: OpenApiDocument
  readonly checkAt: ReturnType<typeof documentSchemaChecks>
}

function describeApi(options: Parameters<typeof createOpenApi>[0]): DescribedApi {
  const document = createOpenApi(options)
  return { document, checkAt: documentSchemaChecks(document) }
}

async function assertDescribed(
  app: RunningApp,
  { document, checkAt }: DescribedApi,
  row: Endpoint,
  headers: { readonly [name: string]: string } = {},
): Promise<number> {
  const what = `${row.method} ${row.path} ${JSON.stringify(headers)}`
  const body = row.request === undefined ? undefined : createExample(REQUEST_SCHEMAS[row.request])
  const response = await app.fetch(targetOf(row), {
    method: row.method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { status } = response
  const operation = ['paths', row.path, row.method.toLowerCase()]
  const place = resolvePlace(document, [...operation, 'responses', String(status)])

  const described = objectAt(document, ...place, 'headers')
  const names = new Set(Object.keys(described).map((name) => name.toLowerCase()))
  for (const name of response.headers.keys()) {
    assert.ok(HTTP_HEADERS.has(name) || names.has(name), `${what}: ${status} has ${name}`)
  }
  for (const name of Object.keys(described)) {
    const at = resolvePlace(document, [...place, 'headers', name])
    const { required } = objectAt(document, ...at)
    const value = response.headers.get(name)
    assert.ok(required !== true || value !== null, `${what}: ${status} lacks ${name}`)
    const { type, enum: values } = objectAt(document, ...at, 'schema')
    if (value === null) continue
    if (type === 'integer') assert.match(value, /^\d+$/, `${what}: ${name}`)
    if (Array.isArray(values)) assert.ok(values.includes(value), `${what}: ${name} is ${value}`)
  }

  const text = await response.text()
  if (status === 304) {
    assert.equal(text, '')
    return status
  }
  const check = checkAt(...place, 'content', 'application/json', 'schema')
  const content = JSON.parse(text) as { readonly error?: { readonly code: ErrorCode } }
  assert.deepEqual(check(content), [], `${what}: ${status}`)
  if (content.error !== undefined) {
    assert.ok(errorsOf(row).includes(content.error.code), `${what}: ${content.error.code}`)
  }
  return status
}

/** Every way to ask that leads to another sort of response. */
const WAYS: readonly { readonly [name: string]: string }[] = [
  {},
  { 'if-none-match': '*' },
  { authorization: `Bearer ${FAKE_KEYS.good}` },
  { 'x-svc-key': FAKE_KEYS.good, 'if-none-match': '*' },
  { 'x-svc-key': FAKE_KEYS.expired },
  { 'x-svc-key': FAKE_KEYS.spent },
  { 'x-svc-key': 'no key at all' },
]

const DESCRIBED = describeApi(PRODUCTION)

const rows: readonly (readonly [string, Endpoint])[] = Object.entries(ENDPOINTS)

test('every response of the running app is described, with each of its headers', async (t) => {
  const statuses = new Set<number>()
  for (const deployment of ['primary', 'preview'] as const) {
    const app = await runApp(t, { deployment, apiKeys: createFakeApiKeys() })
    for (const [, row] of rows) {
      for (const headers of WAYS) statuses.add(await assertDescribed(app, DESCRIBED, row, headers))
    }
  }
  for (const status of [200, 304, 401, 403, 429, 503]) assert.ok(statuses.has(status), `${status}`)
})

test('every response that the service reuses is described', async (t) => {
  const app = await runApp(t, { cacheSeconds: 60 })
  for (const [, row] of rows) {
    for (const headers of [{}, {}]) await assertDescribed(app, DESCRIBED, row, headers)
  }
  assert.equal((await app.fetch('/api/v1/status')).headers.get('age'), '0')
})

test('every response without a key store and without a signing key is described', async (t) => {
  const app = await runApp(t, { signing: undefined })
  for (const [, row] of rows) {
    for (const headers of WAYS) await assertDescribed(app, DESCRIBED, row, headers)
  }
})

test('a deprecated endpoint is described', async (t) => {
  const { draft: _, ...registry } = CHANGED_REGISTRY
  const app = await runApp(t, { registry, apiKeys: createFakeApiKeys() })
  const described = describeApi({ ...PRODUCTION, registry })
  const row = CHANGED_REGISTRY['changelog'] ?? assert.fail('no such row')
  for (const headers of WAYS) await assertDescribed(app, described, row, headers)
})
