import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import * as fc from 'fast-check'
import type { Handler } from '../../src/http/exchange.ts'
import { createRouter } from '../../src/http/router.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'

const unreached: Handler = () => {
  throw new Error('The router calls no handler')
}

function handlersOf(registry: Registry): { readonly [name: string]: Handler } {
  return Object.fromEntries(Object.keys(registry).map((name) => [name, unreached]))
}

const route = createRouter(ENDPOINTS, handlersOf(ENDPOINTS))

test('each path without a parameter finds exactly its rows', () => {
  for (const [name, row] of Object.entries(ENDPOINTS)) {
    if ('parameter' in row) continue
    const found = route(row.path)
    assert.equal(found?.parameter, '')
    assert.equal(found.route.endpoints.get(row.method)?.name, name)
    assert.equal(route(`${row.path}/`), undefined, row.path)
    assert.equal(route(row.path.toUpperCase()), undefined, row.path)
  }
})

test('rows of one path are one route; read methods come first in Allow', () => {
  const self = route('/api/v1/keys/self')
  assert.deepEqual([...(self?.route.endpoints.keys() ?? [])], ['GET', 'DELETE', 'HEAD'])
  assert.equal(self?.route.allow, 'GET, HEAD, DELETE, OPTIONS')
  assert.equal(self.route.endpoints.get('HEAD'), self.route.endpoints.get('GET'))
  const write = route('/api/v1/keys')
  assert.deepEqual([write?.route.allow, write?.route.isRead], ['POST', false])
})

test('a parameter takes the unchanged rest of the path, and may be empty only where allowed', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT, minLength: 1 }), (rest) => {
      assert.equal(route(`/api/v1/versions/${rest}`)?.parameter, rest)
      assert.equal(route(`/api/v1/preview/${rest}`)?.parameter, rest)
    }),
  )
  assert.equal(route('/api/v1/versions/'), undefined)
  assert.equal(route('/api/v1/preview')?.parameter, '')
  assert.equal(route('/api/v1/preview/')?.parameter, '')
  assert.equal(route('/api/v1/previews'), undefined)
})

test('finds no other path, also none named like an inherited property', () => {
  const known = new Set<string>(Object.values(ENDPOINTS).map(({ path }) => path))
  fc.assert(
    fc.property(fc.string(), (text) => {
      const path = `/api/v1/${text}`
      fc.pre(!known.has(path) && !/^(?:versions\/|preview(?:\/|$))/.test(text))
      assert.equal(route(path), undefined)
    }),
  )
  for (const path of ['', '/', '__proto__', 'constructor', 'toString']) {
    assert.equal(route(path), undefined)
  }
})

test('refuses a row without a handler at creation', () => {
  const { roadmap: _, ...handlers } = handlersOf(ENDPOINTS)
  assert.throws(() => createRouter(ENDPOINTS, handlers), /endpoint roadmap has no handler/)
})
