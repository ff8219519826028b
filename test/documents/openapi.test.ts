import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDiscoveryIndex } from '@public-api/contract/documents/discovery'
import { createOpenApi, type OpenApiDocument } from '@public-api/contract/documents/openapi'
import { ERRORS, type ErrorCode } from '@public-api/contract/errors/errors'
import {
  createErrorBody,
  formatError,
  formatSuccess,
  SCHEMA_IDS,
} from '@public-api/contract/http/envelope'
import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
} from '@public-api/contract/json/canonical-json'
import { ENDPOINTS, errorsOf, type Endpoint } from '@public-api/contract/registry/endpoints'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { CACHE_CLASSES, CORS, HEADERS } from '@public-api/contract/terms/headers'
import FIRST_VERSION from '../../releases/versions/VS-0001.json' with { type: 'json' }
import { CHANGED_REGISTRY, ISSUANCE_OPEN, PRODUCTION } from './contract-fixture.ts'
import { objectAt, resolvePlace } from './document-places.ts'
import { documentSchemaChecks } from './document-schemas.ts'

const IDENTITY = {
  requestId: 'c0ffee00-0000-4000-8000-000000000000',
  issuedAt: '2027-01-01T00:00:00.000Z',
}

/** What a `$ref` inside the document points to; any other object as it is. */
function resolve(document: OpenApiDocument, value: JsonValue | undefined): JsonObject {
  const object = objectAt(value)
  if (typeof object['$ref'] !== 'string') return object
  return objectAt(document, ...object['$ref'].replace('#/', '').split('/'))
}

function operationOf(document: OpenApiDocument, row: Endpoint): JsonObject {
  return objectAt(document.paths, row.path, row.method.toLowerCase())
}

function responsesOf(document: OpenApiDocument, row: Endpoint): ReadonlyMap<number, JsonObject> {
  const responses = objectAt(operationOf(document, row), 'responses')
  return new Map(
    Object.entries(responses).map(([status, value]) => [Number(status), resolve(document, value)]),
  )
}

function headersOf(response: JsonObject | undefined): readonly string[] {
  return Object.keys(objectAt(response, 'headers'))
}

const document = createOpenApi(PRODUCTION)
const checksOf = documentSchemaChecks(document)
const rows: readonly (readonly [string, Endpoint])[] = Object.entries(ENDPOINTS)

/** The `$ref` of an object that has one. */
function refAt({ $ref: ref }: JsonObject): string {
  assert.ok(typeof ref === 'string')
  return ref
}

test('the document is OpenAPI 3.0.3 for one deployment, with a contact and a license', () => {
  assert.equal(document.openapi, '3.0.3')
  assert.deepEqual(document.servers, [
    { url: 'http://127.0.0.1:8080', description: 'This deployment.' },
  ])
  assert.equal(document.info['version'], '1.0.0')
  assert.equal(objectAt(document.info, 'contact')['url'], 'http://127.0.0.1:8080/en/reference')
  assert.deepEqual(document.info['license'], {
    name: 'Apache-2.0',
    url: 'https://spdx.org/licenses/Apache-2.0.html',
  })
})

// V8 and Python keep a text with one letter beyond Latin-1 in two bytes a letter, and parse it in twice the time.
test('the document is ASCII', () => {
  assert.doesNotMatch(canonicalJson(document), /[^\x20-\x7e]/)
})

test('the operations are exactly the rows, by name', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [
      operationId,
      `${method.toUpperCase()} ${path}`,
    ]),
  )
  assert.equal(operations.length, rows.length)
  assert.deepEqual(
    Object.fromEntries(operations),
    Object.fromEntries(rows.map(([name, { method, path }]) => [name, `${method} ${path}`])),
  )
})

