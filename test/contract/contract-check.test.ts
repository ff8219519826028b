import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DATA_SCHEMAS, REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { LIMITS } from '@public-api/contract/terms/limits'
import { checkContract, formatBaseline, releaseContract } from '../../scripts/contract-check.ts'
import {
  BASELINE_FILE,
  outlineContract,
  OWN_CONTRACT,
  type ContractOutline,
} from '../../scripts/contract-outline.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NOW_MS = Date.parse('2026-11-22T12:00:00Z')
const BASELINE = outlineContract(OWN_CONTRACT, [])
const [MAJOR, MINOR, PATCH] = BASELINE.registryVersion.split('.').map(Number) as [
  number,
  number,
  number,
]
const NEXT_MINOR = `${MAJOR}.${MINOR + 1}.0`
const NEXT_PATCH = `${MAJOR}.${MINOR}.${PATCH + 1}`

type Path = readonly (string | number)[]
type Edit = (contract: ContractOutline) => void

interface Node {
  [member: string]: unknown
}

/** The object at a path. Fails for a path that leads nowhere, so that a mutation cannot miss. */
function nodeAt(contract: ContractOutline, path: Path): Node {
  let node = contract as unknown as Node
  for (const segment of path) {
    const next = node[segment]
    assert.ok(typeof next === 'object' && next !== null, `no ${segment} in ${path.join(' > ')}`)
    node = next as Node
  }
  return node
}

/** Sets a member to a value that it does not have. */
const set =
  (path: Path, value: unknown): Edit =>
  (contract) => {
    const node = nodeAt(contract, path.slice(0, -1))
    const name = String(path.at(-1))
    assert.notDeepEqual(node[name], value)
    node[name] = value
  }

/** Removes a member that is there. */
const drop =
  (...path: Path): Edit =>
  (contract) => {
    const node = nodeAt(contract, path.slice(0, -1))
    const name = String(path.at(-1))
    assert.ok(Object.hasOwn(node, name), `no ${name} in ${path.join(' > ')}`)
    if (Array.isArray(node)) node.splice(Number(name), 1)
    else delete node[name]
  }

/** Adds a value to a list, or removes it. */
const push =
  (path: Path, value: unknown): Edit =>
  (contract) => {
    const list = nodeAt(contract, path) as unknown as unknown[]
    list.push(value)
  }
const pull =
  (path: Path, value: unknown): Edit =>
  (contract) => {
    const list = nodeAt(contract, path) as unknown as unknown[]
    const at = list.indexOf(value)
    assert.ok(at >= 0, `no ${String(value)} in ${path.join(' > ')}`)
    list.splice(at, 1)
  }

const STATUS = 'GET /api/v1/status'
const WALLET = 'GET /api/v1/wallet'
const REGISTER = 'POST /api/v1/early-access/register'
const KEYS = 'POST /api/v1/keys'
const VERSIONS = 'GET /api/v1/versions'
const VERSION_BY_ID = 'GET /api/v1/versions/{snapshotId}'
const row = (key: string, ...rest: Path): Path => ['endpoints', key, ...rest]
const data = (name: string, ...rest: Path): Path => ['dataSchemas', name, ...rest]
const body = (name: string, ...rest: Path): Path => ['requestSchemas', name, ...rest]
const COMPONENT: Path = ['properties', 'components', 'items']
const text = { type: 'string', description: 'A text.', example: 'a' }

type NumberLimit = {
  [Name in keyof typeof LIMITS]: (typeof LIMITS)[Name] extends number ? Name : never
}[keyof typeof LIMITS]
type Window = { readonly requests: number; readonly windowSeconds: number }
const PER_ACTOR: Window = LIMITS.registrationPerActor

/** Moves a number of the limits. */
const shift = (name: NumberLimit, by: number): Edit => set(['limits', name], LIMITS[name] + by)
const shiftPerActor = (name: keyof Window, by: number): Edit =>
  set(['limits', 'registrationPerActor', name], PER_ACTOR[name] + by)
const times = ({ requests, windowSeconds }: Window, factor: number): Window => ({
  requests: requests * factor,
  windowSeconds: windowSeconds * factor,
})

/** Renames a row: the old one is gone and a new one has its contents. */
const renameRow =
  (from: string, to: string): Edit =>
  ({ endpoints }) => {
    const rows = endpoints as unknown as Node
    rows[to] = { ...(rows[from] as Node), path: to.split(' ')[1] }
    delete rows[from]
  }

/** Renames a field of an object schema that requires it. */
const renameField =
  (path: Path, from: string, to: string): Edit =>
  (contract) => {
    const schema = nodeAt(contract, path) as unknown as {
      properties: Node
      required: string[]
    }
    schema.properties[to] = schema.properties[from]
    delete schema.properties[from]
    schema.required = schema.required.map((name) => (name === from ? to : name))
  }

type Case = readonly [
  title: string,
  edit: Edit,
  ...expected: readonly `${'text' | 'additive' | 'beta' | 'breaking'} ${string}`[],
]

