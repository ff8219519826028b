import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { isTranslation } from '@public-api/contract/registry/resource-names'
import { isPastEventsName } from '@public-api/contract/snapshots/past-events'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'

/*
 * The notes that commands make. A note is part of what a version's hash covers, so it can never be removed: these consist
 * of kinds, states, and the names of components and resources, and of nothing that somebody wrote for the occasion.
 */

/** Longest note of a version, in UTF-16 code units. */
export const MAX_NOTE_LENGTH = 500

/** What notes say: of the status, and of the years before it. */
export type NotedStatus = Pick<SnapshotData<'status'>, 'components' | 'incidents' | 'maintenances'>

/** A note as a person typed it, in one line and cut at the limit, with a warning about the cut. */
export function formatTypedNote(typed: string) {
  const note = typed.replaceAll(/\s+/g, ' ').trim()
  if (note.length <= MAX_NOTE_LENGTH) return { note, warning: undefined }
  let cut = ''
  for (const character of note) {
    if (cut.length + character.length >= MAX_NOTE_LENGTH) break
    cut += character
  }
  const warning = `the note has ${note.length} characters and was cut at ${MAX_NOTE_LENGTH}`
  return { note: `${cut.trimEnd()}…`, warning }
}

/** What a note says of an incident or a maintenance. */
interface NotedEvent {
  readonly id: string
  readonly components: readonly string[]
  readonly state: string
}

const LISTS = [
  ['Incident', 'incidents'],
  ['Maintenance', 'maintenances'],
] as const

/** Characters that a list may have; a note may have about twice as many. */
const MAX_LIST = 220

/** The first parts, at least one, as long as they fit, and how many more there are. */
function listParts(parts: readonly string[]): readonly string[] {
  let length = 0
  const fitting = parts.findIndex((part, index) => {
    length += part.length + 2
    return index > 0 && length > MAX_LIST
  })
  if (fitting === -1) return parts
  return [...parts.slice(0, fitting), `${parts.length - fitting} more`]
}

function listNames(names: readonly string[]): string {
  const listed = listParts(names)
  if (listed.length < 2) return listed.join('')
  return `${listed.slice(0, -1).join(', ')} and ${listed.at(-1)}`
}

/** Each incident and maintenance that two statuses do not share, as its kind, its components and its state. */
function describeEvents(
  before: NotedStatus | undefined,
  after: NotedStatus | undefined,
): readonly string[] {
  const components = [...(before?.components ?? []), ...(after?.components ?? [])]
  const names = new Map(components.map(({ id, name }) => [id, name]))
  const textOf = (event: NotedEvent) => canonicalJson(event as unknown as JsonValue)
  return LISTS.flatMap(([kind, list]) => {
    const old: readonly NotedEvent[] = before?.[list] ?? []
    const now: readonly NotedEvent[] = after?.[list] ?? []
    const known = new Map(old.map((event) => [event.id, textOf(event)]))
    const kept = new Set(now.map(({ id }) => id))
    const removed = old.filter(({ id }) => !kept.has(id))
    return [
      ...now.filter((event) => known.get(event.id) !== textOf(event)),
      ...removed.map((event) => ({ ...event, state: 'removed' })),
    ].map((event) => {
      const affected = listNames(event.components.map((id) => names.get(id) ?? id))
      const on = affected === '' ? '' : ` on ${affected}`
      return `${kind}${on}: ${event.state.replaceAll('_', ' ')}`
    })
  })
}

/** The note of a version by what it changes: `Incident on Forecast model: identified`, `Changed: queue and roadmap`. */
export function noteOfChanges(
  before: NotedStatus | undefined,
  after: NotedStatus | undefined,
  changes: readonly Pick<VersionEntry['changes'][number], 'resource'>[],
): string {
  const events = describeEvents(before, after)
  const resources = changes.map(({ resource }) => resource)
  // Translations follow what they translate.
  const own = resources.filter((name) => !isTranslation(name))
  const isNamed = (name: string) => name === 'status' || isPastEventsName(name)
  const others = own.filter((name) => events.length === 0 || !isNamed(name))
  const named = events.length + others.length === 0 ? resources : others
  const parts = [...events, ...(named.length === 0 ? [] : [`Changed: ${listNames(named)}`])]
  return parts.length === 0 ? 'Registry version' : listParts(parts).join('; ')
}

/** The note of a version that brings an older one back. */
export function noteOfRollback(snapshotId: string, only: Iterable<string> | undefined): string {
  const resources = only === undefined ? [] : [...only]
  return resources.length === 0
    ? `Rolled back to ${snapshotId}`
    : `Rolled back to ${snapshotId}: ${listNames(resources)}`
}