for (const [name, row] of rows) {
  describe(name, () => {
    const operation = operationOf(document, row)
    const responses = responsesOf(document, row)
    const place = ['paths', row.path, row.method.toLowerCase()]

    /** The place of one response, which may stand among the components. */
    function placeOf(status: number): readonly string[] {
      return resolvePlace(document, [...place, 'responses', String(status)])
    }

    test('states the facts of the registry', () => {
      assert.deepEqual(operation['tags'], [row.tag])
      assert.equal(operation['summary'], row.summary)
      const pause = name === 'createKey' ? ' Issuance is paused (`PRODUCT_NOT_READY`).' : ''
      assert.equal(operation['description'], row.description + pause)
      assert.equal(operation['x-svc-stability'], row.stability)
      assert.equal(operation['x-svc-status'], row.status)
      assert.equal(operation['x-svc-cache-class'], row.cacheClass)
      assert.equal('deprecated' in operation, false)
    })

    test('accepts a key or requires one', () => {
      const either: readonly JsonObject[] = [{ bearerKey: [] }, { headerKey: [] }]
      assert.deepEqual(
        operation['security'],
        row.authentication === 'api-key' ? either : [{}, ...either],
      )
    })

    test('describes its parameters, each with a valid example', () => {
      const parameters = (operation['parameters'] ?? []) as readonly JsonObject[]
      assert.deepEqual(
        parameters.map((parameter) => [parameter['name'], parameter['in'], parameter['required']]),
        [
          ...(row.parameter === undefined ? [] : [[row.parameter.name, 'path', true]]),
          ...Object.keys(row.query ?? {}).map((query) => [query, 'query', false]),
          ...(responses.has(304)
            ? [
                ['If-None-Match', 'header', false],
                ['Accept-Signature', 'header', false],
              ]
            : []),
        ],
      )
      for (const [index, parameter] of parameters.entries()) {
        const example = parameter['example'] ?? objectAt(parameter, 'schema')['example']
        const check = checksOf(...place, 'parameters', String(index), 'schema')
        assert.notEqual(example, undefined)
        assert.deepEqual(check(example), [])
      }
    })

    test('describes its request body with a valid example', () => {
      assert.equal('requestBody' in operation, row.request !== undefined)
      if (row.request === undefined) return
      const media = ['requestBody', 'content', 'application/json']
      const { schema, example } = objectAt(operation, ...media)
      assert.deepEqual(schema, { $ref: `#/components/schemas/${row.request}` })
      assert.notEqual(example, undefined)
      assert.deepEqual(checksOf(...place, ...media, 'schema')(example), [])
      assert.notDeepEqual(checksOf(...place, ...media, 'schema')({ unknown: 1 }), [])
    })

    test('describes its success, every error under its status, and nothing else', () => {
      const statuses = new Set(errorsOf(row).map((code) => ERRORS[code].status))
      if (row.success !== undefined) statuses.add(row.success.status)
      if (row.success !== undefined && row.method === 'GET') statuses.add(304)
      assert.deepEqual(
        [...responses.keys()],
        [...statuses].toSorted((a, b) => a - b),
      )
      for (const code of errorsOf(row)) {
        const response = responses.get(ERRORS[code].status)
        const examples = objectAt(response, 'content', 'application/json', 'examples')
        const error = objectAt(resolve(document, examples[code]), 'value', 'error')
        assert.equal(error['code'], code)
        assert.equal(error['status'], ERRORS[code].status)
        assert.equal(error['message'], ERRORS[code].message)
        assert.equal('retryAfterSeconds' in error, ERRORS[code].status === 429)
      }
    })

    test('has a valid example of every response with a body', () => {
      for (const [status, response] of responses) {
        if (status === 304) {
          assert.equal('content' in response, false)
          continue
        }
        const media = objectAt(response, 'content', 'application/json')
        const check = checksOf(...placeOf(status), 'content', 'application/json', 'schema')
        const examples =
          'example' in media
            ? [media['example']]
            : Object.values(objectAt(media, 'examples')).map(
                (each) => resolve(document, each)['value'],
              )
        assert.ok(examples.length > 0)
        for (const example of examples) assert.deepEqual(check(example), [])
        assert.notDeepEqual(check({ ok: true }), [])
      }
    })

    test('names the headers of every response', () => {
      for (const [status, response] of responses) {
        const headers = headersOf(response)
        const has = (header: string) => headers.includes(header)
        const isSuccess = status === row.success?.status
        const hasBody = status !== 304
        assert.ok(has('X-SVC-API-Version'))
        assert.ok(has('X-RateLimit-Remaining'))
        assert.equal(has('X-Request-Id'), hasBody)
        assert.equal(has('Content-Digest'), hasBody)
        assert.equal(has('X-SVC-Signed-At'), hasBody)
        assert.equal(has('X-SVC-Signature'), hasBody)
        assert.equal(has('X-SVC-Revalidated'), !hasBody)
        assert.equal(has('ETag'), !hasBody || (isSuccess && row.method === 'GET'))
        assert.equal(has('Vary'), (!hasBody || isSuccess) && row.cacheClass !== 'none')
        assert.equal(has('Age'), isSuccess && row.cacheClass === 'static-snapshot')
        assert.equal(has('WWW-Authenticate'), status === 401)
        assert.equal(has('Retry-After'), status === 429 || status === 503)
        assert.equal(has('Access-Control-Allow-Origin'), row.method === 'GET')
        assert.equal(has('Link'), isSuccess && (name === 'index' || name === 'versions'))
        assert.equal(has('Deprecation'), false)
      }
    })

    test('states the exact Cache-Control of every response', () => {
      for (const [status, response] of responses) {
        const isError = status !== 304 && status !== row.success?.status
        const cacheClass = isError ? 'none' : row.cacheClass
        const header = resolve(document, objectAt(response, 'headers')['Cache-Control'])
        // A response to a request with a nonce is not stored.
        const values = [...new Set([CACHE_CLASSES[cacheClass].cacheControl, 'no-store'])]
        assert.deepEqual(objectAt(header, 'schema')['enum'], values)
      }
    })
  })
}

