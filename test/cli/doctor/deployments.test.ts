import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FindingId } from '@public-api/cli/src/doctor/finding-catalog.ts'
import { runDoctor } from '@public-api/cli/src/doctor/run-doctor.ts'
import {
  createHttpClient,
  UnreachableError,
  type RequestSpec,
} from '@public-api/cli/src/verifying/requests.ts'
import { createDiscoveryIndex } from '@public-api/contract/documents/discovery'
import { createPolicy } from '@public-api/contract/documents/policy'
import { ISSUANCE } from '@public-api/contract/keys/issuance'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import type { AppDependencies } from '../../../src/app.ts'
import { derivePublicSigningKey } from '../../../src/crypto/signing-keys.ts'
import { createPayload } from '../../../src/service/releases/payload.ts'
import { loadReleases } from '../../../src/service/releases/releases.ts'
import { describeSigningKeys } from '../../../src/service/signing-keys/signing-key-document.ts'
import type { TimeQuality } from '../../../src/service/time/time-quality.ts'
import { key } from '../../client/scripted-client.ts'
import { serve } from '../../support/loopback-server.ts'
import { releasesOf } from '../../support/made-content.ts'
import { makeReleases, madeHistory } from '../../support/made-releases.ts'
import { failedWith, svc } from '../../support/run-svc.ts'
import { runApp, TEST_NOW_MS, testSigning } from '../../support/running-app.ts'
import { OTHER_TEST_SIGNING_KEY } from '../../vectors/signing-key.ts'
import {
  deployBehindProxy,
  examine,
  idsOf,
  type Mischief,
  type Passing,
  SYNCHRONIZED,
} from './proxied-deployment.ts'

const DAY_MS = 86_400_000

/** A cache that holds whatever it got before `isOn` is set, and gives it from then on. */
function olderResponses(): { readonly mischief: Mischief; isOn: boolean } {
  const stored = new Map<string, Passing>()
  const cache = {
    isOn: false,
    mischief: (passing: Passing) => {
      const { method, target, asked, status } = passing
      if (method !== 'GET' || status !== 200 || asked['if-none-match'] !== undefined) return
      if (asked['accept-signature'] !== undefined) return
      if (!passing.headers.get('cache-control')?.includes('max-age=60')) return
      const known = stored.get(target)
      if (!cache.isOn) stored.set(target, { ...passing, headers: new Map(passing.headers) })
      else if (known !== undefined) {
        const date = passing.headers.get('date') ?? ''
        Object.assign(passing, { ...known, asked, headers: new Map(known.headers) })
        passing.headers.set('date', date)
      }
    },
  }
  return cache
}

for (const [seconds, expected] of [
  [300, []],
  [420, ['cached-too-long']],
  [1000, ['response-too-old']],
] as const) {
  test(`responses that are ${seconds} s old: ${expected.join() || 'no finding'}`, async (t) => {
    const cache = olderResponses()
    const deployed = await deployBehindProxy(t, cache.mischief)
    assert.deepEqual(idsOf(await examine(t, deployed)), [])
    cache.isOn = true
    deployed.app.clock.ms += seconds * 1000
    assert.deepEqual(idsOf(await examine(t, deployed)), expected)
  })
}

test('a machine whose clock is ahead has its own finding', async (t) => {
  const { status: path } = READ_PATHS
  const ahead = await runApp(t, { clock: { nowMs: () => TEST_NOW_MS + 300_000 } })
  const response = await ahead.fetch(path)
  const body = Buffer.from(await response.arrayBuffer())
  const deployed = await deployBehindProxy(t, (passing) => {
    if (passing.method !== 'GET' || passing.target !== path || passing.status !== 200) return
    passing.headers = new Map([...response.headers, ['date', new Date(TEST_NOW_MS).toUTCString()]])
    for (const name of ['connection', 'keep-alive']) passing.headers.delete(name)
    passing.body = body
  })
  const diagnosis = await examine(t, deployed)
  assert.deepEqual(idsOf(diagnosis), ['signed-in-future'])
  const [signed] = diagnosis.checks.flatMap(({ findings }) => findings)
  assert.match(signed?.advice ?? '', /clocks .* NTP/)
})

test('an unsigned 5xx of a proxy is inconclusive', async (t) => {
  const origin = await serve(t, (_request, response) => {
    response.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>Unavailable</h1>')
  })
  assert.match(failedWith(3, await svc('doctor', origin)), /status 503 without a signature/)
})

test('a deployment that does not sign', async (t) => {
  const deployed = await deployBehindProxy(t, undefined, { signing: undefined })
  const diagnosis = await examine(t, deployed)
  assert.deepEqual(idsOf(diagnosis), ['signing-off'])
  assert.deepEqual(
    diagnosis.checks.flatMap(({ check, notRun }) => (notRun === undefined ? [] : [check])),
    ['keys', 'message signatures'],
  )
})

