import { sign, type KeyObject } from 'node:crypto'
import {
  changesBetween,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonObject } from '@public-api/contract/json/canonical-json'
import { versionHash } from '../../src/crypto/published-history.ts'
import { sha256Base64, sha256Base64url } from '../../src/crypto/sha256.ts'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import type { VectorResponse } from '../support/vector.ts'
import { REQUEST_ID } from './recorded-responses.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from './signing-key.ts'

/** What a read with copies returns. */
export interface FallbackResult {
  readonly source: 'origin' | 'mirror' | 'store'
  /** The key that signed last. */
  readonly keyId: string
  /** When the data was last signed as current: ISO 8601 UTC. */
  readonly provedAt: string
  /** Whole seconds from then to `now`. */
  readonly ageSeconds: number
  readonly data: unknown
  /** The beginning of each warning, in order. */
  readonly warnings: readonly string[]
}

/** One read of a case of the folder `fallback`. */
export interface FallbackStep {
  /** The client's clock: ISO 8601 UTC. */
  readonly now: string
  /** The target. */
  readonly read: string
  /** Whether a fresh response is asked for. */
  readonly isFresh?: true
  /** Whether a new client with the same store reads. */
  readonly isRestarted?: true
  /** By URL: the name of a response, `refused` or `timeout`; in a list, one after the other. Other URLs are refused. */
  readonly network: Readonly<Record<string, string | readonly string[]>>
  /** URLs without the origin's key document and without repetitions, in order; a random value is `*`. */
  readonly requests: readonly string[]
  readonly expected: FallbackResult | { readonly error: string }
}

/** One case of the folder `fallback`, as its JSON file has it. */
export interface FallbackVector {
  readonly description: string
  readonly origin: string
  /** Empty: no pins. */
  readonly pinnedKeyIds: readonly string[]
  readonly mirrors: readonly string[]
  /** Null: any age. */
  readonly maxMirrorAgeSeconds: number | null
  readonly maxRetries: number
  readonly hasStore: boolean
  /** By name. */
  readonly responses: Readonly<Record<string, VectorResponse>>
  readonly steps: readonly FallbackStep[]
}

const ORIGIN = 'https://api.example.org'
const COPY = 'https://copy.example.net/'
/** A copy below a path. */
const OTHER_COPY = 'https://pages.example.com/status/'
const STATUS = '/api/v1/status'
const VERSION = '/api/v1/version'
const KEYS = '/api/v1/keys/signing-key'
const COPIED_MS = Date.UTC(2026, 10, 21, 9)
const HOUR = 3600

const at = (seconds: number) => new Date(COPIED_MS + seconds * 1000).toISOString()

/** A response of a service, signed the given number of seconds after the copy was made. */
export function signed(
  target: string,
  data: JsonObject,
  seconds: number,
  { key = TEST_SIGNING_KEY, status = 200, error }: SignedOptions = {},
): VectorResponse {
  const schema = `svc.public.api.${error === undefined ? 'response' : 'error'}.v1`
  const content = error === undefined ? { data } : { error }
  const ok = error === undefined
  const envelope = { ok, schema, requestId: REQUEST_ID, issuedAt: at(seconds), ...content }
  const body = JSON.stringify(envelope)
  const digest = `sha-256=:${sha256Base64(body)}:`
  const text = ['svc-response-v1', 'GET', target, status, at(seconds), digest].join('\n')
  return {
    status,
    headers: [
      ['Content-Digest', digest],
      ['X-SVC-Signed-At', at(seconds)],
      ['X-SVC-Signature', sign(null, Buffer.from(text), key).toString('base64')],
    ],
    bodyBase64: Buffer.from(body).toString('base64'),
  }
}

interface SignedOptions {
  readonly key?: KeyObject
  readonly status?: number
  readonly error?: JsonObject
}

/** The 304 with which the service renews data. */
function renewed(
  target: string,
  data: JsonObject,
  seconds: number,
  key = TEST_SIGNING_KEY,
): VectorResponse {
  const etag = etagOf(data)
  const text = ['svc-revalidation-v1', 'GET', target, '304', at(seconds), etag].join('\n')
  const signature = sign(null, Buffer.from(text), key).toString('base64')
  const headers = [
    ['ETag', etag],
    ['X-SVC-Revalidated', `${at(seconds)}; ${signature}`],
  ] as const
  return { status: 304, headers, bodyBase64: null }
}

function etagOf(data: JsonObject): string {
  return `W/"${sha256Base64url(canonicalJson(data))}"`
}

function plain(status: number, body: string, headers: VectorResponse['headers'] = []) {
  return { status, headers, bodyBase64: Buffer.from(body).toString('base64') }
}