test('an error body has one of the codes of its endpoint and status, and no other', () => {
  for (const [, row] of rows) {
    const codes = errorsOf(row)
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const { status, retryAfterSeconds } = ERRORS[code]
      const responses = document.paths[row.path]?.[row.method.toLowerCase()]?.['responses']
      if (objectAt(responses)[String(status)] === undefined || status === 304) continue
      const method = row.method.toLowerCase()
      const response = responsesOf(document, row).get(status)
      const { schema } = objectAt(response, 'content', 'application/json')
      const place =
        '$ref' in objectAt(responses, String(status))
          ? refAt(objectAt(responses, String(status)))
              .slice(2)
              .split('/')
          : ['paths', row.path, method, 'responses', String(status)]
      assert.ok(schema !== undefined)
      const check = checksOf(...place, 'content', 'application/json', 'schema')
      const found = check(
        JSON.parse(formatError(IDENTITY, createErrorBody(code, retryAfterSeconds))),
      )
      assert.equal(found.length === 0, codes.includes(code), `${row.path} ${code}`)
    }
  }
})

test('every body is a named flat schema, and so is every repeated item', () => {
  const schemas = document.components['schemas'] as { readonly [name: string]: JsonObject }
  for (const name of [
    'StatusResponse',
    'StatusComponent',
    'Incident',
    'VersionEntry',
    'SigningKey',
  ]) {
    assert.ok(Object.hasOwn(schemas, name), name)
  }
  assert.deepEqual(objectAt(schemas['StatusResponse'], 'properties')['data'], {
    $ref: '#/components/schemas/Status',
  })
  for (const [name, schema] of Object.entries(schemas)) {
    assert.doesNotMatch(JSON.stringify(schema), /"(?:allOf|anyOf|oneOf)"/, name)
  }
  for (const [, row] of rows) {
    for (const [status, response] of responsesOf(document, row)) {
      if (status === 304) continue
      const schema = objectAt(response, 'content', 'application/json', 'schema')
      const bodies = '$ref' in schema ? [schema] : (schema['oneOf'] as readonly JsonObject[])
      for (const each of bodies) assert.match(refAt(each), /^#\/components\/schemas\/\w+$/)
    }
  }
  // An item without a name would be an anonymous type in generated code.
  const anonymous = Object.entries(schemas).flatMap(([name, schema]) =>
    anonymousItems(schema, name),
  )
  assert.deepEqual(anonymous, [])
})

/** Places of array items that are objects without a name. */
function anonymousItems(schema: JsonObject, place: string): readonly string[] {
  const items = schema['items'] as JsonObject | undefined
  const properties = (schema['properties'] ?? {}) as { readonly [name: string]: JsonObject }
  return [
    ...(items?.['type'] === 'object' ? [place] : []),
    ...(items === undefined ? [] : anonymousItems(items, `${place}[]`)),
    ...Object.entries(properties).flatMap(([name, each]) =>
      anonymousItems(each, `${place}.${name}`),
    ),
  ]
}

test('the schema name distinguishes a registration from a known address', () => {
  const success = responsesOf(document, ENDPOINTS.register).get(200)
  const { schema, examples } = objectAt(success, 'content', 'application/json')
  assert.deepEqual(Object.keys(objectAt(examples)), ['success', 'DUPLICATE'])
  const { oneOf, discriminator } = objectAt(schema)
  assert.deepEqual(oneOf, [
    { $ref: '#/components/schemas/RegistrationResultResponse' },
    { $ref: '#/components/schemas/DuplicateError' },
  ])
  assert.deepEqual(discriminator, {
    propertyName: 'schema',
    mapping: {
      [SCHEMA_IDS.registration]: '#/components/schemas/RegistrationResultResponse',
      [SCHEMA_IDS.error]: '#/components/schemas/DuplicateError',
    },
  })
})

test('the history documents its pages: limit, before, and Link to the next page', () => {
  const operation = objectAt(document.paths['/api/v1/versions']?.['get'])
  const [limit, before] = operation['parameters'] as readonly JsonObject[]
  assert.deepEqual(limit?.['schema'], { type: 'integer', minimum: 1, maximum: 1000, example: 100 })
  assert.match(JSON.stringify(limit), /ignored/)
  assert.match(JSON.stringify(before), /ignored/)
  const ok = objectAt(operation, 'responses', '200', 'headers')
  assert.deepEqual(ok['Link'], { $ref: '#/components/headers/Link' })
  const other = objectAt(document.paths['/api/v1/version'], 'get', 'responses', '200', 'headers')
  assert.ok(!Object.hasOwn(other, 'Link'))
})

test('every operation links to its place in the reference', () => {
  for (const [name, row] of rows) {
    const operation = objectAt(document.paths[row.path]?.[row.method.toLowerCase()])
    assert.equal(
      objectAt(operation, 'externalDocs')['url'],
      `${PRODUCTION.baseUrl}/en/reference/${row.tag}#${name}`,
    )
  }
})

/** Every value in the document at a name such as `example`, with its path. */
function* examplesIn(value: JsonValue, path: string): Generator<readonly [string, JsonValue]> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, each] of Object.entries(value)) {
    if (/^(?:examples?|default)$/.test(name)) yield [`${path}.${name}`, each as JsonValue]
    else yield* examplesIn(each as JsonValue, `${path}.${name}`)
  }
}

