import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenApiDocument } from '@public-api/contract/documents/openapi'
import type { JsonObject, JsonValue } from '@public-api/contract/json/canonical-json'
import { ENDPOINTS, type Endpoint } from '@public-api/contract/registry/endpoints'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { objectAt } from '../documents/document-places.ts'
import { documentSchemaChecks } from '../documents/document-schemas.ts'
import { makeReleases, madeHistory } from '../support/made-releases.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'

const ROWS: readonly (readonly [string, Endpoint])[] = Object.entries(ENDPOINTS)

/** The reads whose examples must be real. The time changes with each request; a key has its own data. */
const REAL = ROWS.filter(
  ([name, { method, success }]) =>
    method === 'GET' && success?.envelope === 'response' && name !== 'time' && name !== 'keySelf',
)

async function readDocument(app: RunningApp): Promise<OpenApiDocument> {
  return (await (await app.fetch('/api/v1/openapi.json')).json()) as OpenApiDocument
}

function mediaPlace({ path: template, method }: Endpoint, status: number): readonly string[] {
  const operation = ['paths', template, method.toLowerCase()]
  return [...operation, 'responses', String(status), 'content', 'application/json']
}

/** The example of the success of a read that the release determines. */
function exampleIn(document: OpenApiDocument, row: Endpoint): JsonObject {
  return objectAt(document, ...mediaPlace(row, 200), 'examples', 'current')
}

/** Whether a value is another one with nothing but the ends of long lists left out. */
function isShortened(found: JsonValue | undefined, whole: JsonValue | undefined): boolean {
  if (Array.isArray(whole)) {
    return (
      Array.isArray(found) &&
      found.length >= Math.min(whole.length, 2) &&
      found.every((item, index) => isShortened(item, whole[index]))
    )
  }
  if (typeof whole !== 'object' || whole === null) return found === whole
  const names = Object.keys(whole)
  return (
    Object.keys(objectAt(found)).join() === names.join() &&
    names.every((name) => isShortened((found as JsonObject)[name], (whole as JsonObject)[name]))
  )
}

async function assertReal(app: RunningApp, document: OpenApiDocument): Promise<void> {
  const head = (await (await app.fetch('/api/v1/version')).json()) as {
    readonly data: { readonly snapshotId: string; readonly createdAt: string }
  }
  const checks = documentSchemaChecks(document)
  for (const [name, row] of REAL) {
    const target = row.path.replace(/\{.*\}$/, row.parameter?.example ?? '')
    const response = (await (await app.fetch(target)).json()) as JsonObject
    // Without a signing key there is no key document.
    if (response['ok'] !== true) continue
    const { summary, value } = exampleIn(document, row)
    const { data, issuedAt } = objectAt(value)
    assert.ok(name === 'earlyAccess' || isShortened(data, response['data']), name)
    assert.deepEqual(checks(...mediaPlace(row, 200), 'schema')(value), [], name)
    assert.match(JSON.stringify(summary), /Long lists show their first items/)
    if (!isSnapshotName(row.success?.data ?? '')) continue
    assert.equal(issuedAt, head.data.createdAt)
    assert.ok(JSON.stringify(summary).includes(head.data.snapshotId))
  }
}

for (const [name, parts] of SITE_VARIANTS) {
  test(`examples are the data of the served release: ${name}`, async (t) => {
    const app = await runApp(t, parts)
    const document = await readDocument(app)
    await assertReal(app, document)
    assert.ok(JSON.stringify(document).length < 300_000)
  })
}

test('the example of the availability shows an open waitlist with this deployment’s challenge', async (t) => {
  const document = await readDocument(await runApp(t))
  const data = objectAt(exampleIn(document, ENDPOINTS.earlyAccess), 'value', 'data')
  assert.equal(data['state'], 'open')
})

test('another release has different examples and another ETag', async (t) => {
  const documents = []
  const tags = new Set<string | null>()
  for (const count of [2, 3]) {
    const app = await runApp(t, { releases: madeHistory(count) })
    tags.add((await app.fetch('/api/v1/openapi.json')).headers.get('etag'))
    documents.push(await readDocument(app))
  }
  assert.equal(tags.size, 2)
  assert.deepEqual(
    documents.map((each) => objectAt(exampleIn(each, ENDPOINTS.status), 'value', 'data')['made']),
    [2, 3],
  )
})

test('a history of any length adds two entries to the document', async (t) => {
  const sizes = []
  for (const count of [2, 300]) {
    const app = await runApp(t, { releases: madeHistory(count) })
    sizes.push((await (await app.fetch('/api/v1/openapi.json')).text()).length)
  }
  assert.ok(Math.abs((sizes[1] ?? 0) - (sizes[0] ?? 0)) < 1000, sizes.join())
})

test('a damaged snapshot has the example of its schema', async (t) => {
  const { store, resources } = makeReleases()
  for (const key of resources.keys()) if (key.startsWith('roadmap ')) resources.delete(key)
  const app = await runApp(t, { releases: loadReleases(store) })
  assert.equal((await app.fetch('/api/v1/roadmap')).status, 503)
  const document = await readDocument(app)
  const place = mediaPlace(ENDPOINTS.roadmap, 200)
  const { example } = objectAt(document, ...place)
  assert.deepEqual(documentSchemaChecks(document)(...place, 'schema')(example), [])
})

test('without a signing key the example of the key document is the one of the schema', async (t) => {
  const document = await readDocument(await runApp(t, { signing: undefined }))
  assert.ok('example' in objectAt(document, ...mediaPlace(ENDPOINTS.signingKey, 200)))
})