test('responses of a machine with another key', async (t) => {
  const other = await deployBehindProxy(t, undefined, {
    signing: testSigning(OTHER_TEST_SIGNING_KEY),
  })
  const document = await other.app.fetch(ENDPOINTS.signingKey.path)
  const [text, headers] = [await document.text(), new Map(document.headers)]
  const deployed = await deployBehindProxy(t, (passing) => {
    if (passing.path !== ENDPOINTS.signingKey.path || passing.status !== 200) return
    passing.body = Buffer.from(text)
    passing.headers = new Map([...headers, ['date', passing.headers.get('date') ?? '']])
    passing.headers.delete('connection')
    passing.headers.delete('keep-alive')
  })
  const { keyId } = derivePublicSigningKey(OTHER_TEST_SIGNING_KEY)
  assert.deepEqual(idsOf(await examine(t, deployed, { pinnedKeyIds: [keyId] })), ['key-mismatch'])
})

test('checks the current and the next key of the key document', async (t) => {
  const { signer, keys } = testSigning()
  const next = {
    ...derivePublicSigningKey(OTHER_TEST_SIGNING_KEY),
    status: 'next' as const,
    notBefore: null,
    notAfter: null,
  }
  const until = (ms: number) =>
    keys.map((each) => ({ ...each, notAfter: new Date(TEST_NOW_MS + ms).toISOString() }))
  const both = [key.keyId, next.keyId]
  for (const [published, pinnedKeyIds, expected] of [
    [[...keys, next], both, []],
    [[...keys, next], [key.keyId], ['next-not-pinned']],
    [until(10 * DAY_MS), both, ['key-ends-soon']],
    [until(40 * DAY_MS), both, []],
    [until(-DAY_MS), both, ['key-period']],
    // The wrong one is said to be current.
    [
      [
        { ...keys[0], status: 'retired' as const },
        { ...next, status: 'current' as const },
      ],
      both,
      ['key-not-current', 'message-signature-wrong'],
    ],
  ] as const) {
    const signing = { signer, keys: published } as ReturnType<typeof testSigning>
    const deployed = await deployBehindProxy(t, undefined, { signing })
    assert.deepEqual(idsOf(await examine(t, deployed, { pinnedKeyIds })), expected)
  }
})

test('a version of a publisher whose clock is ahead of the service', async (t) => {
  const createdAt = new Date(TEST_NOW_MS + 3_600_000).toISOString()
  const deployed = await deployBehindProxy(t, undefined, {
    releases: releasesOf({}, { createdAt }),
  })
  assert.deepEqual(idsOf(await examine(t, deployed)), ['future-version'])
})

test('a document that the service signs with one mistake in it', async (t) => {
  const { keys } = testSigning()
  const [first] = keys
  assert.ok(first)
  const tables = {
    registry: ENDPOINTS,
    runtime: 'production',
    registryVersion: REGISTRY_VERSION,
    issuance: ISSUANCE,
  } as const
  const plain = await deployBehindProxy(t)
  const openapi = (await (await plain.app.fetch(ENDPOINTS.openapi.path)).json()) as {
    readonly servers: object
    readonly paths: object
  }
  const { [ENDPOINTS.roadmap.path]: _left, ...paths } = openapi.paths as { [path: string]: object }
  // The largest multiple of the field's prime: an encoding that no key has.
  const x = Buffer.from(`edffff${'ff'.repeat(28)}7f`, 'hex').toString('base64url')
  const unusable = { ...first, jwk: { ...first.jwk, x } }
  const elsewhere = [{ url: 'https://example.org' }]
  const policy = createPolicy(tables)
  const summary = { ...policy.summary, endpoints: policy.summary.endpoints + 1 }
  let origin = ''
  const documents: readonly (readonly [
    expected: readonly [FindingId],
    handlers: AppDependencies['extraHandlers'],
  ])[] = [
    [
      ['key-document-unusable'],
      { signingKey: () => createPayload(describeSigningKeys([unusable])) },
    ],
    [
      ['key-id-wrong'],
      {
        signingKey: () => createPayload(describeSigningKeys([{ ...first, keyId: 'A'.repeat(43) }])),
      },
    ],
    [
      ['time-wrong'],
      {
        time: () =>
          createPayload({
            utc: new Date(TEST_NOW_MS - 10_000).toISOString(),
            epochMs: TEST_NOW_MS - 10_000,
            label: 'SERVER_UTC',
            quality: SYNCHRONIZED,
          }),
      },
    ],
    [
      ['registry-version'],
      {
        index: () => createPayload(createDiscoveryIndex({ ...tables, registryVersion: '0.9.0' })),
      },
    ],
    [['policy-differs'], { policy: () => createPayload({ ...policy, summary }) }],
    [
      ['openapi-differs'],
      {
        openapi: () => createPayload({ ...openapi, paths, servers: [{ url: origin }] }),
      },
    ],
    [['server-address'], { openapi: () => createPayload({ ...openapi, servers: elsewhere }) }],
  ]
  for (const [expected, extraHandlers] of documents) {
    const deployed = await deployBehindProxy(t, undefined, { extraHandlers: extraHandlers ?? {} })
    origin = deployed.origin
    assert.deepEqual(idsOf(await examine(t, deployed)), expected)
  }
})

