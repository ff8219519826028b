import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  EvidenceError,
  verifyEvidence,
  type HistoryEvidence,
} from '@public-api/client-internal/history/history-evidence'
import {
  HISTORY_FAULTS,
  type HistoryFault,
  ROLLOUT_MS,
} from '@public-api/client-internal/history/history-proofs'
import { toPortable, type PortableResponse } from '@public-api/client-internal/portable-response'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { pathOf } from '@public-api/contract/http/request-target'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import * as fc from 'fast-check'
import { bytesOfBody } from '../../src/http/api-request.ts'
import { type PublishedHistory } from '../../src/service/releases/releases.ts'
import { UNVERIFIED_TIME } from '../../src/service/time/time-quality.ts'
import { createApp } from '../support/create-app.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { madeHistory } from '../support/made-releases.ts'
import { TEST_NOW_MS, TEST_SIGNING_KEY, testSigning } from '../support/running-app.ts'
import { createUnavailableWaitlist } from '../support/unavailable-service.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'
import { publishedKeyOf } from './requested-responses.ts'
import { key } from './scripted-client.ts'

const PINS = { pinnedKeyIds: [key.keyId] }
const KEYS = [publishedKeyOf(TEST_SIGNING_KEY)]
const MAX_VERSIONS = 5

const FAULTS = Object.keys(HISTORY_FAULTS) as readonly HistoryFault[]
const releasesByCount: readonly PublishedHistory[] = Array.from(
  { length: MAX_VERSIONS },
  (_, index) => madeHistory(index + 1),
)

/** One request to one node of the service. */
interface Request {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly node: number
  /** Milliseconds after the first version. */
  readonly atMs: number
}

/** When each node takes up each version after the first: at most the time of a rollout after the first node does. */
interface Schedule {
  readonly publishedMs: readonly number[]
  readonly lagsMs: readonly (readonly number[])[]
}

function versionsAt({ publishedMs, lagsMs }: Schedule, node: number, atMs: number): number {
  const taken = publishedMs.filter((ms, index) => ms + (lagsMs[node]?.[index] ?? 0) <= atMs)
  return 1 + taken.length
}

const clock = { ms: 0 }
const apps = releasesByCount.map((releases) =>
  createApp({
    runtime: 'local',
    deployment: 'primary',
    baseUrl: 'https://api.example.test',
    releases,
    signing: testSigning(),
    apiKeys: createFakeApiKeys(),
    timeQuality: UNVERIFIED_TIME,
    waitlist: createUnavailableWaitlist(),
    challenge: UNSOLVABLE_CHALLENGE,
    trustedProxies: [],
    clock: { nowMs: () => clock.ms },
    newRequestId: () => randomUUID(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }),
)

/** The response of an honest service, as evidence can contain it: whole, and with the fields of a 304. */
async function respond(schedule: Schedule, request: Request): Promise<PortableResponse> {
  const { method, target, headers, node, atMs } = request
  clock.ms = TEST_NOW_MS + atMs
  const app = apps[versionsAt(schedule, node, atMs) - 1]
  assert.ok(app)
  const reply = await app({
    method,
    target,
    path: pathOf(target),
    header: (name) => headers[name],
    peerAddress: () => '127.0.0.1',
    readBody: () => Promise.resolve(new Uint8Array()),
  })
  const fields: [string, string][] = []
  for (let index = 0; index < reply.headers.length; index += 2) {
    fields.push([reply.headers[index] ?? '', reply.headers[index + 1] ?? ''])
  }
  const body = bytesOfBody(reply.body ?? '')
  const { status } = reply
  const portable = toPortable({ method, target, status, headers: fields, body })
  return status === 304 ? { ...portable, headers: fields } : portable
}

/** Throws if the responses prove a fault to someone who pins the key of the service. */
async function requireNoProof(
  fault: HistoryFault,
  responses: readonly PortableResponse[],
  keyDocuments: readonly PortableResponse[] = [],
): Promise<void> {
  const evidence: HistoryEvidence = {
    format: 'svc-history-evidence-v1',
    fault,
    keys: KEYS,
    responses,
    keyDocuments,
  }
  const failure: unknown = await verifyEvidence(evidence, PINS).catch((error: unknown) => error)
  const isRefused = failure instanceof EvidenceError || failure instanceof VerificationError
  const targets = responses.map(({ method, target, status }) => `${method} ${target} ${status}`)
  assert.ok(isRefused, `${fault} of ${targets.join(', ')}: ${String(failure)}`)
}

const MINUTE_MS = 60_000
const ENTRY_IDS = ['VS-0001', 'VS-0002', 'VS-0005', 'VS-0009', 'vs-0001', 'VS-0001/']
const QUERIES = [
  '',
  '?',
  '?limit=1',
  '?%6cimit=1',
  '?fresh=abc&limit=1',
  '?limit=2&before=VS-0003',
  '?before=VS-0002',
  '?before=VS-0001',
  '?before=VS-0009',
  '?limit=1&limit=2',
  '?limit=0',
  '?limit=01',
  '?fresh=abc',
  '?LIMIT=1',
]

const target = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<string>(READ_PATHS.versions) },
      { weight: 6, arbitrary: fc.constant<string>(READ_PATHS.version) },
      { weight: 2, arbitrary: fc.constant<string>(READ_PATHS.status) },
      fc.constantFrom(...ENTRY_IDS.map((id) => `${READ_PATHS.versions}/${id}`)),
      fc.constantFrom<string>(...Object.values(READ_PATHS)),
      fc.constantFrom('/api/v1/nothing', '/api/v1/site/organization', '/api/v1/%73tatus'),
    ),
    fc.oneof({ weight: 2, arbitrary: fc.constant('') }, fc.constantFrom(...QUERIES)),
  )
  .map((parts) => parts.join(''))

