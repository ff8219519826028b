import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExample, shortenLists } from '@public-api/contract/documents/examples'
import type { OpenApiDocument } from '@public-api/contract/documents/openapi'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { ENDPOINTS, type Endpoint } from '@public-api/contract/registry/endpoints'
import { DATA_SCHEMAS } from '@public-api/contract/registry/schemas'
import { objectAt } from '../documents/document-places.ts'
import { madeHistory } from '../support/made-releases.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { runApp } from '../support/running-app.ts'

function exampleData(document: OpenApiDocument, row: Endpoint, member: readonly string[]) {
  const operation = ['paths', row.path, row.method.toLowerCase(), 'responses', '200']
  return objectAt(document, ...operation, 'content', 'application/json', ...member)['data']
}

test('the document is the same for every release, with or without a signing key', async (t) => {
  const documents = new Set<string>()
  const variants = [{}, { signing: undefined }, { releases: publishedReleases() }]
  for (const parts of [...variants, { releases: madeHistory(300) }]) {
    const app = await runApp(t, parts)
    documents.add(await (await app.fetch('/api/v1/openapi.json')).text())
  }
  assert.equal(documents.size, 1)
  const [text = ''] = documents
  assert.ok(text.length < 300_000, `${text.length}`)
  const document = JSON.parse(text) as OpenApiDocument
  const status = exampleData(document, ENDPOINTS.status, ['example'])
  assert.deepEqual(status, createExample(DATA_SCHEMAS.status))
})

test('the examples of index and policy are the documents of this deployment', async (t) => {
  const app = await runApp(t)
  const document = (await (await app.fetch('/api/v1/openapi.json')).json()) as OpenApiDocument
  for (const row of [ENDPOINTS.index, ENDPOINTS.policy]) {
    const { data } = (await (await app.fetch(row.path)).json()) as { readonly data: JsonValue }
    const found = exampleData(document, row, ['examples', 'current', 'value'])
    assert.deepEqual(found, shortenLists(data), row.path)
  }
})