/** Each mutation and every change it is reported as: the class and the place. */
const CASES: readonly Case[] = [
  // Rows
  ['a stable row removed', drop(...row(STATUS)), `breaking ${STATUS}`],
  ['a beta row removed', drop(...row(WALLET)), `beta ${WALLET}`],
  [
    'a path renamed',
    renameRow(STATUS, 'GET /api/v1/state'),
    `breaking ${STATUS}`,
    'additive GET /api/v1/state',
  ],
  [
    'a row added',
    (contract) => {
      ;(contract.endpoints as unknown as Node)['GET /api/v1/added'] = contract.endpoints[STATUS]
    },
    'additive GET /api/v1/added',
  ],
  ['an operation renamed', set(row(STATUS, 'name'), 'state'), `breaking ${STATUS}`],
  ['a summary reworded', set(row(STATUS, 'summary'), 'Read it'), `text ${STATUS}`],
  ['a description reworded', set(row(STATUS, 'description'), 'It.'), `text ${STATUS}`],
  ['a row in another group', set(row(STATUS, 'tag'), 'history'), `text ${STATUS}`],
  ['stability lowered', set(row(STATUS, 'stability'), 'beta'), `breaking ${STATUS}`],
  ['stability raised', set(row(WALLET, 'stability'), 'stable'), `additive ${WALLET}`],
  ['a beta row made experimental', set(row(WALLET, 'stability'), 'experimental'), `beta ${WALLET}`],
  ['runtime made local', set(row(STATUS, 'runtime'), 'local'), `breaking ${STATUS}`],
  ['a row disabled', set(row(STATUS, 'status'), 'preview'), `breaking ${STATUS}`],
  ['another cache class', set(row(STATUS, 'cacheClass'), 'short-lived'), `breaking ${STATUS}`],
  [
    'a longer cache class',
    set(row('GET /api/v1/time', 'cacheClass'), 'static-snapshot'),
    'breaking GET /api/v1/time',
  ],
  ['a key required', set(row(STATUS, 'authentication'), 'api-key'), `breaking ${STATUS}`],
  [
    'a key no longer required',
    set(row('GET /api/v1/keys/self', 'authentication'), 'none'),
    'additive GET /api/v1/keys/self',
  ],
  [
    'another success status',
    (contract) => {
      const responses = nodeAt(contract, row(KEYS, 'responses'))
      responses['200'] = responses['201']
      delete responses['201']
      set(row(KEYS, 'success', 'status'), 200)(contract)
    },
    `beta ${KEYS} 201`,
    `beta ${KEYS} 201 data`,
    `additive ${KEYS} 200`,
    `additive ${KEYS} 200 data`,
  ],
  ['another envelope', set(row(STATUS, 'success', 'envelope'), 'none'), `breaking ${STATUS} 200`],
  [
    'a success removed',
    (contract) => {
      drop(...row(STATUS, 'success'))(contract)
      drop(...row(STATUS, 'responses', '200'))(contract)
    },
    `breaking ${STATUS} 200`,
    `breaking ${STATUS} 200 data`,
  ],
  [
    'an error alone with a status of a success',
    set(row(STATUS, 'responses', '202'), { headers: [], codes: ['CONFLICT'] }),
    `breaking ${STATUS} 202`,
  ],
  ['a request body removed', drop(...row(REGISTER, 'request')), `breaking ${REGISTER} body`],
  ['a request body added', set(row(STATUS, 'request'), 'KeyRequest'), `breaking ${STATUS} body`],
  ['a field of a row that no rule knows', set(row(STATUS, 'shape'), 'new'), `breaking ${STATUS}`],
  [
    'a field of a success that no rule knows',
    set(row(STATUS, 'success', 'shape'), 'new'),
    `breaking ${STATUS} 200`,
  ],
  [
    'a field of a header that no rule knows',
    set(['headers', 'response', 'ETag', 'shape'], 'new'),
    'breaking response header ETag',
  ],
  [
    'a path parameter narrowed',
    set(row(VERSION_BY_ID, 'parameter', 'pattern'), '^VS-1'),
    `breaking ${VERSION_BY_ID} {snapshotId}`,
  ],
  [
    'a query parameter added',
    set(row(VERSIONS, 'query', 'after'), text),
    `additive ${VERSIONS} query.after`,
  ],
  [
    'the first query parameter of a row',
    set(row(STATUS, 'query'), { since: text }),
    `additive ${STATUS} query.since`,
  ],
  [
    'a query parameter removed',
    drop(...row(VERSIONS, 'query', 'limit')),
    `breaking ${VERSIONS} query.limit`,
  ],
  [
    'a query parameter with a lower maximum',
    set(row(VERSIONS, 'query', 'limit', 'maximum'), 100),
    `breaking ${VERSIONS} query.limit`,
  ],
  [
    'a query parameter described otherwise',
    set(row(VERSIONS, 'query', 'before', 'description'), 'Another text.'),
    `text ${VERSIONS} query.before`,
  ],
  [
    'a path parameter opened',
    drop(...row(VERSION_BY_ID, 'parameter', 'pattern')),
    `additive ${VERSION_BY_ID} {snapshotId}`,
  ],
  [
    'a path parameter that must be present',
    set(row('GET /api/v1/preview/{path}', 'parameter', 'mayBeEmpty'), false),
    'beta GET /api/v1/preview/{path} {path}',
  ],
  // Responses of a row
  [
    'an error code of a status that the row has',
    push(row(REGISTER, 'responses', '400', 'codes'), 'NEW_CODE'),
    `additive ${REGISTER} 400`,
  ],
  [
    'an error code removed from a row',
    pull(row(REGISTER, 'responses', '400', 'codes'), 'INVALID_EMAIL'),
    `breaking ${REGISTER} 400`,
  ],
  [
    'an error with the status of a success',
    push(row(STATUS, 'responses', '200', 'codes'), 'NEW_CODE'),
    `breaking ${STATUS} 200`,
  ],
  [
    'another error with the status of a success',
    push(row(REGISTER, 'responses', '200', 'codes'), 'NEW_CODE'),
    `breaking ${REGISTER} 200`,
  ],
  [
    'an error moved to another status of its row',
    (contract) => {
      pull(row(REGISTER, 'responses', '400', 'codes'), 'INVALID_EMAIL')(contract)
      push(row(REGISTER, 'responses', '403', 'codes'), 'INVALID_EMAIL')(contract)
    },
    `breaking ${REGISTER} 400`,
    `additive ${REGISTER} 403`,
  ],
  [
    'a header dropped from errors alone',
    pull(row(STATUS, 'responses', '429', 'headers'), 'Retry-After'),
    `breaking ${STATUS} 429`,
  ],
  [
    'a header that is no longer always sent',
    drop('headers', 'response', 'ETag', 'isAlwaysSent'),
    'breaking response header ETag',
  ],
  [
    'a header that is always sent now',
    set(['headers', 'response', 'X-Robots-Tag', 'isAlwaysSent'], true),
    'additive response header X-Robots-Tag',
  ],
  [
    'a null in the items of a list',
    set(data('Status', ...COMPONENT, 'properties', 'name', 'nullable'), true),
    `breaking ${STATUS} 200 data.components[].name`,
  ],
  [
    'a null accepted in a request',
    set(body('Registration', 'properties', 'useCase', 'nullable'), true),
    `additive ${REGISTER} body.useCase`,
  ],
  [
    'a default removed from a request field',
    drop(...body('KeyRequest', 'properties', 'ttlDays', 'default')),
    `beta ${KEYS} body.ttlDays`,
  ],
  [
    'a query parameter whose pattern is tighter',
    set(row(VERSIONS, 'query', 'before', 'pattern'), '^VS-[0-9]{4}$'),
    `breaking ${VERSIONS} query.before`,
  ],
  [
    'an enumeration inside a list of a request narrowed',
    drop(...body('Registration', 'properties', 'interests', 'items', 'enum', 0)),
    `breaking ${REGISTER} body.interests[]`,
  ],
  [
    'a longer life of signatures',
    shift('signatureMaxAgeSeconds', 1),
    'breaking limit signatureMaxAgeSeconds',
  ],
  [
    'the lines of the signed text in another order',
    (contract) => {
      const lines = nodeAt(contract, ['terms', 'signedText']) as unknown as unknown[]
      lines.reverse()
    },
    'breaking signedText',
  ],
  [
    'a new error status',
    set(row(STATUS, 'responses', '409'), { headers: [], codes: ['CONFLICT'] }),
    `breaking ${STATUS} 409`,
  ],
  ['an error status removed', drop(...row(STATUS, 'responses', '429')), `breaking ${STATUS} 429`],
  [
    'DUPLICATE no longer sent',
    pull(row(REGISTER, 'responses', '200', 'codes'), 'DUPLICATE'),
    `breaking ${REGISTER} 200`,
  ],
  [
    'a response header removed from a row',
    pull(row(STATUS, 'responses', '200', 'headers'), 'ETag'),
    `breaking ${STATUS} 200`,
  ],
  [
    'a response header added to a row',
    push(row(STATUS, 'responses', '200', 'headers'), 'Server-Timing'),
    `additive ${STATUS} 200`,
  ],
  ['a row without 304', drop(...row(STATUS, 'responses', '304')), `breaking ${STATUS} 304`],
  // Response schemas
  [
    'a response field removed',
    drop(...data('Status', ...COMPONENT, 'properties', 'name')),
    `breaking ${STATUS} 200 data.components[].name`,
  ],
  [
    'an optional response field removed',
    drop(...data('Status', ...COMPONENT, 'properties', 'note')),
    `breaking ${STATUS} 200 data.components[].note`,
  ],
  [
    'a response field of a beta row removed',
    drop(...data('Wallet', 'properties', 'networks')),
    `beta ${WALLET} 200 data.networks`,
  ],
  [
    'a response field renamed',
    renameField(data('Status', ...COMPONENT), 'since', 'from'),
    `breaking ${STATUS} 200 data.components[].since`,
    `additive ${STATUS} 200 data.components[].from`,
  ],
  [
    'an optional response field added',
    set(data('Status', 'properties', 'extra'), text),
    `additive ${STATUS} 200 data.extra`,
  ],
  [
    'a field that is called like a keyword',
    set(data('Status', 'properties', 'description'), text),
    `additive ${STATUS} 200 data.description`,
  ],
  [
    'a required response field made optional',
    pull(data('Status', 'required'), 'summary'),
    `breaking ${STATUS} 200 data.summary`,
  ],
  [
    'an optional response field made required',
    push(data('Status', ...COMPONENT, 'required'), 'note'),
    `additive ${STATUS} 200 data.components[].note`,
  ],
  [
    'a response field made nullable',
    set(data('Status', 'properties', 'summary', 'nullable'), true),
    `breaking ${STATUS} 200 data.summary`,
  ],
  [
    'a response field no longer nullable',
    drop(...data('Time', 'properties', 'quality', 'properties', 'source', 'nullable')),
    'additive GET /api/v1/time 200 data.quality.source',
  ],
  [
    'another type',
    set(data('Time', 'properties', 'epochMs', 'type'), 'string'),
    'breaking GET /api/v1/time 200 data.epochMs',
  ],
  [
    'a format removed',
    drop(...data('Time', 'properties', 'utc', 'format')),
    'breaking GET /api/v1/time 200 data.utc',
  ],
  [
    'a value of a response removed',
    drop(...data('Status', 'properties', 'state', 'enum', 0)),
    `breaking ${STATUS} 200 data.state`,
  ],
  [
    'a value of a response added',
    push(data('Status', 'properties', 'state', 'enum'), 'unknown'),
    `additive ${STATUS} 200 data.state`,
  ],
  [
    'a number of a response limited to values',
    set(data('Time', 'properties', 'epochMs', 'enum'), [304, 1]),
    'additive GET /api/v1/time 200 data.epochMs',
  ],
  [
    'a response that is no longer limited to values',
    drop(...data('Time', 'properties', 'label', 'enum')),
    'breaking GET /api/v1/time 200 data.label',
  ],
  [
    'another pattern of a response',
    set(data('RegistrationResult', 'properties', 'ticket', 'pattern'), '^T-'),
    `breaking ${REGISTER} 200 data.ticket`,
  ],
  [
    'a further alternative of the pattern of a response',
    set(
      data('RegistrationResult', 'properties', 'ticket', 'pattern'),
      `${DATA_SCHEMAS.RegistrationResult.properties.ticket.pattern}|^T-`,
    ),
    `additive ${REGISTER} 200 data.ticket`,
  ],
  [
    'a list of a response that may be empty now',
    drop(...data('Status', 'properties', 'components', 'minItems')),
    `breaking ${STATUS} 200 data.components`,
  ],
  [
    'a longer text in a response',
    set(data('Status', ...COMPONENT, 'properties', 'id', 'maxLength'), 65),
    `additive ${STATUS} 200 data.components[].id`,
  ],
  [
    'an integer of a response that may be negative now',
    drop(...data('Time', 'properties', 'epochMs', 'minimum')),
    'breaking GET /api/v1/time 200 data.epochMs',
  ],
  [
    'another type of the values of a map',
    set(
      data('VersionSnapshot', 'properties', 'resources', 'additionalProperties', 'type'),
      'integer',
    ),
    'breaking GET /api/v1/version 200 data.resources.*',
    `breaking ${VERSION_BY_ID} 200 data.resources.*`,
  ],
  [
    'a description of a field reworded',
    set(data('Time', 'properties', 'utc', 'description'), 'Now.'),
    'text GET /api/v1/time 200 data.utc',
  ],
  [
    'a keyword that no rule knows',
    set(data('Time', 'properties', 'utc', 'multipleOf'), 2),
    'breaking GET /api/v1/time 200 data.utc',
  ],
  // Request schemas
  [
    'a request field made required',
    push(body('Registration', 'required'), 'locale'),
    `breaking ${REGISTER} body.locale`,
  ],
  [
    'a request field made optional',
    pull(body('Registration', 'required'), 'consent'),
    `additive ${REGISTER} body.consent`,
  ],
  [
    'a new required request field',
    (contract) => {
      set(body('Registration', 'properties', 'name'), text)(contract)
      push(body('Registration', 'required'), 'name')(contract)
    },
    `breaking ${REGISTER} body.name`,
  ],
  [
    'a new optional request field',
    set(body('Registration', 'properties', 'name'), text),
    `additive ${REGISTER} body.name`,
  ],
  [
    'a request field removed',
    drop(...body('Registration', 'properties', 'useCase')),
    `breaking ${REGISTER} body.useCase`,
  ],
  [
    'a value of a request refused',
    drop(...body('Registration', 'properties', 'locale', 'enum', 1)),
    `breaking ${REGISTER} body.locale`,
  ],
  [
    'a value of a request accepted',
    push(body('Registration', 'properties', 'locale', 'enum'), 'fr'),
    `additive ${REGISTER} body.locale`,
  ],
  [
    'a shorter text of a request',
    set(body('Registration', 'properties', 'useCase', 'maxLength'), 499),
    `breaking ${REGISTER} body.useCase`,
  ],
  [
    'a longer text of a request',
    set(body('Registration', 'properties', 'useCase', 'maxLength'), 501),
    `additive ${REGISTER} body.useCase`,
  ],
  [
    'a pattern for a request field',
    set(body('Registration', 'properties', 'useCase', 'pattern'), '^a'),
    `breaking ${REGISTER} body.useCase`,
  ],
  [
    'a further alternative of the pattern of a request field',
    set(
      body('KeyRequest', 'properties', 'label', 'pattern'),
      `${REQUEST_SCHEMAS.KeyRequest.properties.label.pattern}|^a`,
    ),
    'additive POST /api/v1/keys body.label',
  ],
  [
    'a pattern of a request field removed',
    drop(...body('KeyRequest', 'properties', 'label', 'pattern')),
    `additive ${KEYS} body.label`,
  ],
  [
    'another default of a request field',
    set(body('KeyRequest', 'properties', 'ttlDays', 'default'), 30),
    `beta ${KEYS} body.ttlDays`,
  ],
  [
    'repeats accepted in a request',
    drop(...body('Registration', 'properties', 'interests', 'uniqueItems')),
    `additive ${REGISTER} body.interests`,
  ],
  [
    'unknown fields accepted in a request',
    drop(...body('Registration', 'additionalProperties')),
    `additive ${REGISTER} body`,
  ],
  // The error catalog
  [
    'another status of an error',
    set(['errors', 'NOT_FOUND', 'status'], 410),
    'breaking error NOT_FOUND',
  ],
  [
    'an error that may no longer be retried',
    set(['errors', 'RATE_LIMITED', 'retryable'], false),
    'breaking error RATE_LIMITED',
  ],
  [
    'an error of beta rows with another status',
    set(['errors', 'KEY_REQUIRED', 'status'], 403),
    'beta error KEY_REQUIRED',
  ],
  [
    'a longer wait',
    set(['errors', 'RATE_LIMITED', 'retryAfterSeconds'], 61),
    'breaking error RATE_LIMITED',
  ],
  [
    'a shorter wait',
    set(['errors', 'RATE_LIMITED', 'retryAfterSeconds'], 59),
    'additive error RATE_LIMITED',
  ],
  ['a message reworded', set(['errors', 'NOT_FOUND', 'message'], 'No.'), 'text error NOT_FOUND'],
  ['an error removed', drop('errors', 'NOT_FOUND'), 'breaking error NOT_FOUND'],
  [
    'an error added',
    set(['errors', 'CONFLICT'], { status: 409, retryable: false, meaning: 'a', message: 'b' }),
    'additive error CONFLICT',
  ],
  ['an error of the router removed', pull(['routeErrors'], 'NOT_FOUND'), 'breaking routing'],
  [
    'a member of the error envelope removed',
    drop('errorSchema', 'properties', 'retryable'),
    'breaking error.retryable',
  ],
  // Limits
  ['a lower limit', shift('maxBodyBytes', -1), 'breaking limit maxBodyBytes'],
  ['a higher limit', shift('maxBodyBytes', 1), 'additive limit maxBodyBytes'],
  ['a lower limit of a beta row', shift('maxTtlDays', -1), 'beta limit maxTtlDays'],
  ['a higher minimum', shift('minTtlDays', 1), 'beta limit minTtlDays'],
  [
    'fewer requests per window',
    shiftPerActor('requests', -1),
    'breaking limit registrationPerActor',
  ],
  [
    'a longer window for the same count',
    shiftPerActor('windowSeconds', 1),
    'breaking limit registrationPerActor',
  ],
  [
    'a shorter window for the same count',
    shiftPerActor('windowSeconds', -1),
    'additive limit registrationPerActor',
  ],
  [
    'twice the count in twice the window',
    set(['limits', 'registrationPerActor'], times(PER_ACTOR, 2)),
    'additive limit registrationPerActor',
  ],
  [
    'half the count in half the window, which allows smaller bursts',
    set(['limits', 'keyedRequests'], times(LIMITS.keyedRequests, 0.5)),
    'breaking limit keyedRequests',
  ],
  ['a shorter notice', shift('deprecationNoticeDays', -1), 'breaking limit deprecationNoticeDays'],
  ['a less exact time', shift('maxTimeDistanceMs', 1), 'breaking limit maxTimeDistanceMs'],
  [
    'a shorter life of signatures',
    shift('signatureMaxAgeSeconds', -1),
    'breaking limit signatureMaxAgeSeconds',
  ],
  // Headers, CORS and the rest
  [
    'a request header removed',
    drop('headers', 'request', 'X-SVC-Key'),
    'breaking request header X-SVC-Key',
  ],
  [
    'a response header removed',
    drop('headers', 'response', 'ETag'),
    'breaking response header ETag',
  ],
  [
    'a response header added',
    set(['headers', 'response', 'Server-Timing'], {
      meaning: 'Its timing.',
      schema: { type: 'integer' },
    }),
    'additive response header Server-Timing',
  ],
  [
    'another type of a header',
    set(['headers', 'response', 'Retry-After', 'schema', 'type'], 'string'),
    'breaking response header Retry-After',
  ],
  [
    'another Vary',
    set(['headers', 'response', 'Vary', 'schema', 'enum'], ['Authorization']),
    'breaking response header Vary',
    'breaking response header Vary',
  ],
  [
    'a longer Vary',
    (contract) => {
      const schema = nodeAt(contract, ['headers', 'response', 'Vary', 'schema'])
      schema['enum'] = [`${String((schema['enum'] as readonly unknown[])[0])}, Accept-Language`]
      const terms = nodeAt(contract, ['terms'])
      terms['vary'] = `${String(terms['vary'])}, Accept-Language`
    },
    'additive response header Vary',
    'additive vary',
  ],
  [
    'a header reworded',
    set(['headers', 'response', 'ETag', 'meaning'], 'A tag.'),
    'text response header ETag',
  ],
  [
    'a CORS request header removed',
    pull(['cors', 'allowHeaders'], 'If-None-Match'),
    'breaking CORS allowHeaders',
  ],
  [
    'an exposed header removed',
    pull(['cors', 'exposeHeaders'], 'ETag'),
    'breaking CORS exposeHeaders',
  ],
  [
    'an exposed header added',
    push(['cors', 'exposeHeaders'], 'Age'),
    'additive CORS exposeHeaders',
  ],
  [
    'another allowed origin',
    set(['cors', 'allowOrigin'], 'https://example.org'),
    'breaking CORS allowOrigin',
  ],
  [
    'another lifetime of a cache class',
    set(['terms', 'cacheClasses', 'static-snapshot', 'cacheControl'], 'public, max-age=61'),
    'breaking cacheClasses.static-snapshot.cacheControl',
  ],
  [
    'a meaning of a cache class reworded',
    set(['terms', 'cacheClasses', 'none', 'meaning'], 'Never stored.'),
    'text cacheClasses.none.meaning',
  ],
  [
    'a stability level reworded',
    set(['terms', 'stability', 'beta'], 'New.'),
    'text stability.beta',
  ],
  ['a stability level removed', drop('terms', 'stability', 'beta'), 'breaking stability.beta'],
  ['another signed text', push(['terms', 'signedText'], 'host'), 'breaking signedText'],
  ['another envelope name', set(['terms', 'schemaIds', 'error'], 'v2'), 'breaking schemaIds.error'],
  [
    'another media type',
    set(['terms', 'responseContentType'], 'text/json'),
    'breaking responseContentType',
  ],
  [
    'issuance opened',
    set(['issuance'], { enabled: true, approvedBy: 'a', approvedAt: '2026-11-22', reference: 'b' }),
    'additive issuance',
  ],
]

