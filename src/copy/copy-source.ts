import crypto, { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { tilePath, tilesOf } from '@public-api/client-internal/log/tiles'
import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import { isTranslation } from '@public-api/contract/registry/resource-names'
import { EARLY_ACCESS_RESOURCE } from '@public-api/contract/snapshots/early-access'
import { ORGANIZATION_RESOURCE } from '@public-api/contract/snapshots/organization'
import { isPartOfStatus } from '@public-api/contract/snapshots/past-events'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import type { Translations } from '@public-api/contract/snapshots/translations'
import { LOCALES } from '@public-api/contract/terms/locales'
import { DAY_MS, startOfDay } from '@public-api/contract/text/instant'
import { createAppComposer } from '../app.ts'
import { type ApiRequest, bytesOfBody } from '../http/api-request.ts'
import { STATUSPAGE_PATHS } from '../pages/files/statuspage.ts'
import { isGeneratedPath } from '../pages/serving/generated-page.ts'
import { newestOfEvents } from '../pages/site-facts.ts'
import { ABSENT_SERVICES } from '../service/absent/absent-services.ts'
import type { Clock } from '../service/clock.ts'
import type { Log } from '../service/logger.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'
import { CopyFailure } from './copy-list.ts'
import { fileOf, isMissing } from './copy-paths.ts'
import { hostFiles } from './host-files.ts'

export interface CopyOptions {
  readonly releases: PublishedHistory
  /** Names of the social cards in the releases folder. */
  readonly cards: readonly string[]
  /** Changes with the program that makes the copy. */
  readonly program: string
  /** Origin of the service. */
  readonly origin: string
  /** Origin of the copy, if it is known. */
  readonly baseUrl: string | undefined
  /** ID of the service's signing key, for visitors to compare. */
  readonly keyId: string | undefined
  readonly clock: Clock
  readonly log: Log
}

/** One file of a copy. */
export interface CopyFile {
  /** Path below the folder of the copy. */
  readonly file: string
  /** A file with the same key has the same content, so it need not be made again. */
  readonly key?: string
  make(): Promise<Uint8Array> | Uint8Array
}

type Status = SnapshotData<'status'>

/** What pages of incidents, maintenances and months have translations of, beside the years. */
const FRAME_RESOURCES = ['status', ORGANIZATION_RESOURCE, EARLY_ACCESS_RESOURCE]

/** The feeds of the status and of each component, by their paths below a language. */
const isStatusFeed = (below: string): boolean =>
  /^status(?:\/components\/.+)?\.(?:atom|json)$/.test(below)

/** The content of a file that is named by its digest or number never changes. */
const IMMUTABLE = 'immutable'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Everything that decides what a copy looks like, beside the libraries that package.json names. */
const SOURCES = ['src', 'packages/client/src', 'packages/contract', 'locales', 'assets']

/** Changes with the program: a copy of an older program is made again. */
export function digestOfProgram(): string {
  const digest = createHash('sha256').update(readFileSync(path.join(ROOT, 'package.json')))
  for (const folder of SOURCES) {
    const files = readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    for (const entry of files.filter((each) => each.isFile())) {
      digest.update(readFileSync(path.join(entry.parentPath, entry.name)))
    }
  }
  return digest.digest('base64url')
}

/** A digest of values that JSON can express, long enough to tell two states of a copy apart. */
export function shortDigest(values: readonly unknown[]): string {
  return crypto.hash('sha256', JSON.stringify(values), 'base64url').slice(0, 16)
}

function requestOf(target: string): ApiRequest {
  return {
    method: 'GET',
    target,
    path: target,
    header: () => undefined,
    peerAddress: () => '',
    readBody: () => Promise.resolve(new Uint8Array()),
  }
}

/** Responds to requests for every path that a copy may have, as the service does. */
async function openResponder({ releases, origin, baseUrl, keyId, clock, log }: CopyOptions) {
  const compose = createAppComposer({
    ...ABSENT_SERVICES,
    runtime: 'production',
    deployment: 'primary',
    baseUrl: origin,
    clock,
    log,
    copy: { baseUrl, isMissing },
    keyId,
  })
  const app = compose({ releases, signing: undefined })
  return { site: await app.openSite(), respond: async (target: string) => app(requestOf(target)) }
}

/**
 * Lists the files of a copy of a service: those that never change first, those that name them last. A reader who finds the
 * first ones of a newer version therefore finds everything that they name.
 */
export async function* listCopyFiles(options: CopyOptions): AsyncGenerator<CopyFile> {
  const { cards, program, origin, baseUrl, keyId } = options
  const redactions = new Map<string, string>(
    options.releases.redactions.map((each) => [`${each.resource}/${each.digest}`, each.redactedAt]),
  )
  const known = new Set(cards)
  /** A page that needs it responds 500, which would not say why. */
  let damaged: CopyFailure | undefined
  const releases: PublishedHistory = {
    ...options.releases,
    // The page of each version looks for its own.
    readCard: (name) => (known.has(name) ? options.releases.readCard(name) : undefined),
    // No page leaves out what it could not read, unless that was removed.
    readResource(name, digest) {
      const found = options.releases.readResource(name, digest)
      const resource = `${name}/${digest}`
      if (found !== undefined || redactions.has(resource)) return found
      damaged = new CopyFailure(
        `${resource}: missing or damaged in the releases; the copy is unchanged`,
      )
      throw damaged
    },
  }
  const head = JSON.parse(releases.head.json) as VersionEntry
  const { sequence: count } = head
  // Ages are written as of the publication, and again each day: the copy of an open incident must not change each minute.
  // The script of a page keeps them current.
  const published = Date.parse(head.createdAt)
  const clock: Clock = { nowMs: () => Math.max(published, startOfDay(options.clock.nowMs())) }
  const { site, respond } = await openResponder({ ...options, releases, clock })

  async function bytesOf(target: string, status = 200): Promise<Uint8Array> {
    const reply = await respond(target)
    if (reply.status !== status || reply.body === undefined) {
      throw (
        damaged ?? new CopyFailure(`${target}: expected status ${status}, found ${reply.status}`)
      )
    }
    return bytesOfBody(reply.body)
  }
  const served = (target: string, key?: string): CopyFile => ({
    file: fileOf(target),
    ...(key === undefined ? {} : { key }),
    make: () => bytesOf(target),
  })

  // The service also searches all versions for a resource.
  const archived = (target: string, read: () => string | undefined): CopyFile => ({
    file: fileOf(target),
    key: IMMUTABLE,
    make() {
      const text = read()
      if (text === undefined) throw new CopyFailure(`${target}: missing or damaged`)
      return Buffer.from(text)
    },
  })

  // The page of a version changes with the program, the identity of the organization and its neighbors.
  const made = [program, origin, baseUrl, keyId]
  const framing = Object.entries(head.resources).filter(
    ([name]) => (name.startsWith('site/') && !isPartOfStatus(name)) || name === 'wallet',
  )
  const shared = [...made, ...framing]
  const pageKeys: (readonly [snapshotId: string, key: string])[] = []

  // Archive: what a digest or a number names.
  const listed = new Set<string>()
  let removedBefore: readonly string[] = []
  const removedFrom = (resources: VersionEntry['resources']) =>
    redactions.size === 0
      ? []
      : Object.entries(resources).map((each) => redactions.get(each.join('/')) ?? '')
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const entry = releases.version(formatSnapshotId(sequence))?.json
    const { snapshotId, hash, resources, changes } = JSON.parse(entry ?? 'null') as VersionEntry
    // Its page names those that it only kept, too.
    const own = removedFrom(resources)
    const removed = [...own, ...removedBefore]
    removedBefore = own
    pageKeys.push([
      snapshotId,
      shortDigest([...shared, hash, sequence === count ? 'newest' : '', ...removed]),
    ])
    const text = () => releases.version(snapshotId)?.json
    yield archived(`/archive/versions/${snapshotId}.json`, text)
    for (const { resource: name } of changes) {
      const digest = resources[name]
      const resource = `${name}/${digest}`
      if (digest === undefined || listed.has(resource)) continue
      listed.add(resource)
      const target = `/archive/resources/${resource}.json`
      if (!redactions.has(resource)) {
        yield archived(target, () => releases.readResource(name, digest)?.json)
      }
      // Static hosts cannot answer 410; the tombstone lies beside where the resource was.
      else {
        const file = fileOf(target).replace(/\.json$/, '.redacted.json')
        yield { file, key: IMMUTABLE, make: () => bytesOf(target, 410) }
      }
    }
  }
  const log = await releases.tlog?.open()
  for (const tile of tilesOf(log?.size ?? 0)) yield served(`/log/${tilePath(tile)}`, IMMUTABLE)
  for (const name of cards) yield served(`/cards/${name}.png`, IMMUTABLE)

  const paths = site
    .paths()
    .filter((each) => each !== '/favicon.ico' || head.resources['site/organization'] === undefined)
  const isAsset = (target: string) => target.startsWith('/assets/')
  for (const target of paths.filter(isAsset)) yield served(target)

  // Each page names the version before it, and gains a link to the next one when that is there.
  for (const [snapshotId, key] of pageKeys.toReversed()) {
    for (const locale of LOCALES) {
      yield served(`/${locale}/history/${snapshotId}.md`, key)
      yield served(`/${locale}/history/${snapshotId}`, key)
    }
  }

  // The page of an incident, a maintenance or a month changes with those alone, and while it says how long ago. So do the
  // feeds of the status, which say no ages, and the search index of all events.
  const status = releases.readResource('status', head.resources['status'] ?? '')?.value as Status
  const lately = clock.nowMs() - 2 * DAY_MS
  const timed = status.incidents.filter(
    ({ state, resolvedAt = '' }) => state !== 'resolved' || Date.parse(resolvedAt) >= lately,
  )
  const isOngoing = timed.some(({ state }) => state !== 'resolved')
  const isTimed = (below: string): boolean => {
    const [, month] = /^status\/(\d{4}-\d{2})/.exec(below) ?? []
    return timed.some(({ id, state, startedAt }) =>
      month === undefined
        ? state !== 'resolved' && below === `status/incidents/${id}`
        : startedAt.slice(0, 7) <= month,
    )
  }
  const { hash } = newestOfEvents(
    head,
    (id) => JSON.parse(releases.version(id)?.json ?? 'null') as VersionEntry,
  )
  const frame = framing.map(([name, digest]) => {
    if (!isTranslation(name)) return [name, digest]
    const translations = releases.readResource(name, digest)?.value as Translations | undefined
    return FRAME_RESOURCES.map((each) => translations?.resources[each])
  })
  const [calmKey, timedKey] = ['', clock.nowMs()].map((timeMs) =>
    shortDigest([...made, ...frame, hash, ...redactions, timeMs]),
  )
  const keyOf = (target: string) => {
    const below = target.replace(/^\/[^/]+\/|\.md$/g, '')
    if (isStatusFeed(below)) return calmKey
    if (target.endsWith('/search-events.json')) return isOngoing ? timedKey : calmKey
    return isGeneratedPath(below) ? (isTimed(below) ? timedKey : calmKey) : undefined
  }
  for (const target of paths) if (!isAsset(target)) yield served(target, keyOf(target))
  // Readers of a Statuspage are given a host and add the path themselves. The copy has no other API.
  for (const target of STATUSPAGE_PATHS) {
    const file = fileOf(target.replace(/^\/statuspage/, ''))
    yield { file, make: () => bytesOf(target) }
  }
  // Feeds and readers have these addresses. Static hosts answer 200, and the page says that its item was removed.
  for (const target of site.removedPaths()) {
    yield { ...served(target, keyOf(target)), make: () => bytesOf(target, 410) }
  }
  yield { file: '404.html', make: () => bytesOf('/404', 404) }
  for (const [file, text] of hostFiles({ origin, languages: LOCALES })) {
    yield { file, make: () => Buffer.from(text) }
  }
  for (const target of ['/log/policy', '/log/checkpoint'])
    if (log !== undefined) yield served(target)
  yield served('/archive/versions.json')
}