const request: fc.Arbitrary<Request> = fc.record({
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant('GET') },
    fc.constantFrom('HEAD', 'POST', 'DELETE', 'OPTIONS'),
  ),
  target,
  headers: fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    {},
    { 'if-none-match': '*' },
    { 'x-svc-key': FAKE_KEYS.good },
    { authorization: 'Bearer svk_unknown' },
  ),
  node: fc.integer({ min: 0, max: 2 }),
  // Any moment of an hour and a half, and moments close together.
  atMs: fc.oneof(
    fc.integer({ min: 0, max: 90 * MINUTE_MS }),
    fc.integer({ min: 0, max: 18 }).map((step) => step * 5 * MINUTE_MS),
  ),
})

const schedule: fc.Arbitrary<Schedule> = fc.record({
  publishedMs: fc.array(fc.integer({ min: 1, max: 60 * MINUTE_MS }), {
    minLength: 2,
    maxLength: MAX_VERSIONS - 1,
  }),
  lagsMs: fc.array(
    fc.array(fc.constantFrom(0, 1000, ROLLOUT_MS), {
      minLength: MAX_VERSIONS - 1,
      maxLength: MAX_VERSIONS - 1,
    }),
    { minLength: 3, maxLength: 3 },
  ),
})

const composition = fc.record({
  fault: fc.constantFrom(...FAULTS),
  chosen: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  documents: fc.array(fc.nat(), { maxLength: 1 }),
  inOrder: fc.boolean(),
})

describe('the responses of an honest service prove nothing against it', () => {
  test('whatever was requested of which node, and however they are combined', async () => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(
        schedule,
        fc.array(request, { minLength: 8, maxLength: 24 }),
        fc.array(composition, { minLength: 40, maxLength: 80 }),
        async (plan, requests, compositions) => {
          const sent = requests.toSorted((one, other) => one.atMs - other.atMs)
          const pool: PortableResponse[] = []
          for (const each of sent) pool.push(await respond(plan, each))
          for (const { status } of pool) statuses.add(status)
          const pick = (places: readonly number[]) =>
            places.flatMap((place) => pool[place % pool.length] ?? [])
          for (const { fault, chosen, documents, inOrder } of compositions) {
            const places = chosen.map((place) => place % pool.length)
            const responses = pick(inOrder ? places.toSorted((a, b) => a - b) : places)
            await requireNoProof(fault, responses, pick(documents))
          }
        },
      ),
      // A failure need not be shrunk: its message names the responses.
      { numRuns: 40, endOnFailure: true },
    )
    for (const status of [200, 304, 401, 404, 405]) assert.ok(statuses.has(status), `${status}`)
  })

  test('one response to each target, alone and between two heads that are signed far apart', async () => {
    const plan: Schedule = { publishedMs: [1, 2, 3], lagsMs: [] }
    const at = (of: string, atMs: number) =>
      respond(plan, { method: 'GET', target: of, headers: {}, node: 0, atMs })
    const [before, after] = [
      await at(READ_PATHS.version, MINUTE_MS),
      await at(READ_PATHS.version, 60 * MINUTE_MS),
    ]
    const others = Object.values(READ_PATHS).map((path) => path.replace('{snapshotId}', 'VS-0002'))
    const targets = [
      ...QUERIES.map((query) => READ_PATHS.versions + query),
      ...others.flatMap((path) => [path, `${path}?limit=1`]),
    ]
    for (const each of new Set(targets)) {
      const response = await at(each, 30 * MINUTE_MS)
      await requireNoProof('BROKEN', [response])
      await requireNoProof('CHANGES_FALSE', [response])
      await requireNoProof('INCONSISTENT', [before, response, after])
      for (const fault of ['SHORTENED', 'REWRITTEN', 'BROKEN', 'CHANGES_FALSE'] as const) {
        await requireNoProof(fault, [before, response])
        await requireNoProof(fault, [response, after])
      }
    }
  })

  test('of two nodes, when a release reaches one of them 10 minutes after the other', async () => {
    const plan: Schedule = { publishedMs: [MINUTE_MS], lagsMs: [[0], [ROLLOUT_MS]] }
    const at = (node: number, of: string, atMs: number) =>
      respond(plan, { method: 'GET', target: of, headers: {}, node, atMs })
    const before = await at(0, READ_PATHS.version, MINUTE_MS)
    const lateMs = MINUTE_MS + ROLLOUT_MS - 1
    const after = await at(0, READ_PATHS.version, 60 * MINUTE_MS)
    for (const each of [READ_PATHS.version, READ_PATHS.versions, READ_PATHS.status]) {
      const late = await at(1, each, lateMs)
      await requireNoProof('SHORTENED', [before, late])
      await requireNoProof('INCONSISTENT', [before, late, after])
    }
    // A node that is ahead: the others still serve the first version.
    const behind = [await at(1, READ_PATHS.version, 0), await at(1, READ_PATHS.version, lateMs)]
    const [first, last] = behind
    assert.ok(first && last)
    await requireNoProof('INCONSISTENT', [first, await at(0, READ_PATHS.status, lateMs - 1), last])
  })
})