function withHeaders({ status, bodyBase64, headers }: VectorResponse, ...names: readonly string[]) {
  return { status, bodyBase64, headers: headers.filter(([name]) => names.includes(name)) }
}

/** The response with a changed body, whose digest no longer matches. */
function tampered(response: VectorResponse): VectorResponse {
  const body = Buffer.from(response.bodyBase64 ?? '', 'base64').toString()
  return { ...response, bodyBase64: Buffer.from(body.replace('VS-', 'VT-')).toString('base64') }
}

/** The document of the signing keys, as the service publishes it. */
function keysData(...keys: readonly KeyObject[]): JsonObject {
  return {
    keys: keys.map((key) => {
      const { keyId, jwk } = derivePublicSigningKey(key)
      return {
        keyId,
        jwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x },
        notBefore: null,
        notAfter: null,
      }
    }),
  }
}

/** The version that publishes a status, after another one. */
export function versionData(status: JsonObject, note: string, before?: VersionEntry): VersionEntry {
  const resources = { status: sha256Base64url(canonicalJson(status)) }
  const sequence = (before?.sequence ?? 0) + 1
  const entry: Omit<VersionEntry, 'hash'> = {
    snapshotId: formatSnapshotId(sequence),
    sequence,
    createdAt: at(-HOUR + sequence - 1),
    apiVersion: 'v1',
    registryVersion: '1.0.0',
    resources,
    changes: changesBetween(before?.resources ?? {}, resources),
    note,
    previousHash: before?.hash ?? GENESIS_PREVIOUS_HASH,
  }
  return { ...entry, hash: versionHash(entry) }
}

/** A portable response (contract decisions section 17). */
function portable(target: string, { status, headers, bodyBase64 }: VectorResponse): JsonObject {
  return { method: 'GET', target, status, headers, bodyBase64 }
}

function copyOf(origin: string, ...responses: readonly JsonObject[]): VectorResponse {
  return plain(200, JSON.stringify({ schema: 'svc.public.copy.v1', origin, responses }))
}

/** `now.json` of a version. */
export function copyOfVersion(entry: VersionEntry, seconds: number): VectorResponse {
  return copy(portable(VERSION, signedVersion(entry, seconds)), portable(KEYS, keysNow))
}

function copy(...responses: readonly JsonObject[]): VectorResponse {
  return copyOf(ORIGIN, ...responses)
}

const DATA = { state: 'operational' }
const LATER_DATA = { state: 'degraded' }
const ENTRY = versionData(DATA, 'The first version.')
const ENTRY_DATA = ENTRY as unknown as JsonObject
const OTHER_ENTRY = versionData(DATA, 'Another first version.')
const NEXT = versionData(LATER_DATA, 'The second version.', ENTRY)
/** Where a copy has the status of a version. */
export const archivedOf = ({ resources }: VersionEntry): string =>
  `archive/resources/status/${resources['status']}.json`
const ARCHIVED = archivedOf(ENTRY)

/** The response with a version, signed so many seconds after the copy was made. */
export function signedVersion(entry: VersionEntry, seconds: number, options?: SignedOptions) {
  return signed(VERSION, entry as unknown as JsonObject, seconds, options)
}

const versionNow = signedVersion(ENTRY, 0)
const keysNow = signed(KEYS, keysData(TEST_SIGNING_KEY), 0)
const statusSigned = signed(STATUS, DATA, 0)
const otherKey = { key: OTHER_TEST_SIGNING_KEY }
const OTHER_KEY_ID = derivePublicSigningKey(OTHER_TEST_SIGNING_KEY).keyId

