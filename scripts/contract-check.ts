import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { checkRegistry } from '@public-api/contract/registry/registry-rules'
import { DAY_MS, parseInstant } from '@public-api/contract/text/instant'
import { parse } from 'yaml'
import { compareContracts, type ChangeClass, type ContractChange } from './contract-changes.ts'
import {
  BASELINE_FILE,
  outlineContract,
  OWN_CONTRACT,
  readBaseline,
  type ChangelogEntry,
  type ContractOutline,
} from './contract-outline.ts'
import { runScript } from './script-main.ts'

const CHANGELOG_FILE = 'content/changelog.yaml'
const VERSION_FILE = 'packages/contract/registry/api-version.ts'

const HELP = `Usage: npm run contract:check [-- --json]
       npm run contract:release

Compares the contract's tables with ${BASELINE_FILE}, the last released contract. Prints one line for each change:
its class, its place, what changed and what it requires.
  text       words for people
  additive   clients are unaffected
  beta       breaking, on a beta endpoint
  breaking   breaking, on a stable endpoint: belongs to the next major version

  --json      print { "changes": [{ "class", "place", "change", "requires" }], "problems": [] }
  --release   write the contract as the new baseline; refused while there are problems
  --help      this text

Exit code: 0 no problems, 1 problems, 2 wrong usage.
`

/** One change with its requirements, as printed by `--json`. */
export interface ReportedChange {
  readonly class: ChangeClass
  readonly place: string
  readonly change: string
  readonly requires: readonly string[]
}

/** Result of the check. */
export interface ContractReport {
  readonly changes: readonly ReportedChange[]
  readonly problems: readonly string[]
}

/** A released contract and the one of the tables. */
export interface ContractCheckOptions {
  readonly baseline: ContractOutline
  readonly current: ContractOutline
  /** Decides whether a sunset date has passed. */
  readonly nowMs: number
}

/** Reports every change of a contract since its release, and every promise that it breaks. */
export function checkContract({ baseline, current, nowMs }: ContractCheckOptions): ContractReport {
  const changes = compareContracts(baseline, current).map((change) => ({
    ...change,
    isAllowed: change.class !== 'breaking' || isPastSunset(change, nowMs),
    needsEntry: needsEntry(change, baseline),
  }))
  const classes = changes.map((change) => change.class)
  const needed = lowestVersion(baseline.registryVersion, classes)
  const hasNewEntry = (row: string): boolean =>
    (current.changelog[row]?.length ?? 0) > (baseline.changelog[row]?.length ?? 0)
  return {
    changes: changes.map((each) => ({
      class: each.class,
      place: each.place,
      change: each.change,
      requires: [
        ...(each.isAllowed
          ? [`registry version ${each.class === 'text' ? 'patch' : 'minor'}`]
          : ['the next major version (/api/v2)']),
        ...(each.needsEntry ? ['changelog entry'] : []),
      ],
    })),
    problems: [
      ...changes.flatMap((each) => (each.isAllowed ? [] : [refusal(each)])),
      ...versionProblems(baseline.registryVersion, needed, current.registryVersion),
      ...changes.flatMap((each) =>
        !each.needsEntry || each.rows.some(hasNewEntry)
          ? []
          : [
              `${each.place}: ${each.change}; expected a new entry in ${CHANGELOG_FILE} that names ${each.rows.join(' or ')}`,
            ],
      ),
      ...deprecationProblems(current),
      ...noticeProblems(baseline, current, nowMs),
    ],
  }
}

function refusal({ place, change, removedRow }: ContractChange): string {
  const sunsetAt = removedRow?.deprecation?.sunsetAt
  return sunsetAt === undefined
    ? `${place}: ${change}; a breaking change of a stable endpoint needs a new major version (/api/v2)`
    : `${place}: ${change} before its sunset ${sunsetAt}`
}

/** Whether a change removes a row whose sunset date has passed (spec 9.4). */
function isPastSunset({ removedRow }: ContractChange, nowMs: number): boolean {
  const sunsetMs = parseInstant(removedRow?.deprecation?.sunsetAt ?? '')
  return sunsetMs !== undefined && sunsetMs <= nowMs
}

/** Beta changes, deprecations and removals are announced; experimental rows change without notice (spec 9.5). */
function needsEntry(change: ContractChange, { endpoints }: ContractOutline): boolean {
  if (change.place.endsWith(' deprecation') || change.removedRow !== undefined) {
    return change.rows.some((row) => endpoints[row]?.stability !== 'experimental')
  }
  return change.class === 'beta' && change.rows.some((row) => endpoints[row]?.stability === 'beta')
}

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

function lowestVersion(baseline: string, classes: readonly ChangeClass[]): string {
  if (classes.length === 0) return baseline
  const [major = 0, minor = 0, patch = 0] = baseline.split('.').map(Number)
  return classes.every((each) => each === 'text')
    ? `${major}.${minor}.${patch + 1}`
    : `${major}.${minor + 1}.0`
}

