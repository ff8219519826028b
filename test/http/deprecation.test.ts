import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import { ask, assertSigned, envelopeOf, publishedKey } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

const notice = (successor: string) => ({
  status: 'deprecated' as const,
  deprecation: {
    deprecatedAt: '2026-11-01T12:00:00Z',
    sunsetAt: '2027-03-01T00:00:00.900Z',
    successor,
  },
})

const REGISTRY: Registry = {
  ...ENDPOINTS,
  index: { ...ENDPOINTS.index, ...notice('/api/v2') },
  roadmap: { ...ENDPOINTS.roadmap, ...notice('/api/v1/development-queue') },
}

test('a deprecated endpoint still responds and announces its dates and successor', async (t) => {
  const app = await runApp(t, { registry: REGISTRY })
  for (const method of ['GET', 'HEAD']) {
    const response = await ask(app, '/api/v1/roadmap', { method })
    assert.equal(response.status, 200)
    const deprecation = response.header('deprecation') ?? ''
    assert.equal(deprecation, `@${Date.UTC(2026, 10, 1, 12) / 1000}`)
    const sunset = response.header('sunset') ?? ''
    assert.equal(sunset, 'Mon, 01 Mar 2027 00:00:00 GMT')
    assert.ok(Date.parse(sunset) / 1000 >= Number(deprecation.slice(1)))
    assert.equal(response.header('link'), '</api/v1/development-queue>; rel="successor-version"')
  }
  assertSigned(await ask(app, '/api/v1/roadmap'), await publishedKey(app))
})

test('the successor is added to the other links', async (t) => {
  const app = await runApp(t, { registry: REGISTRY })
  const links = ((await ask(app, '/api/v1')).header('link') ?? '').split(', ')
  assert.deepEqual(
    links.map((link) => /rel="([^"]+)"/.exec(link)?.[1]),
    ['service-desc', 'service-doc', 'service-meta', 'status', 'successor-version'],
  )
  assert.equal(links.at(-1), '</api/v2>; rel="successor-version"')
})

test('a 304 and other endpoints carry no deprecation headers', async (t) => {
  const app = await runApp(t, { registry: REGISTRY })
  const revalidated = await ask(app, '/api/v1/roadmap', { headers: { 'If-None-Match': '*' } })
  assert.equal(revalidated.status, 304)
  for (const response of [revalidated, await ask(app, '/api/v1/status')]) {
    for (const name of ['deprecation', 'sunset', 'link']) {
      assert.equal(response.header(name), undefined, name)
    }
  }
})

test('the index and the policy contain the deprecation', async (t) => {
  const app = await runApp(t, { registry: REGISTRY })
  const index = envelopeOf(await ask(app, '/api/v1')).data['endpoints'] as readonly {
    readonly name: string
  }[]
  const { deprecation } = notice('/api/v1/development-queue')
  const { summary: _, ...row } = index.find(({ name }) => name === 'roadmap') as {
    readonly name: string
    readonly summary: string
  }
  assert.deepEqual(row, {
    name: 'roadmap',
    method: 'GET',
    path: '/api/v1/roadmap',
    stability: 'stable',
    status: 'deprecated',
    runtime: 'all',
    cacheClass: 'static-snapshot',
    authentication: 'none',
    ...deprecation,
  })
  const policy = envelopeOf(await ask(app, '/api/v1/policy')).data['deprecation'] as {
    readonly endpoints: readonly object[]
  }
  assert.equal(policy.endpoints.length, 2)
})

test('the app refuses to start with a notice that is too short', async (t) => {
  const registry: Registry = {
    ...ENDPOINTS,
    roadmap: {
      ...ENDPOINTS.roadmap,
      status: 'deprecated',
      deprecation: {
        deprecatedAt: '2026-11-01T00:00:00Z',
        sunsetAt: '2026-12-01T00:00:00Z',
        successor: '/api/v2/roadmap',
      },
    },
  }
  await assert.rejects(runApp(t, { registry }), /roadmap: the sunset .* is too early/)
})
