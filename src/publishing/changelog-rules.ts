import { BASE_PATH } from '../contract/api-version.ts'
import { ENDPOINTS, type Endpoint, type Registry } from '../contract/endpoints.ts'
import { DAY_MS, formatDate } from '../contract/instant.ts'
import { LIMITS } from '../contract/limits.ts'
import { CHANGELOG_KINDS } from '../contract/snapshot-changelog.ts'
import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { describeValue, type FieldPath, type Report } from './content-mistake.ts'
import { checkNewestFirst } from './semantic-rules.ts'
import { expectedName } from '../contract/nearest-name.ts'

function parseVersion(version: string): { readonly core: number[]; readonly pre: string[] } {
  const [core = '', ...pre] = version.split('-')
  return {
    core: core.split('.').map(Number),
    pre: pre.length === 0 ? [] : pre.join('-').split('.'),
  }
}

/** Precedence of two semantic versions (SemVer 2.0.0, section 11): negative when `a` is the older. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  for (const [index, number] of left.core.entries()) {
    const difference = number - (right.core[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length
  for (const [index, one] of left.pre.entries()) {
    const other = right.pre[index]
    if (other === undefined) return 1
    if (one === other) continue
    const isNumber = [/^\d+$/.test(one), /^\d+$/.test(other)]
    if (isNumber[0] === true && isNumber[1] === true) return Number(one) - Number(other)
    if (isNumber[0] !== isNumber[1]) return isNumber[0] === true ? -1 : 1
    return one < other ? -1 : 1
  }
  return left.pre.length - right.pre.length
}

type ChangelogRelease = SnapshotData<'changelog'>['releases'][number]

function checkChange(
  change: ChangelogRelease['changes'][number],
  path: FieldPath,
  releasedOn: string | undefined,
  registry: Registry,
  report: Report,
): void {
  const rows = new Map(Object.values(registry).map((row) => [`${row.method} ${row.path}`, row]))
  const isDeprecation = change.kind === 'deprecated'
  for (const member of ['sunsetOn', 'replacement'] as const) {
    if (isDeprecation === (change[member] !== undefined)) continue
    report(
      [...path, member],
      describeValue(change[member]),
      isDeprecation ? 'this field on a deprecation' : 'no such field: only deprecations have it',
    )
  }
  if (isDeprecation && change.endpoints === undefined) {
    report([...path, 'endpoints'], 'nothing', 'the endpoints that are deprecated')
  }
  if (isDeprecation && change.sunsetOn !== undefined && releasedOn !== undefined) {
    const earliest = Date.parse(releasedOn) + LIMITS.deprecationNoticeDays * DAY_MS
    if (Date.parse(change.sunsetOn) < earliest) {
      report(
        [...path, 'sunsetOn'],
        change.sunsetOn,
        `${formatDate(earliest)} or later: ${LIMITS.deprecationNoticeDays} days of notice`,
      )
    }
  }
  // Removed endpoints are not in the registry.
  if (change.kind === 'removed') return
  for (const [index, endpoint] of (change.endpoints ?? []).entries()) {
    if (!endpoint.includes(`${BASE_PATH}/`) && !endpoint.endsWith(BASE_PATH)) continue
    const row = rows.get(endpoint)
    if (row !== undefined) {
      if (isDeprecation) {
        checkDeprecation(change, row, releasedOn, [...path, 'endpoints', index], report)
      }
      continue
    }
    report(
      [...path, 'endpoints', index],
      `the unknown endpoint ${JSON.stringify(endpoint)}`,
      expectedName(endpoint, [...rows.keys()], 'a known one', 'an endpoint of the registry'),
    )
  }
}

/**
 * A deprecation in the changelog must match the registry: sunset date and successor (contract decisions section 11).
 */
function checkDeprecation(
  change: ChangelogRelease['changes'][number],
  { method, path: rowPath, deprecation }: Endpoint,
  releasedOn: string | undefined,
  path: FieldPath,
  report: Report,
): void {
  const where = `${method} ${rowPath}`
  if (deprecation === undefined) {
    report(path, `the deprecation of ${where}`, 'an endpoint that is deprecated in the registry')
    return
  }
  const { sunsetAt, successor } = deprecation
  const sunsetOn = sunsetAt.slice(0, 10)
  // A released entry keeps its announced date if the sunset is postponed.
  const isWrong =
    change.sunsetOn !== undefined &&
    (releasedOn === undefined ? change.sunsetOn !== sunsetOn : change.sunsetOn > sunsetOn)
  if (isWrong) {
    report(path, `${where} with the sunset ${change.sunsetOn}`, `${sunsetOn}, as in the registry`)
  }
  if (change.replacement !== undefined && change.replacement !== `${method} ${successor}`) {
    report(
      path,
      `${where} with the replacement ${change.replacement}`,
      `${method} ${successor}, as in the registry`,
    )
  }
}

/** Checks `changelog` beyond its schema, against the registry of this service unless another one is given. */
export function checkChangelog(
  data: SnapshotData<'changelog'>,
  report: Report,
  registry: Registry = ENDPOINTS,
): void {
  checkNewestFirst(report, ['releases'], data.releases, 'date')
  const checkChanges = (
    changes: ChangelogRelease['changes'],
    path: FieldPath,
    releasedOn: string | undefined,
  ): void => {
    for (const [index, change] of changes.entries()) {
      checkChange(change, [...path, index], releasedOn, registry, report)
      const before = changes[index - 1]
      if (
        before !== undefined &&
        CHANGELOG_KINDS.indexOf(before.kind) > CHANGELOG_KINDS.indexOf(change.kind)
      ) {
        report(
          [...path, index, 'kind'],
          describeValue(change.kind),
          `the order ${CHANGELOG_KINDS.join(', ')}`,
        )
      }
    }
  }
  checkChanges(data.unreleased, ['unreleased'], undefined)
  for (const [index, release] of data.releases.entries()) {
    const newer = data.releases[index - 1]
    if (newer !== undefined && compareVersions(release.version, newer.version) >= 0) {
      report(
        ['releases', index, 'version'],
        describeValue(release.version),
        `a version before ${newer.version}: the newest comes first`,
      )
    }
    checkChanges(release.changes, ['releases', index, 'changes'], release.date)
  }
}