function mutate(edit: Edit, version: string): ContractOutline {
  const contract = { ...structuredClone(BASELINE), registryVersion: version }
  edit(contract)
  return contract
}

test('the mutations are many and their titles differ', () => {
  assert.ok(CASES.length >= 60)
  assert.equal(new Set(CASES.map(([title]) => title)).size, CASES.length)
})

describe('a change has a class and a place', () => {
  for (const [title, edit, ...expected] of CASES) {
    test(title, () => {
      const { changes } = checkContract({
        baseline: BASELINE,
        current: mutate(edit, NEXT_MINOR),
        nowMs: NOW_MS,
      })
      assert.deepEqual(
        changes.map(({ class: each, place }) => `${each} ${place}`).toSorted(),
        expected.toSorted(),
      )
    })
  }

  test('the same contract has no change and no fault', () => {
    const { registryVersion } = BASELINE
    const report = checkContract({
      baseline: BASELINE,
      current: mutate(() => {}, registryVersion),
      nowMs: NOW_MS,
    })
    assert.deepEqual(report, { changes: [], faults: [] })
  })
})

/** The faults of a mutated contract. */
function faultsOf(
  edit: Edit,
  {
    version = NEXT_MINOR,
    baseline = BASELINE,
    nowMs = NOW_MS,
  }: { version?: string; baseline?: ContractOutline; nowMs?: number } = {},
): readonly string[] {
  return checkContract({ baseline, current: mutate(edit, version), nowMs }).faults
}