test('the quality of the time', async (t) => {
  for (const [state, expected] of [
    ['UNVERIFIED', ['time-unverified']],
    ['UNSYNCHRONIZED', ['time-unsynchronized']],
  ] as const) {
    const quality: TimeQuality = {
      state,
      source: null,
      offsetMs: null,
      maxErrorMs: null,
      checkedAt: null,
    }
    const timeQuality = { quality: () => quality, close() {} }
    const deployed = await deployBehindProxy(t, undefined, { timeQuality })
    assert.deepEqual(idsOf(await examine(t, deployed)), expected)
  }
})

test('reports a damaged resource and one of the wrong shape', async (t) => {
  const made = makeReleases(2)
  for (const place of made.resources.keys()) {
    if (place.startsWith('roadmap ')) made.resources.set(place, '{}')
  }
  const damaged = await deployBehindProxy(t, undefined, { releases: loadReleases(made.store) })
  assert.deepEqual(idsOf(await examine(t, damaged)), ['snapshot-unavailable'])

  const releases = madeHistory(2)
  const odd = await deployBehindProxy(t, undefined, {
    releases: {
      ...releases,
      payload: (name) =>
        name === 'roadmap' ? createPayload({ odd: true }) : releases.payload(name),
    },
  })
  assert.deepEqual(idsOf(await examine(t, odd)), ['wrong-shape'])
})

test('a deployment of another registry', async (t) => {
  const { changelog, ...rest } = ENDPOINTS
  const registry = { ...rest, changelog: { ...changelog, summary: 'Another summary' } }
  const changed = await deployBehindProxy(t, undefined, { registry })
  assert.deepEqual(idsOf(await examine(t, changed)), ['index-differs'])

  const older = await deployBehindProxy(
    t,
    (passing) => {
      if (passing.path !== ENDPOINTS.index.path) return
      passing.body = Buffer.from(passing.body.toString().replace(REGISTRY_VERSION, '0.9.0'))
    },
    { signing: undefined },
  )
  assert.deepEqual(idsOf(await examine(t, older)), ['signing-off', 'registry-version'])
})

test('a deprecated endpoint, its missing headers and its passed sunset date', async (t) => {
  const deprecated = (deprecatedAt: string, sunsetAt: string) => ({
    registry: {
      ...ENDPOINTS,
      roadmap: {
        ...ENDPOINTS.roadmap,
        status: 'deprecated',
        deprecation: { deprecatedAt, sunsetAt, successor: '/api/v1/development-queue' },
      },
    } as const,
  })
  // The program that examines knows no deprecation, so the documents differ from its own tables.
  const documents = ['index-differs', 'policy-differs']
  const day = (days: number) => new Date(TEST_NOW_MS + days * DAY_MS).toISOString()
  const announced = deprecated(day(-10), day(90))
  const dropHeaders = (passing: Passing) => {
    for (const name of ['deprecation', 'sunset', 'link']) {
      if (passing.path === ENDPOINTS.roadmap.path) passing.headers.delete(name)
    }
  }
  for (const [parts, mischief, expected] of [
    [announced, undefined, ['endpoint-deprecated']],
    [announced, dropHeaders, ['deprecation-missing', 'endpoint-deprecated']],
    [deprecated(day(-100), day(-1)), undefined, ['sunset-passed']],
  ] as const) {
    const deployed = await deployBehindProxy(t, mischief, parts)
    assert.deepEqual(
      idsOf(await examine(t, deployed)).toSorted(),
      [...documents, ...expected].toSorted(),
    )
  }
})

test('documents of two deployments, and of another address', async (t) => {
  const withDraft = await deployBehindProxy(t, undefined, {
    registry: { ...ENDPOINTS, draft: { ...ENDPOINTS.time, path: '/api/v1/draft' } },
    extraHandlers: { draft: () => createPayload({}) },
  })
  const stale = await (await withDraft.app.fetch(ENDPOINTS.openapi.path)).text()
  const mixed = await deployBehindProxy(
    t,
    (passing) => {
      if (passing.path !== ENDPOINTS.openapi.path || passing.status !== 200) return
      passing.body = Buffer.from(stale.replaceAll(withDraft.origin, mixed.origin))
    },
    { signing: undefined },
  )
  assert.deepEqual(idsOf(await examine(t, mixed)), ['signing-off', 'openapi-differs'])

  const elsewhere = await deployBehindProxy(t, undefined, { baseUrl: 'https://example.org' })
  const expected = ['message-signature-wrong', 'server-address']
  assert.deepEqual(idsOf(await examine(t, elsewhere)), expected)
})

