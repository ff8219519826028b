import {
  type createRecorder,
  type Incident,
  type Maintenance,
  type PublishedRecord,
  recordKey,
} from '@public-api/contract/history/published-record'
import type { RedactionRecord } from '@public-api/contract/history/redaction'
import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import type { Issuance } from '@public-api/contract/keys/issuance'
import type { Registry } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { translationsOf } from '@public-api/contract/registry/resource-names'
import {
  EARLY_ACCESS_RESOURCE,
  EARLY_ACCESS_SCHEMA,
  type EarlyAccessState,
} from '@public-api/contract/snapshots/early-access'
import { publishesNoWallet } from '@public-api/contract/snapshots/no-wallet'
import {
  OPTIONAL_PAGES,
  ORGANIZATION_RESOURCE,
  ORGANIZATION_SCHEMA,
  type Organization,
} from '@public-api/contract/snapshots/organization'
import {
  isOfEvents,
  isPastEventsName,
  type PastEventsName,
} from '@public-api/contract/snapshots/past-events'
import {
  PAST_EVENTS_SCHEMA,
  type PastEvents,
} from '@public-api/contract/snapshots/past-events-schema'
import {
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
  type SnapshotName,
} from '@public-api/contract/snapshots/snapshot-schemas'
import {
  CONTENT_LOCALE,
  type Overlay,
  translateData,
  translationResource,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { startOfDay } from '@public-api/contract/text/instant'
import { INTERESTS } from '@public-api/contract/waitlist/registration-schema'
import { bytesOfBody, type App } from '../http/api-request.ts'
import type { Challenge } from '../service/challenge/challenge.ts'
import type { Clock } from '../service/clock.ts'
import type { Payload } from '../service/releases/payload.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'
import { isEarlyAccessUnread } from '../service/releases/unread-early-access.ts'
import { readLogWitnesses } from '../tlog/log-witnesses.ts'
import { ownTurn } from './markup/turns.ts'
import { TEXTS } from './texts/texts.ts'
import { readSampleResponse, replyOf } from './verify/sample-response.ts'

const MINUTE_MS = 60_000

/** The type is safe, because what a loaded release has as a resource matches its schema. */
function valueOf(payload: Payload | undefined): unknown {
  return payload && JSON.parse(payload.json)
}

/** Values of the resources that are served, each parsed once. */
const parsed = new WeakMap<Payload, unknown>()

function servedValue(payload: Payload | undefined): unknown {
  if (payload === undefined) return undefined
  const value = parsed.get(payload) ?? valueOf(payload)
  parsed.set(payload, value)
  return value
}

type Translated = ReturnType<typeof translateData<object>>

/** Values of resources by language, each translated once: a copy of a service has hundreds of files of the same ones. */
const translated = new WeakMap<
  object,
  Map<Locale, { readonly overlay: Overlay | undefined; readonly made: Translated }>
>()

/** A value in a language. */
export function translatedValue(
  locale: Locale,
  schema: Parameters<typeof translateData>[0],
  value: object,
  overlay: Overlay | undefined,
): Translated {
  const byLocale: NonNullable<ReturnType<typeof translated.get>> =
    translated.get(value) ?? new Map()
  translated.set(value, byLocale)
  const known = byLocale.get(locale)
  // Another version may have another translation of the same value.
  if (known !== undefined && known.overlay === overlay) return known.made
  const made = translateData(schema, value, overlay)
  byLocale.set(locale, { overlay, made })
  return made
}

/** A page is followed by its other form and other languages, which read the same versions. */
const REMEMBERED = 16

/** Remembers the last results of a function. */
function remembering<Value>(read: (key: string) => Value): (key: string) => Value {
  const last = new Map<string, Value>()
  return (key) => {
    const value = last.has(key) ? (last.get(key) as Value) : read(key)
    last.delete(key)
    last.set(key, value)
    for (const oldest of last.keys()) {
      if (last.size <= REMEMBERED) break
      last.delete(oldest)
    }
    return value
  }
}

/**
 * The published content in one language. Missing translations fall back to the original. `isUnread` if it is not certain
 * that the waitlist is open: asked when it is needed, because a damaged entry must not stop other pages.
 */
export function createLocalizedContent(
  releases: Pick<PublishedHistory, 'resource'>,
  locale: Locale,
  isUnread = () => false,
) {
  const untranslated = new Set<string>()
  const incomplete = new Set<string>()
  const shown = new Set<SnapshotName>()
  const translations =
    locale === CONTENT_LOCALE
      ? undefined
      : (servedValue(releases.resource(translationResource(locale))) as Translations | undefined)

  function localized(
    name: string,
    schema: Parameters<typeof translateData>[0],
    payload: Payload | undefined,
  ): unknown {
    const value = servedValue(payload)
    if (typeof value !== 'object' || value === null || locale === CONTENT_LOCALE) return value
    const overlay = translations?.resources[name]
    const { data, untranslated: others } = translatedValue(locale, schema, value, overlay)
    for (const text of others) untranslated.add(text)
    if (others.size > 0) incomplete.add(name)
    return data
  }

  /** An item of a year before the status in this language: alone, because a year may have a thousand. */
  function pastEvent<Item extends Incident | Maintenance>(
    name: PastEventsName,
    list: 'incidents' | 'maintenances',
    item: Item,
  ): Item {
    if (locale === CONTENT_LOCALE) return item
    const own = servedValue(releases.resource(translationsOf(locale, name))) as
      | Translations
      | undefined
    const overlay = propertyOf(propertyOf(own?.resources[name], list), item.id)
    const { items } = PAST_EVENTS_SCHEMA.properties[list]
    const { data, untranslated: others } = translateData(
      items,
      item,
      overlay as Overlay | undefined,
    )
    for (const text of others) untranslated.add(text)
    return data
  }

  const read = new Map<SnapshotName, unknown>()

  function snapshot<Name extends SnapshotName>(name: Name): SnapshotData<Name> | undefined {
    const known = read.get(name)
    const data = known ?? localized(name, SNAPSHOT_SCHEMAS[name], releases.resource(name))
    read.set(name, data)
    return data as SnapshotData<Name> | undefined
  }

  return {
    /** Data of a resource in the newest version, translated; undefined if missing or damaged. */
    snapshot<Name extends SnapshotName>(name: Name): SnapshotData<Name> | undefined {
      const data = snapshot(name)
      if (data !== undefined) shown.add(name)
      return data
    },
    pastEvent,
    /** The resources that were read for a page so far. */
    shown: shown as ReadonlySet<SnapshotName>,
    /** The organization; undefined in a demonstration. */
    organization: localized(
      ORGANIZATION_RESOURCE,
      ORGANIZATION_SCHEMA,
      releases.resource(ORGANIZATION_RESOURCE),
    ) as Organization | undefined,
    /** Whether the waitlist is open; undefined if the operator did not say. */
    get earlyAccess(): EarlyAccessState | undefined {
      if (isUnread()) return { state: 'closed', text: TEXTS[locale].earlyAccess.unread }
      const payload = releases.resource(EARLY_ACCESS_RESOURCE)
      const data = localized(EARLY_ACCESS_RESOURCE, EARLY_ACCESS_SCHEMA, payload)
      return data as EarlyAccessState | undefined
    },
    /** Whether a text has no translation and is therefore in English. */
    isUntranslated: (text: string) => untranslated.has(text),
    /** Whether every text of these resources is in the language of the page. */
    isComplete(names: readonly SnapshotName[]) {
      for (const name of names) snapshot(name)
      return !names.some((name) => incomplete.has(name))
    },
  }
}

/** An incident or a maintenance that a version removed, as the version before it had it. */
export interface RemovedItem {
  readonly list: 'incidents' | 'maintenances'
  readonly item: Incident | Maintenance
  readonly removedIn: string
  readonly removedAt: string
}

function removedIn(
  { items }: PublishedRecord,
  version: (snapshotId: string) => VersionEntry | undefined,
  archived: (resource: string) => unknown,
): readonly RemovedItem[] {
  /** The items that a version has, by key. */
  const itemsOf = remembering((snapshotId) => {
    const named = Object.entries(version(snapshotId)?.resources ?? {}).filter(
      ([name]) => name === 'status' || isPastEventsName(name),
    )
    return new Map(
      named.flatMap(([name, digest]) => {
        const data = archived(`${name}/${digest}`) as PastEvents | undefined
        return (['incidents', 'maintenances'] as const).flatMap((list) =>
          (data?.[list] ?? []).map((item) => [recordKey(list, item.id), { list, item }] as const),
        )
      }),
    )
  })
  return Array.from(items).flatMap(([key, { removedIn: snapshotId, removedAt = '' }]) => {
    if (snapshotId === undefined) return []
    // Bytes of the version before it may be gone, while an older one has the item as it was.
    for (let sequence = Number(snapshotId.slice('VS-'.length)) - 1; sequence > 0; sequence -= 1) {
      const before = formatSnapshotId(sequence)
      const found = itemsOf(before).get(key)
      if (found !== undefined) return [{ ...found, removedIn: snapshotId, removedAt }]
    }
    return []
  })
}

/** The newest version, from one downwards, that changed a resource with events. */
export function newestOfEvents(
  head: VersionEntry,
  version: (snapshotId: string) => VersionEntry | undefined,
): VersionEntry {
  let found = head
  while (found.sequence > 1 && !found.changes.some(({ resource }) => isOfEvents(resource))) {
    const before = version(formatSnapshotId(found.sequence - 1))
    if (before === undefined) break
    found = before
  }
  return found
}

/** What the pages of a static copy of a service know, beside what the service's own pages do. */
export interface CopyFacts {
  /** Origin of the copy; undefined if it has no known address. */
  readonly baseUrl: string | undefined
  /** Whether the copy does not have this path: links to it lead to the service. */
  isMissing(path: string): boolean
}

/** Facts that the deployment fixes, and the sources of the others. */
export interface SiteFactsOptions {
  /** The deployment's origin: scheme and authority, without a trailing slash. */
  readonly origin: string
  /** The registry rows that this runtime serves. */
  readonly registry: Registry
  readonly registryVersion: string
  readonly issuance: Issuance
  /** Id of the signing key; undefined if responses are unsigned. */
  readonly keyId: string | undefined
  /** The raw public key that signs, standard base64; undefined if it is not known. */
  readonly publicKey: string | undefined
  /** URI of the security contact; undefined if unknown. */
  readonly contact: string | undefined
  /** URL path of an asset, with its digest in the name. Throws an Error for an unknown file. */
  assetPath(file: string): string
  readonly releases: PublishedHistory
  readonly clock: Clock
  /** Responds to requests for the API. */
  readonly api: App
  readonly challenge: Challenge
  /** Set if the pages are those of a static copy. `origin` is still that of the service. */
  readonly copy?: CopyFacts | undefined
  /** Reads what all versions together say. */
  readonly record: ReturnType<typeof createRecorder>
}

/** The facts of one release of one deployment, read on demand. */
export function createSiteFacts({ releases, challenge, api, record, ...fixed }: SiteFactsOptions) {
  const head = () => servedValue(releases.head) as VersionEntry
  const readVersion = (snapshotId: string) =>
    valueOf(releases.version(snapshotId)) as VersionEntry | undefined
  const version = remembering(readVersion)
  let past:
    | readonly { readonly name: PastEventsName; readonly data: PastEvents | undefined }[]
    | undefined
  const versionsFrom = (newest: number, count: number) =>
    Array.from(
      { length: Math.min(newest, count) },
      (_, index) => version(formatSnapshotId(newest - index)) ?? [],
    ).flat()
  const organization = valueOf(releases.resource(ORGANIZATION_RESOURCE)) as Organization | undefined
  let published: PublishedRecord | undefined
  let removed: readonly RemovedItem[] | undefined
  let eventsHead: VersionEntry | undefined
  const readArchived = (name: string, digest: string): unknown =>
    releases.readResource(name, digest)?.value
  const archived = remembering((resource) => {
    const end = resource.lastIndexOf('/')
    return readArchived(resource.slice(0, end), resource.slice(end + 1))
  })
  const cards = new Set<string>()
  const {
    languages = LOCALES,
    interests = INTERESTS,
    leaveOut = [],
    commands,
  } = organization?.site ?? {}
  const leftOutPaths: ReadonlySet<string> = new Set(
    leaveOut.flatMap((each) => OPTIONAL_PAGES[each]),
  )
  const isUnread = () => isEarlyAccessUnread(releases)
  return {
    ...fixed,
    /** The origin where these pages are: that of the copy, or of the service. */
    ownOrigin: fixed.copy?.baseUrl ?? fixed.origin,
    challenge: challenge.description,
    /** Languages that the organization offers, in its order. */
    languages,
    /** How a visitor runs the published commands; undefined before they are published. */
    commands: commands && `npx ${commands}`,
    /** Language of visitors who prefer none of those that are offered. */
    defaultLocale: languages[0] ?? LOCALES[0],
    /** Interests that the form lists. */
    interests,
    /** Whether the organization leaves the page with this path out of the navigation. */
    isLeftOut: (path: string) => leftOutPaths.has(path),
    /** The start of the UTC day, in milliseconds since 1970. */
    get todayMs() {
      return startOfDay(fixed.clock.nowMs())
    },
    /** The start of the minute, in milliseconds since 1970. */
    get nowMs() {
      return Math.floor(fixed.clock.nowMs() / MINUTE_MS) * MINUTE_MS
    },
    /** What all published versions together say. */
    get record() {
      const redactionCount = releases.redactions.length
      return (published ??= record.read({
        head: head(),
        version: readVersion,
        archived: readArchived,
        redactionCount,
        kept: () => releases.readRecord(),
      }))
    },
    /** The incidents and maintenances of the years before the status, by resource, the newest year first. */
    get pastEvents() {
      return (past ??= Object.keys(head().resources)
        .filter(isPastEventsName)
        .toSorted()
        .toReversed()
        .map((name) => ({
          name,
          /** Parsed when it is read; undefined if it is damaged. */
          get data() {
            return servedValue(releases.resource(name)) as PastEvents | undefined
          },
        })))
    },
    /** The items that versions removed, as they were before; without those that only removed bytes had. */
    get removedEvents(): readonly RemovedItem[] {
      return (removed ??= removedIn(this.record, readVersion, archived))
    },
    /**
     * Reads what pages of events need of all versions, a part in each turn of the event loop, so that neither the first
     * visitor nor other requests wait for all of it.
     */
    async prepare(): Promise<void> {
      const parts: readonly (() => unknown)[] = [
        () => this.record,
        ...this.pastEvents.map((year) => () => year.data),
        () => this.removedEvents,
      ]
      for (const read of parts) {
        await ownTurn()
        read()
      }
    },
    /** Whether the published status has an incident that is not resolved. */
    hasOpenIncident:
      (valueOf(releases.resource('status')) as SnapshotData<'status'> | undefined)?.incidents.some(
        ({ state }) => state !== 'resolved',
      ) === true,
    /** Who cosigned the transparency log; undefined without one. */
    logWitnesses: releases.tlog && readLogWitnesses(releases.tlog.files),
    /** A response of this service, created when read; undefined if it is unsigned. */
    get sampleResponse() {
      return readSampleResponse(api, READ_PATHS.status)
    },
    /** The parsed body of a response of this service; undefined if it is not a 200. */
    read(target: string): JsonValue | undefined {
      const { body } = replyOf(api, target) ?? {}
      return body && (JSON.parse(bytesOfBody(body).toString()) as JsonValue)
    },
    get head() {
      return head()
    },
    /** The newest version that changed an incident or a maintenance. */
    get eventsHead() {
      return (eventsHead ??= newestOfEvents(head(), readVersion))
    },
    get versionCount() {
      return head().sequence
    },
    /** The newest versions, at most `count`, newest first. */
    newestVersions: (count: number) => versionsFrom(head().sequence, count),
    /** At most `count` versions from this number downwards. */
    versionsFrom,
    /** One version; undefined for an unknown id. */
    version,
    /** Data of a resource of any version; undefined if missing, damaged or redacted. */
    archived: (name: string, digest: string): unknown => archived(`${name}/${digest}`),
    /** When and why the bytes of a resource were removed; undefined if they were not. */
    redaction: (name: string, digest: string): RedactionRecord | undefined =>
      releases.redactions.find((each) => each.resource === name && each.digest === digest),
    content: (locale: Locale) => createLocalizedContent(releases, locale, isUnread),
    /** Whether a social card was published, by its name. */
    hasCard(name: string): boolean {
      if (!cards.has(name) && releases.readCard(name) !== undefined) cards.add(name)
      return cards.has(name)
    },
    /** Whether the operator publishes wallet views. If not, the wallet page is not in the navigation. */
    get hasWallet() {
      const wallet = valueOf(releases.resource('wallet')) as SnapshotData<'wallet'> | undefined
      return wallet === undefined || !publishesNoWallet(wallet)
    },
  }
}
