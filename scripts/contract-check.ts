import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { checkRegistry } from '@public-api/contract/registry/registry-rules'
import { DAY_MS, parseInstant } from '@public-api/contract/text/instant'
import { parse } from 'yaml'
import { type ChangeClass, compareContracts, type ContractChange } from './contract-changes.ts'
import {
  BASELINE_FILE,
  outlineContract,
  OWN_CONTRACT,
  readBaseline,
  type ChangelogEntry,
  type ContractOutline,
} from './contract-outline.ts'
import { dataRuleFaults } from './data-rule.ts'
import { runScript } from './script-main.ts'

const CHANGELOG_FILE = 'content/changelog.yaml'
const VERSION_FILE = 'packages/contract/terms/api-version.ts'

const HELP = `Usage: npm run contract:check [-- --json]
       npm run contract:release

Compares the contract's tables with ${BASELINE_FILE}, the last released contract. Prints one line for each change:
its class, its place, what changed and what it requires.
  text       words for people
  additive   clients are unaffected
  beta       breaking, on a beta endpoint
  breaking   breaking, on a stable endpoint: belongs to the next major version

  --json      print { "changes": [{ "class", "place", "change", "requires" }], "faults": [] }
  --release   write the contract as the new baseline; refused while there are faults
  --help      this text

Exit code: 0 no faults, 1 faults, 2 wrong usage.
`

/** Result of the check: each change with its requirements, and every broken promise. */
export interface ContractReport {
  readonly changes: readonly (Omit<ContractChange, 'rows'> & {
    readonly requires: readonly string[]
  })[]
  readonly faults: readonly string[]
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
  const hasNewEntry = (row: string): boolean =>
    (current.changelog[row]?.length ?? 0) > (baseline.changelog[row]?.length ?? 0)
  const changes = compareContracts(baseline, current).map((change) => {
    const { class: each, place, rows } = change
    const removedRow = current.endpoints[place] ? undefined : baseline.endpoints[place]
    const sunsetAt = removedRow?.deprecation?.sunsetAt
    const isAnnounced = removedRow || place.endsWith(' deprecation') || each === 'beta'
    return {
      ...change,
      sunsetAt,
      // A row may be removed after its sunset date (spec 9.4).
      isAllowed: each !== 'breaking' || (parseInstant(sunsetAt ?? '') ?? Infinity) <= nowMs,
      // Beta changes, deprecations and removals are announced; experimental rows change without notice (spec 9.5).
      needsEntry:
        isAnnounced && rows.some((row) => baseline.endpoints[row]?.stability !== 'experimental'),
    }
  })
  return {
    changes: changes.map(({ class: each, place, change, isAllowed, needsEntry }) => {
      const version = `registry version ${each === 'text' ? 'patch' : 'minor'}`
      const requires = [isAllowed ? version : 'the next major version (/api/v2)']
      if (needsEntry) requires.push('changelog entry')
      return { class: each, place, change, requires }
    }),
    faults: [
      ...changes
        .filter(({ isAllowed }) => !isAllowed)
        .map(({ place, change, sunsetAt }) =>
          sunsetAt === undefined
            ? `${place}: ${change}; a breaking change of a stable endpoint needs a new major version (/api/v2)`
            : `${place}: ${change} before its sunset ${sunsetAt}`,
        ),
      ...versionProblems(
        baseline.registryVersion,
        changes.map((change) => change.class),
        current.registryVersion,
      ),
      ...changes
        .filter(({ needsEntry, rows }) => needsEntry && !rows.some(hasNewEntry))
        .map(
          ({ place, change, rows }) =>
            `${place}: ${change}; expected a new entry in ${CHANGELOG_FILE} that names ${rows.join(' or ')}`,
        ),
      ...deprecationProblems(baseline, current, nowMs),
    ],
  }
}

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/
const { compare: compareVersions } = new Intl.Collator('en', { numeric: true })

function versionProblems(
  released: string,
  classes: readonly ChangeClass[],
  found: string,
): readonly string[] {
  const [major = 0, minor = 0, patch = 0] = released.split('.').map(Number)
  const isText = classes.every((each) => each === 'text')
  const next = isText ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`
  const needed = classes.length === 0 ? released : next
  if (!VERSION.test(found)) {
    return [`the registry version is ${found}; expected three numbers such as ${needed}`]
  }
  if (compareVersions(found, needed) >= 0) return []
  return classes.length === 0
    ? [`the registry version ${found} is older than the released ${released}`]
    : [
        `the registry version is ${found}; expected ${needed} or higher, because the contract changed since ${released} (REGISTRY_VERSION in ${VERSION_FILE})`,
      ]
}

/** Faults of the deprecations. A row that was removed stays in the changelog. */
function deprecationProblems(
  baseline: ContractOutline,
  { endpoints, changelog, limits }: ContractOutline,
  nowMs: number,
): readonly string[] {
  return Object.entries(endpoints).flatMap(([row, { status, deprecation, stability }]) => {
    const faults: string[] = []
    const isAnnounced = changelog[row]?.includes('deprecated') === true
    if (isAnnounced && status !== 'deprecated') {
      faults.push(
        `${CHANGELOG_FILE} announces the deprecation of ${row}, but its status is ${status}`,
      )
    }
    if (!isAnnounced && status === 'deprecated') {
      faults.push(
        `${row} is deprecated; expected an entry of the kind deprecated in ${CHANGELOG_FILE}`,
      )
    }
    // A deprecation gives its notice from its release, whatever `deprecatedAt` says. Any other row than a stable one has
    // a sunset that has not passed.
    const leftMs = (parseInstant(deprecation?.sunsetAt ?? '') ?? Infinity) - nowMs
    const days = stability === 'stable' ? Number(limits['deprecationNoticeDays']) : 0
    if (!baseline.endpoints[row]?.deprecation && (leftMs <= 0 || leftMs < days * DAY_MS)) {
      faults.push(
        `${row} is newly deprecated with the sunset ${deprecation?.sunsetAt}; expected a sunset at least ${days} days from now`,
      )
    }
    return faults
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
  const { registry, issuance, dataSchemas } = OWN_CONTRACT
  const { changes, faults } = checkContract({
    baseline: readBaseline(rootDir),
    current: outlineContract(OWN_CONTRACT, readChangelog(rootDir)),
    nowMs: Date.now(),
  })
  const own = [...checkRegistry(registry, { issuance }), ...dataRuleFaults(dataSchemas)]
  return { changes, faults: [...own, ...faults] }
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

function formatReport({ changes, faults }: ContractReport): string {
  const lines = changes.map(
    ({ class: each, place, change, requires }) =>
      `${each.padEnd(8)}  ${place}: ${change} (requires: ${requires.join(', ')})`,
  )
  const summary =
    changes.length === 0
      ? 'The contract is the released one.'
      : `${changes.length} ${changes.length === 1 ? 'change' : 'changes'} since the release.`
  return [...lines, summary, ...faults.map((fault) => `fault: ${fault}`), ''].join('\n')
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
    if (report.faults.length > 0) return 1
    if (values.release === true) {
      const outline = outlineContract(OWN_CONTRACT, readChangelog(rootDir))
      process.stdout.write(`${releaseContract(rootDir, report, outline)}\n`)
    }
    return 0
  },
})
