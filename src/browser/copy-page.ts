// Pages of a static copy: verifies what `now.json` proves about the age of the copy, then asks the service itself.
import { createConnection } from '@public-api/client-internal/connection'
import { verifyCopyProof } from '@public-api/client-internal/copies/copy-proof'
import { isOutage } from '@public-api/client-internal/outage'
import { verifyKeyDocument } from '@public-api/client-internal/signing-keys'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { verifyResponse } from '@public-api/client-internal/verify-response'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { propertyOf } from '@public-api/contract/json/property-of'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { formatAge, formatMoment, pageElement, partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { cryptoSupport } from './proof-check.ts'

const TIMEOUT_MS = 10_000

/** The number of a version such as VS-0012; 0 for another word. */
function sequenceOf(snapshotId: string): number {
  return Number(/^VS-(\d+)$/.exec(snapshotId)?.[1] ?? 0)
}

/** A version by its ID and its hash. */
type Version = Pick<VersionEntry, 'snapshotId' | 'hash'>

/** Whether the copy has another version of that number: two histories with one key differ in their hashes alone. */
async function isContradicted({ snapshotId, hash }: Version): Promise<boolean> {
  const response = await fetch(`/archive/versions/${snapshotId}.json`)
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
    const [snapshotId, hash] = ['snapshotId', 'hash'].map((name) => String(propertyOf(data, name)))
    return { snapshotId: snapshotId ?? '', hash: hash ?? '' }
  } catch (error) {
    if (error instanceof VerificationError) error.response ??= version
    throw error
  }
}

async function show(notice: HTMLElement): Promise<void> {
  const texts = readPageTexts('copy')
  const place = partOf(notice, '[role="status"]', HTMLElement)
  const { origin = '', keyId = '', version = '' } = notice.dataset
  // The page of a version never changes.
  const isAged = notice.dataset['ofVersion'] === undefined
  // A full stop in Chinese has its own space.
  const space = document.documentElement.lang.startsWith('zh') ? '' : ' '
  const add = (key: string, values: Parameters<typeof texts.richText>[1] = {}): void => {
    place.hidden = false
    place.append(pageElement('span', texts.richText(key, values)), space)
  }
  const contradict = ({ snapshotId }: Version): void => {
    notice.dataset['state'] = 'failed'
    add('contradicts', { version: snapshotId })
  }
  /** Whether the clock of the device is to blame. */
  const isAhead = (error: unknown): boolean =>
    error instanceof VerificationError && error.code === 'FUTURE'
  if ((await cryptoSupport()) !== 'ready') return
  /** The newest version that the service signed, as far as this page knows. */
  let signed = ''
  // Without a pin, the keys of the proof itself are all that is known.
  let pins: readonly string[] = keyId === '' ? [] : [keyId]
  try {
    const response = await fetch('/now.json', { cache: 'no-store' })
    if (response.ok) {
      const proof = await verifyCopyProof(new Uint8Array(await response.arrayBuffer()), {
        origin,
        pinnedKeyIds: pins,
        nowMs: Date.now(),
      })
      const { provedAtMs, entry } = proof
      if (await isContradicted(entry)) return contradict(entry)
      if (pins.length === 0) pins = proof.keyIds
      const iso = new Date(provedAtMs).toISOString()
      const time = pageElement('time', formatMoment(iso))
      time.dateTime = iso
      const age = pageElement('span', formatAge((Date.now() - provedAtMs) / 1000))
      add('proven', { time, age, version: entry.snapshotId })
      if (keyId === '') add('notPinned')
      signed = entry.snapshotId
      if (isAged && sequenceOf(signed) > sequenceOf(version)) add('older', { version })
    } else {
      add('missing')
    }
  } catch (error) {
    notice.dataset['state'] = 'failed'
    add(isAhead(error) ? 'clock' : error instanceof VerificationError ? 'failed' : 'missing')
  }
  try {
    const served = await askService(origin, pins)
    if (await isContradicted(served)) return contradict(served)
    const newest = served.snapshotId
    signed = newest
    if (isAged) add(newest === version ? 'current' : 'newer', { version: newest })
  } catch (error) {
    const isForged = error instanceof VerificationError && !isOutage(error)
    // The proof said it before, if there is one.
    if (!isAhead(error)) add(isForged ? 'forged' : 'unreachable')
    else if (notice.dataset['state'] !== 'failed') add('clock')
  }
  // Published while the service was away, or a moment ago: the service signs it once it has taken it up.
  if (signed !== '' && sequenceOf(version) > sequenceOf(signed))
    add('unsigned', { version, signed })
}

const notice = document.getElementById('copy')
if (notice !== null) void show(notice)