test('an ordinary web site, and one that leads elsewhere, are not this service', async (t) => {
  for (const [status, headers, found] of [
    [200, { 'Content-Type': 'text/html' }, 'status 200, text/html'],
    [404, {}, 'status 404, no type'],
    [301, { Location: 'https://example.org/' }, /^status 301 that leads to https:\/\/example\.org/],
  ] as const) {
    let asked = 0
    const origin = await serve(t, (_request, response) => {
      asked += 1
      response.writeHead(status, headers)
      response.end('<h1>Welcome</h1>')
    })
    const httpClient = createHttpClient(origin, 5000, () => TEST_NOW_MS)
    t.after(() => httpClient.close())
    const { checks } = await runDoctor({
      origin,
      ask: httpClient.ask,
      nowMs: () => TEST_NOW_MS,
      pinnedKeyIds: undefined,
      deployment: undefined,
    })
    const findings = checks.flatMap((each) => each.findings)
    assert.deepEqual(
      findings.map(({ id }) => id),
      ['not-this-service'],
    )
    const [finding] = findings
    if (typeof found === 'string') assert.equal(finding?.found, found)
    else assert.match(finding?.found ?? '', found)
    // Nothing more is asked of a stranger.
    assert.equal(asked, 1)
  }
})

/** Examines a deployment that is said to be somewhere else than on the loopback. */
async function examineAs(
  t: Parameters<typeof deployBehindProxy>[0],
  origin: string,
  plain: (spec: RequestSpec) => { readonly status: number; readonly location?: string } | undefined,
): Promise<readonly FindingId[]> {
  const deployed = await deployBehindProxy(t, undefined, { baseUrl: origin })
  const nowMs = (): number => deployed.app.clock.ms
  const httpClient = createHttpClient(deployed.origin, 5000, nowMs)
  t.after(() => httpClient.close())
  const diagnosis = await runDoctor({
    origin,
    nowMs,
    pinnedKeyIds: [key.keyId],
    deployment: undefined,
    async ask(spec) {
      if (spec.origin === undefined) return httpClient.ask(spec)
      const response = plain(spec)
      if (response === undefined) throw new UnreachableError('unreachable')
      const { status, location } = response
      const received = await httpClient.ask({ ...spec, origin: deployed.origin })
      return {
        ...received,
        status,
        field: (name) => (name === 'Location' ? location : received.field(name)),
      }
    },
  })
  return idsOf(diagnosis) as readonly FindingId[]
}

test('reports plain HTTP, unless it redirects to HTTPS or is unreachable', async (t) => {
  assert.deepEqual(await examineAs(t, 'http://example.org', () => undefined), ['plain-http'])
  const https = 'https://example.org'
  for (const [response, expected] of [
    [undefined, []],
    [{ status: 308, location: `${https}/api/v1` }, []],
    [{ status: 403 }, []],
    [{ status: 302, location: 'http://elsewhere.example/' }, ['http-not-redirected']],
    [{ status: 200 }, ['http-not-redirected']],
  ] as const) {
    const found = await examineAs(t, https, ({ origin }) => {
      assert.equal(origin, 'http://example.org')
      return response
    })
    assert.deepEqual(found, expected)
  }
})

test('reports a request without a response and checks the rest', async (t) => {
  const deployed = await deployBehindProxy(t)
  const nowMs = (): number => deployed.app.clock.ms
  const { origin } = deployed
  const httpClient = createHttpClient(origin, 5000, nowMs)
  t.after(() => httpClient.close())
  const { checks } = await runDoctor({
    origin,
    nowMs,
    pinnedKeyIds: [key.keyId],
    deployment: undefined,
    ask: (spec) =>
      spec.method === 'HEAD' || spec.target === ENDPOINTS.roadmap.path
        ? Promise.reject(new UnreachableError('it broke off'))
        : httpClient.ask(spec),
  })
  assert.deepEqual(
    checks.flatMap(({ check, findings }) => findings.map(({ id }) => `${check} ${id}`)),
    ['reach no-response', 'head no-response', 'message signatures no-response'],
  )
  assert.deepEqual(
    checks.filter(({ notRun }) => notRun !== undefined).map(({ check }) => check),
    ['head', 'message signatures'],
  )
})