/** Responses that the cases name. */
const RESPONSES: Readonly<Record<string, VectorResponse>> = {
  status: statusSigned,
  'status-later': signed(STATUS, LATER_DATA, 6 * HOUR),
  'status-renewed': renewed(STATUS, DATA, 600),
  'status-renewed-2-days': renewed(STATUS, DATA, 48 * HOUR),
  'status-renewed-by-next': renewed(STATUS, DATA, 96 * HOUR, OTHER_TEST_SIGNING_KEY),
  'status-tampered': tampered({
    ...statusSigned,
    bodyBase64: Buffer.from('{"ok":true,"data":{"VS-":1}}').toString('base64'),
  }),
  'status-other-key': signed(STATUS, DATA, 0, otherKey),
  'status-no-digest': withHeaders(statusSigned, 'X-SVC-Signed-At', 'X-SVC-Signature'),
  'status-unsigned': withHeaders(statusSigned),
  keys: keysNow,
  version: versionNow,
  'version-next': signedVersion(NEXT, 0),
  'version-other-key': signedVersion(ENTRY, 0, otherKey),
  'keys-other': signed(KEYS, keysData(OTHER_TEST_SIGNING_KEY), 0, otherKey),
  'keys-later': signed(KEYS, keysData(TEST_SIGNING_KEY), 6 * HOUR),
  'keys-announced': signed(KEYS, keysData(TEST_SIGNING_KEY, OTHER_TEST_SIGNING_KEY), 48 * HOUR),
  'keys-next': signed(
    KEYS,
    keysData(OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY),
    96 * HOUR,
    otherKey,
  ),
  'bad-gateway': plain(502, '<h1>Bad Gateway</h1>'),
  'too-many': plain(429, 'Slow down', [['Retry-After', '3600']]),
  'not-found': plain(404, 'Not found'),
  redirect: plain(302, '', [['Location', 'https://elsewhere.example.org/']]),
  'unavailable-signed': signed(STATUS, {}, 0, {
    status: 503,
    error: { code: 'SNAPSHOT_UNAVAILABLE', status: 503, message: 'Later.', retryable: true },
  }),
  'unavailable-wrong-signature': {
    ...signed(STATUS, {}, 0, { status: 502, error: { code: 'X', message: 'x' } }),
    status: 503,
  },
  'unavailable-time-signed': withHeaders({ ...statusSigned, status: 503 }, 'X-SVC-Signed-At'),
  'unavailable-digest': withHeaders({ ...statusSigned, status: 503 }, 'Content-Digest'),
  'unavailable-half-signed': withHeaders({ ...statusSigned, status: 503 }, 'X-SVC-Signature'),
  now: copy(portable(VERSION, versionNow), portable(KEYS, keysNow)),
  'now-later': copy(
    portable(VERSION, signed(VERSION, ENTRY_DATA, 6 * HOUR)),
    portable(KEYS, keysNow),
  ),
  'now-tampered': copy(portable(VERSION, tampered(versionNow)), portable(KEYS, keysNow)),
  'now-other-key': copy(
    portable(VERSION, signed(VERSION, ENTRY_DATA, 0, otherKey)),
    portable(KEYS, signed(KEYS, keysData(OTHER_TEST_SIGNING_KEY), 0, otherKey)),
  ),
  'now-other-origin': copyOf(
    'https://staging.example.org',
    portable(VERSION, versionNow),
    portable(KEYS, keysNow),
  ),
  'now-of-a-version': copy(
    portable(`${VERSION}s/VS-0001`, signed(`${VERSION}s/VS-0001`, ENTRY_DATA, 0)),
    portable(KEYS, keysNow),
  ),
  'now-without-keys': copy(portable(VERSION, versionNow)),
  'now-other-schema': plain(200, JSON.stringify({ schema: 'svc.public.copy.v9', responses: [] })),
  'now-malformed-entry': copy(
    portable(VERSION, signed(VERSION, { ...ENTRY_DATA, note: null }, 0)),
    portable(KEYS, keysNow),
  ),
  'now-wrong-hash': copyOfVersion({ ...ENTRY, note: 'Another note.' }, 0),
  'now-other-history': copyOfVersion(OTHER_ENTRY, 0),
  'now-next': copyOfVersion(NEXT, 0),
  'now-next-other-history': copyOfVersion(
    versionData(LATER_DATA, 'The second version.', OTHER_ENTRY),
    0,
  ),
  'archived-next': plain(200, canonicalJson(LATER_DATA)),
  archived: plain(200, canonicalJson(DATA)),
  'archived-tampered': plain(200, canonicalJson(LATER_DATA)),
}

type Network = FallbackStep['network']

const fromOrigin: Network = { [ORIGIN + STATUS]: 'status', [ORIGIN + KEYS]: 'keys' }
const copyAt = (url: string, now = 'now', archived = 'archived'): Network => ({
  [`${url}now.json`]: now,
  [url + ARCHIVED]: archived,
})
const nextAt = (url: string, now = 'now-next'): Network => ({
  [`${url}now.json`]: now,
  [url + archivedOf(NEXT)]: 'archived-next',
})

const result = (
  source: FallbackResult['source'],
  ageSeconds: number,
  more: Partial<FallbackResult> = {},
): FallbackResult => {
  const { keyId } = derivePublicSigningKey(TEST_SIGNING_KEY)
  return { source, keyId, provedAt: at(0), ageSeconds, data: DATA, warnings: [], ...more }
}

const ASKED = ORIGIN + STATUS
const COPIED = [`${COPY}now.json`, COPY + ARCHIVED]

type StepOptions = Partial<FallbackStep>

function step(
  network: Network,
  expected: FallbackStep['expected'],
  { read = STATUS, ...more }: StepOptions = {},
): FallbackStep {
  return { now: at(60), read, network, requests: [ASKED, ...COPIED], expected, ...more }
}

