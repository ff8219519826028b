import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { isTranslatedName, translatedSchema } from '@public-api/contract/registry/resource-names'
import { type FieldChange, fieldChangesBetween } from '@public-api/contract/snapshots/field-changes'
import { isPastEventsName } from '@public-api/contract/snapshots/past-events'
import {
  changedEventResources,
  type RemovedEvent,
  removedEvents,
} from '@public-api/contract/snapshots/removed-events'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import type { CompiledResource } from '../compile/compile-content.ts'

/** How one resource differs. */
export interface ResourceDiff {
  readonly resource: string
  readonly kind: 'added' | 'changed' | 'removed'
  /** Field by field; empty if the resource was added or removed. */
  readonly fields: readonly FieldChange[]
  /** Incidents and maintenances that are removed. */
  readonly removedEvents?: readonly RemovedEvent[]
  /** Why the fields cannot be compared: a file that is redacted or damaged. */
  readonly failure?: string
}

/**
 * How the resources of one version, by digest, differ from those of another. `compiled` has those that are not
 * published yet.
 */
export function diffResources(
  store: ReleaseStore,
  before: VersionEntry['resources'],
  after: VersionEntry['resources'],
  compiled?: ReadonlyMap<string, CompiledResource>,
): readonly ResourceDiff[] {
  function parse(resource: string, digest: string): JsonValue {
    const content = compiled?.get(resource)
    if (content?.digest === digest) return JSON.parse(content.text) as JsonValue
    return JSON.parse(store.readResourceText(resource, digest)) as JsonValue
  }

  return changesBetween(before, after).map(({ resource, kind }) => {
    const [old, now] = [before[resource], after[resource]]
    if (kind !== 'changed' || old === undefined || now === undefined) {
      return { resource, kind, fields: [] }
    }
    try {
      const schema = isTranslatedName(resource) ? translatedSchema(resource) : {}
      const [earlier, later] = [parse(resource, old), parse(resource, now)]
      const fields = fieldChangesBetween(earlier, later, schema)
      if (resource !== 'status' && !isPastEventsName(resource)) return { resource, kind, fields }
      const others = changedEventResources(before, after).flatMap((name) =>
        name === resource || after[name] === undefined ? [] : [parse(name, after[name])],
      )
      const removed = removedEvents([earlier], [later, ...others])
      return { resource, kind, fields, ...(removed.length === 0 ? {} : { removedEvents: removed }) }
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
      return { resource, kind, fields: [], failure: error.message }
    }
  })
}