test('reads a value of a numeric enumeration as a value', () => {
  const withValues = (values: readonly number[]): ContractOutline =>
    mutate(set(data('Time', 'properties', 'epochMs', 'enum'), values), NEXT_MINOR)
  const { changes } = checkContract({
    baseline: withValues([1, 200]),
    current: withValues([1, 304, 20]),
    nowMs: NOW_MS,
  })
  assert.deepEqual(
    changes.map(({ class: each, change }) => `${each} ${change}`),
    ['breaking value 200 removed', 'additive value 304 added', 'additive value 20 added'],
  )
})

describe('requirements of a change', () => {
  const reword = set(row(STATUS, 'summary'), 'Read it')
  const add = set(data('Status', 'properties', 'extra'), text)
  const removeStable = drop(...data('Status', 'properties', 'summary'))
  const removeBeta = drop(...data('Wallet', 'properties', 'networks'))

  test('refuses every breaking change of a stable row in any version', () => {
    for (const [title, edit, ...expected] of CASES) {
      const isBreaking = expected.some((each) => each.startsWith('breaking'))
      const faults = faultsOf(edit, { version: '99.0.0' }).filter((each) =>
        each.includes('/api/v2'),
      )
      assert.equal(faults.length > 0, isBreaking, title)
    }
  })

  test('a text requires a patch version', () => {
    const { registryVersion: version } = BASELINE
    assert.deepEqual(faultsOf(reword, { version: NEXT_PATCH }), [])
    assert.match(faultsOf(reword, { version }).join(), new RegExp(`expected ${NEXT_PATCH}`))
  })

  test('an addition requires a minor version', () => {
    assert.deepEqual(faultsOf(add), [])
    assert.match(
      faultsOf(add, { version: NEXT_PATCH }).join(),
      new RegExp(`expected ${NEXT_MINOR}`),
    )
  })

  test('a version must not be lowered or malformed', () => {
    assert.match(faultsOf(() => {}, { version: '0.9.0' }).join(), /older than the released/)
    assert.match(faultsOf(() => {}, { version: '1.2' }).join(), /expected three numbers/)
  })

  test('a breaking change of a beta row requires a new changelog entry that names the row', () => {
    assert.match(faultsOf(removeBeta).join(), /data\.networks: field removed; expected a new entry/)
    const withEntry: Edit = (contract) => {
      removeBeta(contract)
      set(['changelog', WALLET], ['changed'])(contract)
    }
    assert.deepEqual(faultsOf(withEntry), [])
    // An entry that the released changelog had already announces nothing new.
    const baseline = { ...BASELINE, changelog: { [WALLET]: ['added'] } }
    assert.match(faultsOf(withEntry, { baseline }).join(), /expected a new entry/)
    const elsewhere: Edit = (contract) => {
      removeBeta(contract)
      set(['changelog', STATUS], ['changed'])(contract)
    }
    assert.match(faultsOf(elsewhere).join(), /expected a new entry/)
  })

  test('an experimental row changes without an entry', () => {
    const baseline = mutate(set(row(WALLET, 'stability'), 'experimental'), BASELINE.registryVersion)
    const edit: Edit = (contract) => {
      set(row(WALLET, 'stability'), 'experimental')(contract)
      removeBeta(contract)
    }
    assert.deepEqual(faultsOf(edit, { baseline }), [])
  })

  test('what it requires is reported with the change', () => {
    const { changes } = checkContract({
      baseline: BASELINE,
      current: mutate((contract) => {
        reword(contract)
        add(contract)
        removeBeta(contract)
        removeStable(contract)
      }, NEXT_MINOR),
      nowMs: NOW_MS,
    })
    assert.deepEqual(
      Object.fromEntries(changes.map(({ class: each, requires }) => [each, requires])),
      {
        text: ['registry version patch'],
        additive: ['registry version minor'],
        beta: ['registry version minor', 'changelog entry'],
        breaking: ['the next major version (/api/v2)'],
      },
    )
  })
})