const DATE_IN_TEXT =
  /\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?|\w{3}, \d{2} \w{3} \d{4} [\d:]+ GMT|(?:@|created=|expires=)\d{10}\b/g

function dateMsOf(found: string): number {
  const [seconds] = /\d{10}$/.exec(found) ?? []
  return seconds === undefined ? Date.parse(found) : Number(seconds) * 1000
}

test('examples name this registry version, and their dates are before the first release', () => {
  const { registryVersion: _, ...rest } = PRODUCTION
  const current = createOpenApi({ ...rest, registryVersion: REGISTRY_VERSION })
  const firstReleaseMs = Date.parse(FIRST_VERSION.createdAt)
  const examples = [...examplesIn(current, '')]
  assert.ok(examples.length > 500, `${examples.length} examples`)
  for (const [path, example] of examples) {
    const text = JSON.stringify(example)
    for (const [found] of text.matchAll(DATE_IN_TEXT)) {
      assert.ok(dateMsOf(found) < firstReleaseMs, `${path}: ${found}`)
    }
  }
  const versions = JSON.stringify(current).matchAll(/"registryVersion":\{[^}]*"example":"([^"]*)"/g)
  assert.deepEqual([...new Set([...versions].map(([, version]) => version))], [REGISTRY_VERSION])
})

