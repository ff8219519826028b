import { API_VERSION } from '../contract/api-version.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import {
  isTranslatedName,
  RESOURCE_NAMES,
  type ResourceName,
  TRANSLATED_SCHEMAS,
} from '../contract/resource-names.ts'
import { SNAPSHOT_NAMES } from '../contract/snapshot-schemas.ts'
import type { ReleaseStore } from '../storage/release-store.ts'
import { compileContent } from './compile-content.ts'
import { type ContentMistake, formatMistake } from './content-mistake.ts'
import { createSchemaCheck } from './schema-check.ts'
import { type ReleaseFinding, verifyReleases } from './verify-releases.ts'
import { parseYamlSource } from './yaml-source.ts'

/** What to check. */
export interface CheckOptions {
  readonly contentDir: string
  readonly store: ReleaseStore
  /** Milliseconds since 1970. */
  readonly nowMs: number
  readonly registryVersion: string
  /** The publish command as typed, for messages. */
  readonly publishCommand?: string
}

function checkHeadShapes(store: ReleaseStore, head: VersionEntry): ReleaseFinding[] {
  const findings: ReleaseFinding[] = []
  for (const [name, digest] of Object.entries(head.resources)) {
    const where = `${head.snapshotId} ${name}`
    if (!RESOURCE_NAMES.some((known) => known === name)) {
      findings.push({ where, message: 'found an unknown resource, expected only described ones' })
      continue
    }
    // A translation has no schema: publishing checks it against the original.
    if (!isTranslatedName(name)) continue
    let text: string
    try {
      text = store.readResourceText(name, digest)
    } catch {
      continue // Reported with the files.
    }
    // JSON is YAML 1.2, so a published text goes through the same checks as its source.
    const { source, mistakes } = parseYamlSource(where, text)
    const all: readonly ContentMistake[] =
      source === undefined
        ? mistakes
        : createSchemaCheck(TRANSLATED_SCHEMAS[name]).mistakesOf(source)
    for (const mistake of all) findings.push({ where, message: formatMistake(mistake) })
  }
  for (const name of SNAPSHOT_NAMES) {
    if (head.resources[name] !== undefined) continue
    findings.push({ where: head.snapshotId, message: `found no ${name}, expected every resource` })
  }
  return findings
}

/**
 * Checks a release folder completely: the chain, the digest of every file of every version, the newest resources
 * against their schemas, the registry version, and that the content folder compiles to exactly the newest version.
 * Returns the problems.
 */
export async function checkRelease(options: CheckOptions): Promise<readonly ReleaseFinding[]> {
  const { contentDir, store, registryVersion, publishCommand = 'svc publish' } = options
  const verified = verifyReleases(store)
  const head = verified.versions.at(-1)
  if (head === undefined) {
    return verified.findings.map(({ where, message }) => ({
      where,
      message: `${message}; run ${publishCommand}`,
    }))
  }
  const findings = [...verified.findings, ...checkHeadShapes(store, head)]
  for (const [name, found, expected] of [
    ['registry', head.registryVersion, registryVersion],
    ['API', head.apiVersion, API_VERSION],
  ] as const) {
    if (found === expected) continue
    findings.push({
      where: head.snapshotId,
      message: `found the ${name} version ${found}, expected ${expected}; run ${publishCommand}`,
    })
  }
  // The newest version was created in the past, even if this clock is slow.
  const nowMs = Math.max(options.nowMs, Date.parse(head.createdAt))
  const compiled = await compileContent(contentDir, nowMs)
  for (const mistake of compiled.mistakes) {
    findings.push({ where: contentDir, message: formatMistake(mistake) })
  }
  if (compiled.mistakes.length > 0) return findings
  const names = new Set([...compiled.resources.keys(), ...Object.keys(head.resources)])
  for (const name of names) {
    const digest = compiled.resources.get(name as ResourceName)?.digest
    if (head.resources[name] === digest) continue
    findings.push({
      where: `${contentDir} ${name}`,
      message: `found unpublished changes, expected what ${head.snapshotId} publishes; run ${publishCommand}`,
    })
  }
  return findings
}
