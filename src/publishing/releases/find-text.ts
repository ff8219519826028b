import type { RedactionRecord } from '@public-api/contract/history/redaction'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import { normalizeText } from './places-of-text.ts'
import { readVersions } from './published-versions.ts'

/** A published text that contains the searched one. */
export interface FoundText {
  /** Every version that publishes it, oldest first. */
  readonly snapshotIds: readonly string[]
  /** A resource, or `note` for the versions' own note. */
  readonly resource: string
  /** Digest of the resource; undefined for a note. */
  readonly digest?: string
  /** The fields that contain it, such as `incidents.0.title`. */
  readonly fields: readonly string[]
}

/** The fields of a value whose name or content contains the text. */
function* fieldsWith(value: JsonValue, needle: string, path: string): Generator<string, void> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value) as [string, JsonValue][]) {
      const at = path === '' ? name : `${path}.${name}`
      if (normalizeText(name).includes(needle)) yield at
      else yield* fieldsWith(member, needle, at)
    }
  } else if (normalizeText(String(value)).includes(needle)) yield path
}

/**
 * Finds a text in every version and resource, notes and reasons of redactions included, in all spellings that the leak
 * guard sees. `unread` has the resources without text: redacted or damaged. Throws a PublishError if the history is damaged.
 */
export function findText(store: ReleaseStore, text: string) {
  const needle = normalizeText(text).trim()
  const found: FoundText[] = []
  const unread: { readonly resource: string; readonly digest: string }[] = []
  const byResource = new Map<string, { resource: string; digest: string; ids: string[] }>()
  for (const { snapshotId, note, resources } of readVersions(store)) {
    if (normalizeText(note).includes(needle)) {
      found.push({ snapshotIds: [snapshotId], resource: 'note', fields: ['note'] })
    }
    for (const [resource, digest] of Object.entries(resources)) {
      const key = `${resource}/${digest}`
      const known = byResource.get(key) ?? { resource, digest, ids: [] }
      known.ids.push(snapshotId)
      byResource.set(key, known)
    }
  }
  for (const { resource, digest, ids: snapshotIds } of byResource.values()) {
    let value: JsonValue
    try {
      value = JSON.parse(store.readResourceText(resource, digest)) as JsonValue
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
      unread.push({ resource, digest })
      const redaction: RedactionRecord | undefined = store.readRedaction(resource, digest)
      if (redaction === undefined) continue
      value = { reason: redaction.reason }
    }
    const fields = [...fieldsWith(value, needle, '')]
    if (fields.length > 0) found.push({ snapshotIds, resource, digest, fields })
  }
  return { found, unread }
}
