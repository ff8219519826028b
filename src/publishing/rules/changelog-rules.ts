import { ENDPOINTS, type Endpoint, type Registry } from '@public-api/contract/registry/endpoints'
import { CHANGELOG_KINDS, type SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { LIMITS } from '@public-api/contract/terms/limits'
import { DAY_MS, formatDate } from '@public-api/contract/text/instant'
import { nearestName } from '@public-api/contract/text/nearest-name'
import { describeValue, type FieldPath, type Faults, fault } from './content-mistake.ts'
import { checkNewestFirst, checkOrder } from './value-rules.ts'

/** A key for `<` that sorts as semantic versions are ordered (SemVer 2.0.0, section 11). */
function versionKey(version: string): string {
  const [, core = '', pre] = /^([^-]*)(?:-(.*))?$/.exec(version) ?? []
  const number = (digits: string): string => digits.padStart(64, '0')
  // A release comes after its pre-releases, and words after numbers. The space sorts before every character of a word.
  const part = (id: string): string => (/^\d+$/.test(id) ? `0${number(id)}` : `1${id}`)
  const rest = pre === undefined ? ['2'] : pre.split('.').map(part)
  return [...core.split('.').map(number), ...rest].join(' ')
}

/** The part of an endpoint that distinguishes it from others. */
const lastPart = (endpoint: string): string => endpoint.replace(`${BASE_PATH}/`, '')

type Change = SnapshotData<'changelog'>['unreleased'][number]

/**
 * A deprecation in the changelog must match the registry: sunset date and successor (contract decisions section 11).
 */
function deprecationFault(
  { sunsetOn, replacement }: Change,
  endpoint: string,
  { deprecation }: Endpoint,
  isReleased: boolean,
): readonly [found: string, expected: string] | undefined {
  if (deprecation === undefined) {
    return [`the deprecation of ${endpoint}`, 'an endpoint that is deprecated in the registry']
  }
  const day = deprecation.sunsetAt.slice(0, 10)
  // A released entry keeps its announced date if the sunset is postponed.
  if (sunsetOn !== undefined && (isReleased ? sunsetOn > day : sunsetOn !== day)) {
    return [`${endpoint} with the sunset ${sunsetOn}`, `${day}, as in the registry`]
  }
  const successor = `${endpoint.split(' ', 1)[0]} ${deprecation.successor}`
  return replacement === undefined || replacement === successor
    ? undefined
    : [`${endpoint} with the replacement ${replacement}`, `${successor}, as in the registry`]
}

function* checkChange(
  change: Change,
  path: FieldPath,
  releasedOn: string | undefined,
  rows: ReadonlyMap<string, Endpoint>,
): Faults {
  const { kind, sunsetOn, endpoints } = change
  const isDeprecation = kind === 'deprecated'
  for (const member of ['sunsetOn', 'replacement'] as const) {
    if (isDeprecation === (change[member] !== undefined)) continue
    const expected = isDeprecation
      ? 'this field on a deprecation'
      : 'no such field: only deprecations have it'
    yield fault([...path, member], describeValue(change[member]), expected)
  }
  if (isDeprecation && endpoints === undefined) {
    yield fault([...path, 'endpoints'], 'nothing', 'the endpoints that are deprecated')
  }
  if (isDeprecation && sunsetOn !== undefined && releasedOn !== undefined) {
    const days = LIMITS.deprecationNoticeDays
    const earliest = formatDate(Date.parse(releasedOn) + days * DAY_MS)
    const expected = `${earliest} or later: ${days} days of notice`
    if (sunsetOn < earliest) yield fault([...path, 'sunsetOn'], sunsetOn, expected)
  }
  // Removed endpoints are not in the registry.
  if (kind === 'removed') return
  for (const [index, endpoint] of (endpoints ?? []).entries()) {
    const at = [...path, 'endpoints', index]
    const row = rows.get(endpoint)
    if (row === undefined) {
      // An organization may announce endpoints of its own; a name below /api like one of these is mistyped.
      if (!/^[A-Z]+ \/api\//.test(endpoint)) continue
      const near = nearestName(lastPart(endpoint), [...rows.keys()].map(lastPart))
      const known = [...rows.keys()].find((each) => lastPart(each) === near)
      if (known === undefined) continue
      const expected = `a known one; did you mean ${known}?`
      yield fault(at, `the unknown endpoint ${JSON.stringify(endpoint)}`, expected)
    } else if (isDeprecation) {
      const found = deprecationFault(change, endpoint, row, releasedOn !== undefined)
      if (found !== undefined) yield fault(at, ...found)
    }
  }
}

/** Checks `changelog` beyond its schema, against the registry of this service unless another one is given. */
export function* checkChangelog(
  data: SnapshotData<'changelog'>,
  registry: Registry = ENDPOINTS,
): Faults {
  const rows = new Map(Object.values(registry).map((row) => [`${row.method} ${row.path}`, row]))
  function* checkChanges(changes: readonly Change[], path: FieldPath, releasedOn?: string): Faults {
    for (const [index, change] of changes.entries()) {
      yield* checkChange(change, [...path, index], releasedOn, rows)
    }
    yield* checkOrder(path, changes, 'kind', (before, change) =>
      CHANGELOG_KINDS.indexOf(before.kind) > CHANGELOG_KINDS.indexOf(change.kind)
        ? `the order ${CHANGELOG_KINDS.join(', ')}`
        : undefined,
    )
  }
  yield* checkChanges(data.unreleased, ['unreleased'])
  yield* checkNewestFirst(['releases'], data.releases, 'date')
  yield* checkOrder(['releases'], data.releases, 'version', (newer, { version }) =>
    versionKey(version) < versionKey(newer.version)
      ? undefined
      : `a version before ${newer.version}: the newest comes first`,
  )
  for (const [index, { changes, date }] of data.releases.entries()) {
    yield* checkChanges(changes, ['releases', index, 'changes'], date)
  }
}