/** What the origin does, and how a read that asked only it ends. */
const ORIGIN_DECIDES: readonly (readonly [
  name: string,
  description: string,
  status: string,
  expected: string,
])[] = [
  ['tampered', 'The body was changed on its way.', 'status-tampered', 'DIGEST'],
  ['other-key', 'Another key signed.', 'status-other-key', 'SIGNATURE'],
  ['no-digest', 'A part of the proof is missing.', 'status-no-digest', 'UNSIGNED'],
  ['unsigned', 'A success without a proof.', 'status-unsigned', 'UNSIGNED'],
  ['unsigned-404', 'An error of a proxy that is not an outage.', 'not-found', 'UNSIGNED'],
  ['redirect', 'A redirect.', 'redirect', 'CONNECTION'],
  [
    'signed-503',
    'The service refused and signed it.',
    'unavailable-signed',
    'SNAPSHOT_UNAVAILABLE',
  ],
  ['wrong-503', 'A 503 whose signature is not valid.', 'unavailable-wrong-signature', 'SIGNATURE'],
  ['half-503', 'A 503 with a part of a proof.', 'unavailable-half-signed', 'UNSIGNED'],
  ['time-503', 'A 503 with the time of a proof.', 'unavailable-time-signed', 'UNSIGNED'],
]

/** Ways in which the origin is away. */
const AWAY: readonly (readonly [name: string, description: string, network: Network])[] = [
  ['refused', 'The connection is refused.', {}],
  ['timeout', 'No response in time.', { [ASKED]: 'timeout', [ORIGIN + KEYS]: 'timeout' }],
  ['502', 'A proxy responds with an unsigned 502.', both('bad-gateway')],
  ['429', 'A proxy responds with an unsigned 429 and a long wait.', both('too-many')],
  ['digest', 'A proxy adds a digest to an unsigned 503.', both('unavailable-digest')],
]

function both(name: string): Network {
  return { [ASKED]: name, [ORIGIN + KEYS]: name }
}

/** Copies that are passed over, with the code in the warning. */
const BAD_COPIES: readonly (readonly [
  name: string,
  description: string,
  network: Network,
  code: string,
])[] = [
  ['away', 'does not respond', {}, 'CONNECTION'],
  ['not-found', 'has no now.json', { [`${COPY}now.json`]: 'not-found' }, 'MALFORMED'],
  ['tampered', 'has a changed version', copyAt(COPY, 'now-tampered'), 'DIGEST'],
  ['other-key', 'is of another service', copyAt(COPY, 'now-other-key'), 'UNKNOWN_KEY'],
  [
    'of-another-service',
    'is of a service with the same key',
    copyAt(COPY, 'now-other-origin'),
    'MALFORMED',
  ],
  ['of-a-version', 'begins with another response', copyAt(COPY, 'now-of-a-version'), 'MALFORMED'],
  ['without-keys', 'has no key document', copyAt(COPY, 'now-without-keys'), 'MALFORMED'],
  ['other-schema', 'has another format', copyAt(COPY, 'now-other-schema'), 'MALFORMED'],
  ['malformed-entry', 'has a malformed entry', copyAt(COPY, 'now-malformed-entry'), 'MALFORMED'],
  ['wrong-hash', 'has an entry with a wrong hash', copyAt(COPY, 'now-wrong-hash'), 'MALFORMED'],
  ['from-the-future', 'was signed in the future', copyAt(COPY, 'now-later'), 'FUTURE'],
  ['file-missing', 'lacks the file', copyAt(COPY, 'now', 'not-found'), 'MALFORMED'],
  ['file-tampered', 'has a changed file', copyAt(COPY, 'now', 'archived-tampered'), 'DIGEST'],
]

