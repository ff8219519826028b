import { createExample } from '@public-api/contract/documents/examples'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { ORGANIZATION_SCHEMA } from '@public-api/contract/snapshots/organization'
import {
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
  type SnapshotName,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { sha256Base64url } from '../../src/crypto/sha256.ts'
import { loadReleases, type PublishedHistory } from '../../src/service/releases/releases.ts'
import { madeEntry } from './made-entry.ts'

/** Content of a test release, by resource. */
export type MadeContent = { readonly [Name in SnapshotName]?: SnapshotData<Name> }

/** Options of a test version besides its content. */
export interface MadeVersion {
  readonly note?: string
  /** Derives the resources of an earlier version from these; without it there is no earlier version. */
  readonly previous?: (resources: VersionEntry['resources']) => VersionEntry['resources']
  /** The status of earlier versions, oldest first, with the times of those versions. */
  readonly earlier?: readonly {
    readonly createdAt: string
    readonly status: SnapshotData<'status'>
  }[]
  readonly createdAt?: string
  readonly registryVersion?: string
  /** Resources without an endpoint, such as `site/organization`. */
  readonly site?: { readonly [name: string]: JsonValue }
  /** Resources whose stored data does not match the version. */
  readonly damaged?: readonly SnapshotName[]
}

/** Releases whose newest version has the given content; other resources have their schema's example. */
export function releasesOf(
  content: MadeContent,
  {
    note = 'Made by a test.',
    previous,
    earlier = [],
    createdAt = '2026-03-04T05:06:07.000Z',
    site = {},
    damaged = [],
    registryVersion = REGISTRY_VERSION,
  }: MadeVersion = {},
): PublishedHistory {
  const resources: { [name: string]: string } = {}
  const texts = new Map<string, string>()
  const add = (value: JsonValue): string => {
    const text = canonicalJson(value)
    const digest = sha256Base64url(text)
    texts.set(digest, text)
    return digest
  }
  for (const name of SNAPSHOT_NAMES) {
    const data = content[name]
    const digest = add(data === undefined ? createExample(SNAPSHOT_SCHEMAS[name]) : data)
    resources[name] = digest
    if (damaged.includes(name)) texts.set(digest, `${texts.get(digest)} `)
  }
  for (const [name, data] of Object.entries(site)) resources[name] = add(data)
  const entries: VersionEntry[] = []
  if (previous !== undefined) entries.push(madeEntry(undefined, previous(resources), { createdAt }))
  for (const { createdAt: at, status } of earlier) {
    const digests = { ...resources, status: add(status) }
    entries.push(madeEntry(entries.at(-1), digests, { createdAt: at }))
  }
  entries.push(madeEntry(entries.at(-1), resources, { createdAt, note, registryVersion }))
  const versions = new Map(entries.map((entry) => [entry.snapshotId, canonicalJson({ ...entry })]))
  const never = (): never => {
    throw new Error('The service never writes a release')
  }
  return loadReleases({
    readVersionIds: () => [...versions.keys()],
    readVersionText: (snapshotId) => versions.get(snapshotId) ?? '',
    readResourceText: (_name, digest) => texts.get(digest) ?? '',
    readResource: never,
    writeResource: never,
    appendVersion: never,
    readTlogFiles: () => undefined,
    readTlogFile: () => undefined,
    listEntries: () => [],
    readRedaction: () => undefined,
    listRedactions: () => [],
    countRedactions: () => 0,
    redactResource: never,
    readCard: () => undefined,
    writeCard: never,
    removeCards: never,
    readRecord: () => undefined,
    writeRecord: never,
  })
}

/** Releases of an organization whose commands are published. */
export const PUBLISHED_COMMANDS: PublishedHistory = releasesOf(
  {},
  {
    site: {
      'site/organization': {
        ...(createExample(ORGANIZATION_SCHEMA) as { [name: string]: JsonValue }),
        site: { commands: '@public-api/cli' },
      },
    },
  },
)

/** Enough items for the longest list of words. */
const ITEMS = 6

/** Text number `nth` of at most `maxLength` characters. */
type MakeText = (nth: number, maxLength: number) => string

/** How many items a list has, by its name; six unless given. */
interface ItemCounts {
  readonly [list: string]: number
}

/** A value of a schema, with every optional field, and texts and words that differ from item to item. */
export function filled(
  schema: JsonSchema,
  text: MakeText,
  counter: { nth: number },
  counts: ItemCounts = {},
  row = 0,
  name = '',
): unknown {
  if (schema.enum !== undefined) return schema.enum[row % schema.enum.length]
  if (schema.type === 'array') {
    const { items, maxItems = Infinity } = schema
    if (items === undefined) return []
    const made = Array.from({ length: Math.min(counts[name] ?? ITEMS, maxItems) }, (_, index) =>
      filled(items, text, counter, counts, index),
    )
    return schema.uniqueItems === true ? [...new Set(made)] : made
  }
  if (schema.type === 'object') {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([member, inner]) => [
        member,
        filled(inner, text, counter, counts, row, member),
      ]),
    )
  }
  if (schema.type === 'boolean') return row % 2 === 1
  counter.nth += 1
  const { nth } = counter
  if (schema.type === 'integer') return nth
  if (schema.format === 'date-time') {
    return new Date(Date.UTC(2026, 0, 1, 0, nth)).toISOString().replace('.000Z', 'Z')
  }
  if (schema.format === 'date') return new Date(Date.UTC(2026, 0, nth)).toISOString().slice(0, 10)
  const { maxLength = 300 } = schema
  if (schema.pattern === undefined) {
    return Array.from(text(nth, maxLength)).slice(0, maxLength).join('')
  }
  const example = schema.example as string
  // Pages distinguish two kinds of text by themselves; all others with a pattern may repeat.
  if (/^\d+\.\d+\.\d+$/.test(example)) return `${nth}.0.0`
  return /^[a-z0-9-]+$/.test(example) && !/^[0-9a-f]{64}$/.test(example)
    ? `${example}-${nth}`
    : example
}

/**
 * Content with everything that the schemas allow: every optional field, six items in each list, each word of each list
 * of words. Plain text is what `text` makes of a number that is another one each time.
 */
export function fullContent(text: MakeText, counts?: ItemCounts): Required<MadeContent> {
  const counter = { nth: 0 }
  return Object.fromEntries(
    SNAPSHOT_NAMES.map((name) => [name, filled(SNAPSHOT_SCHEMAS[name], text, counter, counts)]),
  ) as unknown as Required<MadeContent>
}