describe('a deprecation', () => {
  const deprecation = {
    deprecatedAt: '2026-11-22T00:00:00Z',
    sunsetAt: '2027-03-01T00:00:00Z',
    successor: '/api/v2/status',
  }
  const deprecate: Edit = (contract) => {
    set(row(STATUS, 'status'), 'deprecated')(contract)
    set(row(STATUS, 'deprecation'), { ...deprecation })(contract)
    for (const name of ['Deprecation', 'Sunset', 'Link']) {
      push(row(STATUS, 'responses', '200', 'headers'), name)(contract)
    }
  }
  const announce = set(['changelog', STATUS], ['deprecated'])
  const both: Edit = (contract) => {
    deprecate(contract)
    announce(contract)
  }
  const DEPRECATED = mutate(both, BASELINE.registryVersion)

  test('is additive and announced in the changelog', () => {
    const { changes, faults } = checkContract({
      baseline: BASELINE,
      current: mutate(both, NEXT_MINOR),
      nowMs: NOW_MS,
    })
    assert.deepEqual(faults, [])
    assert.ok(changes.every((change) => change.class === 'additive'))
    assert.ok(changes.some(({ place }) => place === `${STATUS} deprecation`))
    assert.match(faultsOf(deprecate).join(), /expected an entry of the kind deprecated/)
  })

  test('may be revoked, with its headers', () => {
    const { changes } = checkContract({
      baseline: DEPRECATED,
      current: mutate(() => {}, NEXT_MINOR),
      nowMs: NOW_MS,
    })
    assert.deepEqual(
      changes.map(({ class: each, place, change }) => `${each} ${place}: ${change}`).toSorted(),
      [
        `additive ${STATUS} deprecation: deprecation revoked`,
        `additive ${STATUS}: status changed from "deprecated" to "active"`,
      ],
    )
  })

  test('leaves a row the link that it had', () => {
    const edit: Edit = (contract) => {
      set(row(VERSIONS, 'deprecation'), { ...deprecation })(contract)
      const headers = nodeAt(contract, row(VERSIONS, 'responses', '200', 'headers'))
      assert.ok(Object.values(headers).includes('Link'))
    }
    for (const [before, after] of [
      [BASELINE, mutate(edit, NEXT_MINOR)],
      [mutate(edit, BASELINE.registryVersion), mutate(() => {}, NEXT_MINOR)],
    ] as const) {
      const { changes } = checkContract({ baseline: before, current: after, nowMs: NOW_MS })
      assert.deepEqual([...new Set(changes.map((change) => change.class))], ['additive'])
    }
  })

  test('is refused if only the changelog has it', () => {
    assert.match(faultsOf(announce).join(), /announces the deprecation .* but its status is active/)
  })

  test('counts its notice from its release and cannot be backdated', () => {
    const latestMs = Date.parse(deprecation.sunsetAt) - 90 * 86_400_000
    assert.deepEqual(faultsOf(both, { nowMs: latestMs }), [])
    assert.match(
      faultsOf(both, { nowMs: latestMs + 1 }).join(),
      /newly deprecated with the sunset 2027-03-01T00:00:00Z; expected a sunset at least 90 days/,
    )
    // Once it is released, time may pass.
    const released = { ...DEPRECATED, registryVersion: NEXT_MINOR }
    assert.deepEqual(faultsOf(both, { baseline: released, nowMs: latestMs + 1 }), [])
  })

  test('of a beta endpoint needs a future sunset but no notice period', () => {
    const edit: Edit = (contract) => {
      set(row(WALLET, 'status'), 'deprecated')(contract)
      set(row(WALLET, 'deprecation'), { ...deprecation })(contract)
      set(['changelog', WALLET], ['deprecated'])(contract)
    }
    const sunsetMs = Date.parse(deprecation.sunsetAt)
    assert.deepEqual(faultsOf(edit, { nowMs: sunsetMs - 1 }), [])
    assert.match(faultsOf(edit, { nowMs: sunsetMs }).join(), /newly deprecated/)
  })

  test('keeps its sunset date, and a later one is additive', () => {
    const move =
      (name: keyof typeof deprecation, value: string): Edit =>
      (contract) => {
        both(contract)
        set(row(STATUS, 'deprecation', name), value)(contract)
      }
    const options = { baseline: DEPRECATED }
    for (const edit of [
      move('sunsetAt', '2027-02-28T23:59:59Z'),
      move('deprecatedAt', '2026-11-23T00:00:00Z'),
    ]) {
      assert.match(faultsOf(edit, options).join(), /deprecation: changed from .*\/api\/v2/)
    }
    const later: Edit = (contract) => {
      move('sunsetAt', '2027-03-02T00:00:00Z')(contract)
      set(['changelog', STATUS], ['deprecated', 'changed'])(contract)
    }
    assert.deepEqual(faultsOf(later, options), [])
  })

  test('ends with the removal of the row after its sunset date, and not before', () => {
    const remove: Edit = (contract) => {
      drop(...row(STATUS))(contract)
      set(['changelog', STATUS], ['deprecated', 'removed'])(contract)
    }
    const sunsetMs = Date.parse(deprecation.sunsetAt)
    const options = { baseline: DEPRECATED }
    assert.match(
      faultsOf(remove, { ...options, nowMs: sunsetMs - 1 }).join(),
      /endpoint removed before its sunset 2027-03-01/,
    )
    assert.deepEqual(faultsOf(remove, { ...options, nowMs: sunsetMs }), [])
    assert.match(
      faultsOf(drop(...row(STATUS)), { ...options, nowMs: sunsetMs }).join(),
      /expected a new entry/,
    )
  })
})