/** Every case of test/vectors/fallback by the name of its file. */
export function buildFallbackVectors(): ReadonlyMap<string, FallbackVector> {
  const vectors = new Map<string, FallbackVector>()
  const pinned = [derivePublicSigningKey(TEST_SIGNING_KEY).keyId]
  const add: Add = (name, description, steps, more = {}) => {
    const names = new Set(steps.flatMap(({ network }) => Object.values(network).flat()))
    const used = Object.entries(RESPONSES).filter(([response]) => names.has(response))
    vectors.set(name, {
      description,
      origin: ORIGIN,
      pinnedKeyIds: pinned,
      mirrors: [COPY],
      maxMirrorAgeSeconds: null,
      maxRetries: 0,
      hasStore: false,
      ...more,
      responses: Object.fromEntries(used),
      steps,
    })
  }
  const copied = result('mirror', 60)
  add('origin', 'The service responds, so no copy is asked.', [
    step(fromOrigin, result('origin', 60), { requests: [ASKED] }),
  ])
  for (const [name, description, network] of AWAY) {
    add(`origin-${name}`, `${description} The copy is read.`, [
      step({ ...copyAt(COPY), ...network }, copied),
    ])
  }
  for (const [name, description, status, expected] of ORIGIN_DECIDES) {
    const network = { ...copyAt(COPY), ...fromOrigin, [ASKED]: status }
    add(`decides-${name}`, `${description} That is not an outage, so no copy is asked.`, [
      step(network, { error: expected }, { requests: [ASKED] }),
    ])
  }
  add(
    'decides-old',
    'A signed response is too old. That is not an outage, so no copy is asked; the client asks once past every cache.',
    [
      step(
        { ...copyAt(COPY), ...fromOrigin, [ORIGIN + KEYS]: 'keys-later' },
        { error: 'STALE' },
        { now: at(6 * HOUR), requests: [ASKED, `${ASKED}?fresh=*`] },
      ),
    ],
  )
  add(
    'retried',
    'The client retries before it asks a copy.',
    [
      step(
        { ...copyAt(COPY), ...fromOrigin, [ASKED]: ['bad-gateway', 'status'] },
        result('origin', 60),
        { requests: [ASKED] },
      ),
      step({ ...copyAt(COPY), [ASKED]: ['bad-gateway', 'refused'] }, copied),
    ],
    { maxRetries: 1 },
  )
  const mirrors = [COPY, OTHER_COPY]
  const toOther = [`${OTHER_COPY}now.json`, OTHER_COPY + ARCHIVED]
  const asksFile = (name: string) => name.startsWith('file-')
  for (const [name, description, network, code] of BAD_COPIES) {
    const asked = asksFile(name) ? COPIED.slice(1) : []
    add(
      `copy-${name}`,
      `The first copy ${description}, so the second is read.`,
      [
        step(
          { ...network, ...copyAt(OTHER_COPY) },
          { ...copied, warnings: [`${code}: ${COPY}`] },
          {
            requests: [
              ASKED,
              `${COPY}now.json`,
              `${OTHER_COPY}now.json`,
              ...asked,
              toOther[1] ?? '',
            ],
          },
        ),
      ],
      { mirrors },
    )
  }
  add(
    'copies-both-bad',
    'No copy verifies: the error is that of the first that responded.',
    [
      step(
        { ...copyAt(OTHER_COPY, 'now-tampered') },
        { error: 'DIGEST' },
        { requests: [ASKED, ...COPIED.slice(0, 1), ...toOther.slice(0, 1)] },
      ),
      step(
        { ...copyAt(COPY, 'now-other-key'), ...copyAt(OTHER_COPY, 'now-tampered') },
        { error: 'UNKNOWN_KEY' },
        { requests: [ASKED, ...COPIED.slice(0, 1), ...toOther.slice(0, 1)] },
      ),
    ],
    { mirrors },
  )
  add(
    'copies-both-away',
    'No copy responds: the error is that of the service.',
    [
      step({}, { error: 'CONNECTION' }, { requests: [ASKED, COPIED[0] ?? '', toOther[0] ?? ''] }),
      step(
        both('bad-gateway'),
        { error: 'UNSIGNED' },
        {
          requests: [ASKED, COPIED[0] ?? '', toOther[0] ?? ''],
        },
      ),
    ],
    { mirrors },
  )
  add(
    'age-limit',
    'A copy at the maximum age is read, and one a second older is not.',
    [
      step(copyAt(COPY), result('mirror', HOUR), { now: at(HOUR) }),
      step(
        copyAt(COPY),
        { error: 'STALE_COPY' },
        {
          now: at(HOUR + 1),
          requests: [ASKED, `${COPY}now.json`],
        },
      ),
    ],
    { maxMirrorAgeSeconds: HOUR },
  )
  add(
    'age-second-copy',
    'The first copy is too old, and the second is not.',
    [
      step(
        { ...copyAt(COPY), ...copyAt(OTHER_COPY, 'now-later') },
        result('mirror', 60, { provedAt: at(6 * HOUR), warnings: [`STALE_COPY: ${COPY}`] }),
        { now: at(6 * HOUR + 60), requests: [ASKED, `${COPY}now.json`, ...toOther] },
      ),
    ],
    { mirrors, maxMirrorAgeSeconds: HOUR },
  )
  for (const [name, description, read] of [
    ['time', 'The time', '/api/v1/time'],
    ['query', 'A target with a query', `${STATUS}?a`],
    ['one-version', 'One version', '/api/v1/versions/VS-0001'],
    ['keys', 'The key document', KEYS],
    ['document', 'A document that the service generates', '/api/v1/policy'],
  ] as const) {
    add(
      `no-copy-${name}`,
      `${description} is not a published resource: no copy is asked.`,
      [step(copyAt(COPY), { error: 'NO_COPY' }, { read, requests: [ORIGIN + read] })],
      { hasStore: true },
    )
  }
  const roadmap = '/api/v1/roadmap'
  add('no-copy-unpublished', 'The version in the copy has no such resource.', [
    step(
      copyAt(COPY),
      { error: 'NO_COPY' },
      {
        read: roadmap,
        requests: [ORIGIN + roadmap, `${COPY}now.json`],
      },
    ),
  ])
  add('version', 'The newest version is read from now.json itself.', [
    step(copyAt(COPY), result('mirror', 60, { data: ENTRY_DATA }), {
      read: VERSION,
      requests: [ORIGIN + VERSION, `${COPY}now.json`],
    }),
  ])
  add('fresh', 'A fresh read asks for a response that is created for it: no copy is asked.', [
    step(
      copyAt(COPY),
      { error: 'CONNECTION' },
      {
        isFresh: true,
        requests: [`${ASKED}?fresh=*`],
      },
    ),
  ])
  add(
    'unpinned',
    'Without pins, a copy is read only by the keys that the client got from the service.',
    [
      step(copyAt(COPY), { error: 'UNKNOWN_KEY' }, { requests: [ASKED, `${COPY}now.json`] }),
      step(fromOrigin, result('origin', 60), { requests: [ASKED] }),
      step(copyAt(COPY), copied),
    ],
    { pinnedKeyIds: [] },
  )
  add('day', 'The service is away for a day, and the copy is refreshed meanwhile.', [
    step(fromOrigin, result('origin', 0), { now: at(0), requests: [ASKED] }),
    ...[1, 2, 4, 6].map((hour) =>
      step(copyAt(COPY), result('mirror', hour * HOUR), { now: at(hour * HOUR) }),
    ),
    ...[6, 12, 24].map((hour) =>
      step(
        copyAt(COPY, 'now-later'),
        result('mirror', (hour - 6) * HOUR, { provedAt: at(6 * HOUR) }),
        { now: at(hour * HOUR) },
      ),
    ),
  ])
  const hours = Array.from({ length: 25 }, (_, hour) => hour)
  add('day-without-refresh', 'The service is away for a day, and the copy is not refreshed.', [
    step(fromOrigin, result('origin', 0), { now: at(0), requests: [ASKED] }),
    ...hours.map((hour) =>
      step(copyAt(COPY), result('mirror', hour * HOUR), { now: at(hour * HOUR) }),
    ),
  ])
  const stored = { hasStore: true }
  add(
    'store',
    'The last verified response is read when neither the service nor a copy responds, also by the next process.',
    [
      step({}, { error: 'CONNECTION' }, { requests: [ASKED, `${COPY}now.json`] }),
      step(fromOrigin, result('origin', 60), { requests: [ASKED] }),
      step({}, result('store', 24 * HOUR, { warnings: [`CONNECTION: ${COPY}`] }), {
        now: at(24 * HOUR),
        requests: [ASKED, `${COPY}now.json`],
        isRestarted: true,
      }),
      step(copyAt(COPY), result('mirror', 24 * HOUR), { now: at(24 * HOUR) }),
      step(
        { [ASKED]: 'status-later', [ORIGIN + KEYS]: 'keys-later' },
        result('origin', 60, { provedAt: at(6 * HOUR), data: LATER_DATA }),
        { now: at(6 * HOUR + 60), requests: [ASKED], isRestarted: true },
      ),
      step(
        copyAt(COPY, 'now-tampered'),
        result('store', 120, {
          provedAt: at(6 * HOUR),
          data: LATER_DATA,
          warnings: [`DIGEST: ${COPY}`],
        }),
        { now: at(6 * HOUR + 120), requests: [ASKED, `${COPY}now.json`], isRestarted: true },
      ),
    ],
    stored,
  )
  add(
    'store-renewed',
    'A 304 renews what is stored.',
    [
      step(fromOrigin, result('origin', 60), { requests: [ASKED] }),
      step(
        { ...fromOrigin, [ASKED]: 'status-renewed' },
        result('origin', 30, { provedAt: at(600) }),
        { now: at(630), requests: [ASKED] },
      ),
      step({}, result('store', HOUR - 600, { provedAt: at(600) }), {
        now: at(HOUR),
        requests: [ASKED],
        isRestarted: true,
      }),
    ],
    { ...stored, mirrors: [] },
  )
  const byNext = { keyId: OTHER_KEY_ID, provedAt: at(96 * HOUR) }
  const keysAt = (status: string, keys: string) => ({ [ASKED]: status, [ORIGIN + KEYS]: keys })
  add(
    'announced-key',
    'Without pins, a key that is announced while the client runs takes over. What it signed is stored.',
    [
      step(fromOrigin, result('origin', 60), { requests: [ASKED] }),
      step(
        keysAt('status-renewed-2-days', 'keys-announced'),
        result('origin', 0, { provedAt: at(48 * HOUR) }),
        { now: at(48 * HOUR), requests: [ASKED] },
      ),
      step(
        {
          ...keysAt('status-renewed-by-next', 'keys-next'),
          [`${ORIGIN}${KEYS}?fresh=*`]: 'keys-next',
        },
        result('origin', 0, byNext),
        { now: at(96 * HOUR), requests: [ASKED] },
      ),
      step({}, result('store', HOUR, byNext), {
        now: at(97 * HOUR),
        requests: [ASKED],
        isRestarted: true,
      }),
    ],
    { ...stored, mirrors: [], pinnedKeyIds: [] },
  )
  add(
    'store-age-limit',
    'What is stored is older than the maximum age.',
    [
      step(fromOrigin, result('origin', 60), { requests: [ASKED] }),
      step(
        {},
        { error: 'STALE_COPY' },
        {
          now: at(HOUR + 1),
          requests: [ASKED],
          isRestarted: true,
        },
      ),
    ],
    { ...stored, mirrors: [], maxMirrorAgeSeconds: HOUR },
  )
  add(
    'store-decides-not',
    'A response that does not verify is not replaced by the stored one.',
    [
      step(fromOrigin, result('origin', 60), { requests: [ASKED] }),
      step(
        { ...fromOrigin, [ASKED]: 'status-tampered' },
        { error: 'DIGEST' },
        {
          requests: [ASKED],
        },
      ),
    ],
    { ...stored, mirrors: [] },
  )
  addAges(add)
  addHistories(add)
  return vectors
}