test("a success body is the envelope's output", () => {
  const index = JSON.stringify(createDiscoveryIndex(PRODUCTION))
  const body: unknown = JSON.parse(formatSuccess(SCHEMA_IDS.response, IDENTITY, index))
  const place = ['paths', '/api/v1', 'get', 'responses', '200', 'content', 'application/json']
  assert.deepEqual(checksOf(...place, 'schema')(body), [])
})

test('no enumeration has bounds, for which orval writes code that does not load', () => {
  const schemas = JSON.stringify(document.components['schemas'], (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'enum' in value
      ? { enum: 'minimum' in value || 'maximum' in value }
      : value,
  )
  assert.match(schemas, /\{"enum":false\}/)
  assert.doesNotMatch(schemas, /\{"enum":true\}/)
})

test('every header component has a description and a valid example', () => {
  const headers = objectAt(document.components['headers'])
  for (const [name, header] of Object.entries(headers)) {
    const { description, schema } = objectAt(header)
    assert.ok(typeof description === 'string' && description.length > 0, name)
    assert.deepEqual(
      checksOf('components', 'headers', name, 'schema')(objectAt(schema)['example']),
      [],
      name,
    )
  }
  // Allow belongs to the router's 405, not to an operation; the other exposed headers are described.
  const used = new Set(
    rows.flatMap(([, row]) => [...responsesOf(document, row).values()].flatMap(headersOf)),
  )
  const unused = CORS.exposeHeaders.filter((name) => !used.has(name))
  assert.deepEqual(unused, [HEADERS.deprecation, HEADERS.sunset])
})

test('both ways to send a key are described', () => {
  const schemes = objectAt(document.components['securitySchemes'])
  const bearer = objectAt(schemes, 'bearerKey')
  const header = objectAt(schemes, 'headerKey')
  assert.equal(bearer['type'], 'http')
  assert.equal(bearer['scheme'], 'bearer')
  assert.equal(header['type'], 'apiKey')
  assert.equal(header['in'], 'header')
  assert.equal(header['name'], 'X-SVC-Key')
})

test('a deprecated row is marked, and its success carries the three headers', () => {
  const changed = createOpenApi({ ...PRODUCTION, registry: CHANGED_REGISTRY })
  const row = CHANGED_REGISTRY['changelog'] ?? assert.fail('no such row')
  const operation = operationOf(changed, row)
  assert.equal(operation['deprecated'], true)
  assert.deepEqual(operation['x-svc-deprecation'], row.deprecation)
  const headers = headersOf(responsesOf(changed, row).get(200))
  for (const name of ['Deprecation', 'Sunset', 'Link']) assert.ok(headers.includes(name), name)
})

test('production omits local rows', () => {
  const options = { ...PRODUCTION, registry: CHANGED_REGISTRY }
  assert.equal('/api/v1/draft' in createOpenApi(options).paths, false)
  assert.equal('/api/v1/draft' in createOpenApi({ ...options, runtime: 'local' }).paths, true)
})

test('the document omits enabled issuance while it is paused', () => {
  const opened = createOpenApi({ ...PRODUCTION, issuance: ISSUANCE_OPEN })
  assert.match(JSON.stringify(document.info), /Issuance is paused \(`PRODUCT_NOT_READY`\)/)
  assert.match(JSON.stringify(opened.info), /Keys are issued\./)
})

test('the same options give the same document, and it is canonical JSON', () => {
  assert.equal(canonicalJson(createOpenApi(PRODUCTION)), canonicalJson(document))
})
