import type { JsonValue } from '../contract/canonical-json.ts'
import { type FieldChange, fieldChangesBetween } from '../contract/field-changes.ts'
import { isTranslatedName, TRANSLATED_SCHEMAS } from '../contract/resource-names.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import { changesBetween } from '../contract/version-changes.ts'
import { digestFault } from '../crypto/resource-digest.ts'
import { ReleaseFileError, type ReleaseStore } from '../storage/release-store.ts'
import type { CompiledContent } from './compile-content.ts'

/** How one resource differs. */
export interface ResourceDiff {
  readonly resource: string
  readonly kind: 'added' | 'changed' | 'removed'
  /** Field by field; empty if the resource was added or removed. */
  readonly fields: readonly FieldChange[]
  /** Why the fields cannot be compared: a file that is redacted or damaged. */
  readonly problem?: string
}

/** Reads the text of a resource. */
type ReadText = (resource: string, digest: string) => string

function parse(read: ReadText, resource: string, digest: string): JsonValue {
  const text = read(resource, digest)
  const fault = digestFault(text, digest)
  if (fault !== undefined) throw new ReleaseFileError('UNREADABLE', resource, fault)
  return JSON.parse(text) as JsonValue
}

function diffBetween(
  [before, readBefore]: readonly [VersionEntry['resources'], ReadText],
  [after, readAfter]: readonly [VersionEntry['resources'], ReadText],
): readonly ResourceDiff[] {
  return changesBetween(before, after).map(({ resource, kind }) => {
    const [old, now] = [before[resource], after[resource]]
    if (kind !== 'changed' || old === undefined || now === undefined) {
      return { resource, kind, fields: [] }
    }
    try {
      const schema = isTranslatedName(resource) ? TRANSLATED_SCHEMAS[resource] : {}
      const fields = fieldChangesBetween(
        parse(readBefore, resource, old),
        parse(readAfter, resource, now),
        schema,
      )
      return { resource, kind, fields }
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
      return { resource, kind, fields: [], problem: error.message }
    }
  })
}

/** How one version differs from another. */
export function diffVersions(
  store: ReleaseStore,
  before: VersionEntry,
  after: VersionEntry,
): readonly ResourceDiff[] {
  const read: ReadText = (resource, digest) => store.readResourceText(resource, digest)
  return diffBetween([before.resources, read], [after.resources, read])
}

/** The changes that publishing would make. Without a published version, every resource is added. */
export function diffContent(
  store: ReleaseStore,
  head: VersionEntry | undefined,
  { resources }: CompiledContent,
): readonly ResourceDiff[] {
  const digests: { [name: string]: string } = {}
  const texts = new Map<string, string>()
  for (const [name, { digest, text }] of resources) {
    digests[name] = digest
    texts.set(name, text)
  }
  return diffBetween(
    [head?.resources ?? {}, (resource, digest) => store.readResourceText(resource, digest)],
    [digests, (resource) => texts.get(resource) ?? ''],
  )
}
