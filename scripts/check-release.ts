import { API_VERSION } from '@public-api/contract/terms/api-version'
import { compileContent } from '../src/publishing/compile/compile-content.ts'
import { checkResources } from '../src/publishing/releases/roll-back-release.ts'
import { sourcesOfVersion } from '../src/publishing/releases/select-resources.ts'
import { type ReleaseFinding, verifyReleases } from '../src/publishing/releases/verify-releases.ts'
import { formatMistake } from '../src/publishing/rules/content-mistake.ts'
import type { ReleaseStore } from '../src/releases/release-store.ts'

/** What to check. */
interface CheckOptions {
  readonly contentDir: string
  readonly store: ReleaseStore
  /** Milliseconds since 1970. */
  readonly nowMs: number
  readonly registryVersion: string
  /** The publish command as typed, for messages. */
  readonly publishCommand: string
}

/**
 * Checks a release folder completely, and that the content folder compiles to exactly the newest version. Returns the
 * faults.
 */
export async function checkRelease({
  contentDir,
  store,
  nowMs,
  registryVersion,
  publishCommand,
}: CheckOptions): Promise<readonly ReleaseFinding[]> {
  const advice = `run ${publishCommand}`
  const { versions, findings: found } = await verifyReleases(store)
  const head = versions.at(-1)
  if (head === undefined) {
    return found.map(({ where, message }) => ({ where, message: `${message}; ${advice}` }))
  }
  const findings = [...found]
  const add = (where: string, message: string): void => void findings.push({ where, message })
  if (found.length === 0) {
    const { obstacles } = checkResources(sourcesOfVersion(store, head), nowMs)
    for (const obstacle of obstacles) add(head.snapshotId, obstacle)
  }
  for (const [name, version, expected] of [
    ['registry', head.registryVersion, registryVersion],
    ['API', head.apiVersion, API_VERSION],
  ] as const) {
    if (version === expected) continue
    add(head.snapshotId, `found the ${name} version ${version}, expected ${expected}; ${advice}`)
  }
  // Even with a slow clock, the newest version was created before now.
  const { mistakes, resources } = await compileContent(
    contentDir,
    Math.max(nowMs, Date.parse(head.createdAt)),
  )
  for (const mistake of mistakes) add(contentDir, formatMistake(mistake))
  if (mistakes.length > 0) return findings
  const digests: ReadonlyMap<string, string> = new Map(
    [...resources].map(([name, { digest }]) => [name, digest]),
  )
  for (const name of new Set([...digests.keys(), ...Object.keys(head.resources)])) {
    if (head.resources[name] === digests.get(name)) continue
    add(
      `${contentDir} ${name}`,
      `found unpublished changes, expected what ${head.snapshotId} publishes; ${advice}`,
    )
  }
  return findings
}