test('the committed baseline and the contract of this repository have no faults', async () => {
  const { checkOwnContract } = await import('../../scripts/contract-check.ts')
  const rootDir = fileURLToPath(new URL('../..', import.meta.url))
  assert.deepEqual(checkOwnContract(rootDir).faults, [])
})

describe('releasing a contract', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))

  test('the names of the baseline are in order', () => {
    const file = readFileSync(join(root, BASELINE_FILE), 'utf8')
    assert.ok(file === formatBaseline(JSON.parse(file) as ContractOutline))
    const { limits, endpoints } = JSON.parse(formatBaseline(BASELINE)) as ContractOutline
    for (const names of [Object.keys(limits), Object.keys(endpoints)]) {
      assert.deepEqual(names, names.toSorted())
    }
  })

  test('writes a changed contract and leaves the baseline of an unchanged one as it is', (t) => {
    const folder = temporaryFolder(t)
    const file = join(folder, BASELINE_FILE)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'as it was')
    const unchanged = { changes: [], faults: [] }
    assert.match(releaseContract(folder, unchanged, BASELINE), /baseline\.json is unchanged\.$/)
    assert.equal(readFileSync(file, 'utf8'), 'as it was')
    const change = { class: 'text', place: 'a', change: 'b', requires: [] } as const
    const report = { changes: [change], faults: [] }
    assert.match(releaseContract(folder, report, BASELINE), /^Wrote /)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), JSON.parse(JSON.stringify(BASELINE)))
  })
})