type Add = (
  name: string,
  description: string,
  steps: readonly FallbackStep[],
  more?: Partial<FallbackVector>,
) => void

const MIRRORS = { mirrors: [COPY, OTHER_COPY] }
const NOW_FILES = [`${COPY}now.json`, `${OTHER_COPY}now.json`]
const OLDER = [`OLDER_COPY: ${COPY}: VS-0001 is older than VS-0002, which was verified before`]
const EARLIER = [`OLDER_COPY: ${COPY}: VS-0001, signed at ${at(0)}, is older than`]

/** A reader never goes back, at least not without a warning. */
function addAges(add: Add): void {
  const next = (source: FallbackResult['source'], more: Partial<FallbackResult> = {}) =>
    result(source, 60, { data: LATER_DATA, ...more })
  const nextFiles = [`${COPY}now.json`, COPY + archivedOf(NEXT)]
  const asksVersion = { read: VERSION, requests: [ORIGIN + VERSION, `${COPY}now.json`] }
  const sixHours = { now: at(6 * HOUR + 60) }
  const fromLater: Network = { [ASKED]: 'status-later', [ORIGIN + KEYS]: 'keys-later' }
  const later = { provedAt: at(6 * HOUR), data: LATER_DATA }
  add(
    'newest-mirror',
    'The second mirror has the newer version.',
    [
      step({ ...copyAt(COPY), ...nextAt(OTHER_COPY) }, next('mirror'), {
        requests: [ASKED, ...NOW_FILES, OTHER_COPY + archivedOf(NEXT)],
      }),
    ],
    MIRRORS,
  )
  add('older-mirror', 'A mirror goes back, and there is nothing newer.', [
    step(nextAt(COPY), next('mirror'), { requests: [ASKED, ...nextFiles] }),
    step(copyAt(COPY), result('mirror', 60, { warnings: OLDER })),
    step(
      { [`${COPY}now.json`]: 'now' },
      result('mirror', 60, { data: ENTRY_DATA, warnings: OLDER }),
      asksVersion,
    ),
  ])
  add(
    'older-mirror-store',
    'A mirror goes back, and the store has what the next process reads.',
    [
      step(nextAt(COPY), next('mirror', { warnings: [`CONNECTION: ${OTHER_COPY}`] }), {
        requests: [ASKED, ...NOW_FILES, COPY + archivedOf(NEXT)],
      }),
      step(copyAt(COPY), next('store', { warnings: [`CONNECTION: ${OTHER_COPY}`, ...OLDER] }), {
        isRestarted: true,
        requests: [ASKED, ...NOW_FILES],
      }),
      step({ ...copyAt(COPY), ...nextAt(OTHER_COPY) }, next('mirror'), {
        requests: [ASKED, ...NOW_FILES, OTHER_COPY + archivedOf(NEXT)],
      }),
    ],
    { ...MIRRORS, hasStore: true },
  )
  for (const hasStore of [false, true]) {
    add(
      hasStore ? 'older-than-service-store' : 'older-than-service',
      'A mirror is older than a response of the service.',
      [
        step(fromLater, result('origin', 60, later), { ...sixHours, requests: [ASKED] }),
        hasStore
          ? step(copyAt(COPY), result('store', 60, { ...later, warnings: EARLIER }), {
              ...sixHours,
              isRestarted: true,
              requests: [ASKED, `${COPY}now.json`],
            })
          : step(copyAt(COPY), result('mirror', 6 * HOUR + 60, { warnings: EARLIER }), sixHours),
      ],
      { hasStore },
    )
  }
  add(
    'node-behind',
    'The service answers with an older version than its copy: the store keeps the newer one.',
    [
      step(nextAt(COPY), next('mirror', { data: NEXT as unknown as JsonObject }), asksVersion),
      step(
        { [ORIGIN + VERSION]: 'version', [ORIGIN + KEYS]: 'keys' },
        result('origin', 60, { data: ENTRY_DATA }),
        { read: VERSION, requests: [ORIGIN + VERSION] },
      ),
      step(
        {},
        next('store', { data: NEXT as unknown as JsonObject, warnings: [`CONNECTION: ${COPY}`] }),
        {
          ...asksVersion,
          isRestarted: true,
        },
      ),
    ],
    { hasStore: true },
  )
  const asksOrigin = { read: VERSION, requests: [ORIGIN + VERSION] }
  add(
    'store-unpinned',
    'Without pins, the store is read by the keys with which it was written, and by no other.',
    [
      step(fromOrigin, result('origin', 60), { requests: [ASKED] }),
      step({}, result('store', 60), { requests: [ASKED], isRestarted: true }),
      step(
        { [ORIGIN + VERSION]: 'version-other-key', [ORIGIN + KEYS]: 'keys-other' },
        result('origin', 60, { data: ENTRY_DATA, keyId: OTHER_KEY_ID }),
        { ...asksOrigin, isRestarted: true },
      ),
      step({}, { error: 'UNKNOWN_KEY' }, { requests: [ASKED] }),
    ],
    { pinnedKeyIds: [], mirrors: [], hasStore: true },
  )
}

