// Pages of a static copy: verifies what `now.json` proves about the age of the copy, then asks the service itself.
import { createConnection } from '@public-api/client-internal/connection'
import { verifyCopyProof } from '@public-api/client-internal/copies/copy-proof'
import { isOutage } from '@public-api/client-internal/outage'
import { verifyKeyDocument } from '@public-api/client-internal/signing-keys'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { verifyResponse } from '@public-api/client-internal/verify-response'
import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import { propertyOf } from '@public-api/contract/json/property-of'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { isOfEvents } from '@public-api/contract/snapshots/past-events'
import { formatAge, formatPageMoment, pageElement, partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { cryptoSupport } from './proof-check.ts'
import { copyNotice, type CopyOrigin } from './shown-truth.ts'

const TIMEOUT_MS = 10_000

/** The number of a version such as VS-0012; 0 for another word. */
function sequenceOf(snapshotId: string): number {
  return Number(/^VS-(\d+)$/.exec(snapshotId)?.[1] ?? 0)
}

/** A version with what it publishes. */
type Version = Pick<VersionEntry, 'snapshotId' | 'hash' | 'resources'>

const readArchived = (snapshotId: string) => fetch(`/archive/versions/${snapshotId}.json`)

/** Whether a newer version says of incidents and maintenances what this one says. */
async function saysSame(snapshotId: string, { resources }: Version): Promise<boolean> {
  try {
    const own = (await (await readArchived(snapshotId)).json()) as Version
    const changed = changesBetween(own.resources, resources)
    return !changed.some(({ resource }) => isOfEvents(resource))
  } catch {
    return false
  }
}

/** Whether the copy has another version of that number: two histories with one key differ in their hashes alone. */
async function isContradicted({ snapshotId, hash }: Version): Promise<boolean> {
  const response = await readArchived(snapshotId)
  return response.ok && propertyOf(await response.json(), 'hash') !== hash
}

/** What the service says now: its newest version. Rejects with a ConnectionError or a VerificationError. */
async function askService(origin: string, pins: readonly string[]): Promise<Version> {
  const connection = createConnection(origin, (url, init) => fetch(url, init), {
    timeoutMs: TIMEOUT_MS,
  })
  const get = (target: string) => connection.send(target, {}, undefined)
  const [version, keyDocument] = await Promise.all([
    get(READ_PATHS.version),
    get(READ_PATHS.signingKey),
  ])
  const nowMs = Date.now()
  const { keys } = await verifyKeyDocument({ ...keyDocument, nowMs, pinnedKeyIds: pins })
  try {
    const { data } = await verifyResponse({ ...version, keys, nowMs, pinnedKeyIds: pins })
    return data as VersionEntry
  } catch (error) {
    if (error instanceof VerificationError) error.response ??= version
    throw error
  }
}

const isFromFuture = (error: unknown): boolean =>
  error instanceof VerificationError && error.code === 'FUTURE'

/** What `now.json` proves, with the newest version that the service signed, as far as a page of a copy knows. */
async function readProof(origin: string, pinnedKeyIds: readonly string[]) {
  try {
    const response = await fetch('/now.json', { cache: 'no-store' })
    if (!response.ok) return { kind: 'missing' as const }
    const proof = await verifyCopyProof(new Uint8Array(await response.arrayBuffer()), {
      origin,
      pinnedKeyIds,
      nowMs: Date.now(),
    })
    const isOther = await isContradicted(proof.entry)
    return { kind: isOther ? ('contradicted' as const) : ('valid' as const), proof }
  } catch (error) {
    if (isFromFuture(error)) return { kind: 'ahead' as const }
    return { kind: error instanceof VerificationError ? ('failed' as const) : ('missing' as const) }
  }
}

async function show(notice: HTMLElement): Promise<void> {
  const texts = readPageTexts('copy')
  const place = partOf(notice, '[role="status"]', HTMLElement)
  const { origin = '', keyId = '' } = notice.dataset
  const service = partOf(place, 'a', HTMLAnchorElement)
  let { version = '' } = notice.dataset
  // The page of a version never changes.
  const isAged = notice.dataset['ofVersion'] === undefined
  if ((await cryptoSupport()) !== 'ready') return
  const pinned: readonly string[] = keyId === '' ? [] : [keyId]
  const { kind, proof } = await readProof(origin, pinned)
  let signed = proof?.entry.snapshotId ?? ''
  /** A page of events names the version that changed them, and is as new as any that says the same. */
  async function bringUpTo(newest: Version): Promise<void> {
    const isNewer = sequenceOf(newest.snapshotId) > sequenceOf(version)
    if (notice.dataset['ofEvents'] === undefined || !isNewer) return
    if (await saysSame(version, newest)) version = newest.snapshotId
  }
  if (proof !== undefined) await bringUpTo(proof.entry)

  function say(from: CopyOrigin | undefined): void {
    const { texts: keys, tone } = copyNotice(kind, from)
    const sentences: (Node | string)[] = []
    // A full stop in Chinese has its own space.
    const space = document.documentElement.lang.startsWith('zh') ? '' : ' '
    const add = (key: string, values: Parameters<typeof texts.richText>[1] = {}): void => {
      sentences.push(pageElement('span', texts.richText(key, values)), space)
    }
    add('short', { origin: service })
    // Published while the service was away, or a moment ago: the service signs it once it has taken it up.
    const isAhead = signed !== '' && sequenceOf(version) > sequenceOf(signed)
    for (const key of keys) {
      if (key === 'proven' && proof !== undefined) {
        const iso = new Date(proof.provedAtMs).toISOString()
        const age = pageElement('time', formatAge((Date.now() - proof.provedAtMs) / 1000))
        age.dateTime = iso
        age.title = formatPageMoment(iso)
        const newest = proof.entry.snapshotId
        if (isAhead) add('unsigned', { age, signed, version })
        else add('proven', { age, version: newest })
        if (keyId === '') add('notPinned')
        if (isAged && sequenceOf(newest) > sequenceOf(version)) add('older', { version })
      } else if (key === 'newer') {
        if (isAged && !isAhead) add('newer', { version: signed })
      } else if (key === 'contradicts') {
        add('contradicts', { version: signed })
      } else if (isAged || key !== 'current') add(key)
    }
    if (tone === 'bad') notice.dataset['state'] = 'failed'
    place.replaceChildren(pageElement('span', sentences))
  }

  say(undefined)
  if (kind === 'contradicted') return
  try {
    // Without a pin, the keys of the proof itself are all that is known.
    const newest = await askService(origin, keyId === '' ? (proof?.keyIds ?? []) : pinned)
    signed = newest.snapshotId
    if (await isContradicted(newest)) say('contradicted')
    else {
      await bringUpTo(newest)
      say(signed === version ? 'same' : 'newer')
    }
  } catch (error) {
    const isForged = error instanceof VerificationError && !isOutage(error)
    say(isFromFuture(error) ? 'ahead' : isForged ? 'forged' : 'away')
  }
}

const notice = document.getElementById('copy')
if (notice !== null) void show(notice)