function versionProblems(baseline: string, needed: string, found: string): readonly string[] {
  if (!VERSION.test(found)) {
    return [`the registry version is ${found}; expected three numbers such as ${needed}`]
  }
  if (compareVersions(found, needed) >= 0) return []
  return needed === baseline
    ? [`the registry version ${found} is older than the released ${baseline}`]
    : [
        `the registry version is ${found}; expected ${needed} or higher, because the contract changed since ${baseline} (REGISTRY_VERSION in ${VERSION_FILE})`,
      ]
}

function compareVersions(one: string, other: string): number {
  const numbers = other.split('.').map(Number)
  const differences = one.split('.').map((part, index) => Number(part) - (numbers[index] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}

/** The registry and the changelog have the same deprecations. A row that was removed stays in the changelog. */
function deprecationProblems({ endpoints, changelog }: ContractOutline): readonly string[] {
  return Object.entries(endpoints).flatMap(([row, { status }]) => {
    const isAnnounced = changelog[row]?.includes('deprecated') === true
    if (isAnnounced === (status === 'deprecated')) return []
    return isAnnounced
      ? [`${CHANGELOG_FILE} announces the deprecation of ${row}, but its status is ${status}`]
      : [`${row} is deprecated; expected an entry of the kind deprecated in ${CHANGELOG_FILE}`]
  })
}

/**
 * A deprecation that was not released yet gives its notice from now on, whatever `deprecatedAt` says: 90 days on a stable
 * row, and on any other row a sunset that has not passed.
 */
function noticeProblems(
  baseline: ContractOutline,
  { endpoints, limits }: ContractOutline,
  nowMs: number,
): readonly string[] {
  return Object.entries(endpoints).flatMap(([row, { deprecation, stability }]) => {
    const sunsetMs = parseInstant(deprecation?.sunsetAt ?? '')
    if (sunsetMs === undefined || baseline.endpoints[row]?.deprecation !== undefined) return []
    const days = stability === 'stable' ? Number(limits['deprecationNoticeDays']) : 0
    const isEnough = days === 0 ? sunsetMs > nowMs : sunsetMs - nowMs >= days * DAY_MS
    return isEnough
      ? []
      : [
          `${row} is newly deprecated with the sunset ${deprecation?.sunsetAt}; expected a sunset at least ${days} days from now`,
        ]
  })
}

/** The changes of the changelog in a content folder. */
function readChangelog(rootDir: string): readonly ChangelogEntry[] {
  const { unreleased, releases } = parse(
    readFileSync(path.join(rootDir, CHANGELOG_FILE), 'utf8'),
  ) as {
    readonly unreleased: readonly ChangelogEntry[]
    readonly releases: readonly { readonly changes: readonly ChangelogEntry[] }[]
  }
  return [...unreleased, ...releases.flatMap(({ changes }) => changes)]
}

/** Checks the contract of this repository. */
export function checkOwnContract(rootDir: string): ContractReport {
  const { registry, issuance } = OWN_CONTRACT
  const { changes, problems } = checkContract({
    baseline: readBaseline(rootDir),
    current: outlineContract(OWN_CONTRACT, readChangelog(rootDir)),
    nowMs: Date.now(),
  })
  return { changes, problems: [...checkRegistry(registry, { issuance }), ...problems] }
}

/** A baseline file: its names are in order, so that a diff shows only what changed. */
export function formatBaseline(outline: ContractOutline): string {
  const ordered: unknown = JSON.parse(canonicalJson(outline as unknown as JsonValue))
  return `${JSON.stringify(ordered, null, 2)}\n`
}

/** Writes the baseline of a checked contract, unless the contract is the released one. Returns what was done. */
export function releaseContract(
  rootDir: string,
  { changes }: ContractReport,
  outline: ContractOutline,
): string {
  if (changes.length === 0) return `${BASELINE_FILE} is unchanged.`
  writeFileSync(path.join(rootDir, BASELINE_FILE), formatBaseline(outline))
  return `Wrote ${BASELINE_FILE} (registry version ${outline.registryVersion}).`
}

function formatReport({ changes, problems }: ContractReport): string {
  const lines = changes.map(
    ({ class: each, place, change, requires }) =>
      `${each.padEnd(8)}  ${place}: ${change} (requires: ${requires.join(', ')})`,
  )
  const summary =
    changes.length === 0
      ? 'The contract is the released one.'
      : `${changes.length} ${changes.length === 1 ? 'change' : 'changes'} since the release.`
  return [...lines, summary, ...problems.map((problem) => `problem: ${problem}`), ''].join('\n')
}

await runScript(import.meta, {
  help: HELP,
  options: { json: { type: 'boolean' }, release: { type: 'boolean' } },
  run({ values }) {
    const rootDir = fileURLToPath(new URL('..', import.meta.url))
    const report = checkOwnContract(rootDir)
    process.stdout.write(
      values.json === true ? `${JSON.stringify(report)}\n` : formatReport(report),
    )
    if (report.problems.length > 0) return 1
    if (values.release === true) {
      const outline = outlineContract(OWN_CONTRACT, readChangelog(rootDir))
      process.stdout.write(`${releaseContract(rootDir, report, outline)}\n`)
    }
    return 0
  },
})