/** A copy of another history with the same key and the same origin must not be read. */
function addHistories(add: Add): void {
  const readVersion = step(
    { [ORIGIN + VERSION]: 'version', [ORIGIN + KEYS]: 'keys' },
    result('origin', 60, { data: ENTRY_DATA }),
    { read: VERSION, requests: [ORIGIN + VERSION] },
  )
  const requests = [ASKED, ...NOW_FILES]
  const warnings = [`OTHER_HISTORY: ${COPY}: VS-000`]
  for (const [name, description, now] of [
    ['same', 'Another version of the number that the reader verified.', 'now-other-history'],
    [
      'next',
      'A version that does not continue the one that the reader verified.',
      'now-next-other-history',
    ],
  ] as const) {
    add(
      `other-history-${name}`,
      description,
      [
        readVersion,
        step({ [`${COPY}now.json`]: now }, { error: 'OTHER_HISTORY' }, { requests }),
        step(
          { [`${COPY}now.json`]: now, ...copyAt(OTHER_COPY) },
          result('mirror', 60, { warnings }),
          {
            requests: [...requests, OTHER_COPY + ARCHIVED],
          },
        ),
      ],
      MIRRORS,
    )
  }
  add(
    'other-history-before',
    'The reader verified the next version, which does not continue that of the mirror.',
    [
      step(
        nextAt(OTHER_COPY),
        result('mirror', 60, { data: LATER_DATA, warnings: [`CONNECTION: ${COPY}`] }),
        {
          requests: [...requests, OTHER_COPY + archivedOf(NEXT)],
        },
      ),
      step({ [`${COPY}now.json`]: 'now-other-history' }, { error: 'OTHER_HISTORY' }, { requests }),
    ],
    MIRRORS,
  )
  add(
    'other-history-mirrors',
    'Two mirrors have two versions of one number: the first is read.',
    [
      step(
        { ...copyAt(COPY), [`${OTHER_COPY}now.json`]: 'now-other-history' },
        result('mirror', 60, { warnings: [`OTHER_HISTORY: ${OTHER_COPY}: VS-0001`] }),
        { requests: [...requests, COPY + ARCHIVED] },
      ),
    ],
    MIRRORS,
  )
}
