import type { VersionEntry } from '../history/version-chain.ts'
import { REGISTRY_VERSION } from '../terms/api-version.ts'
import { isTranslatedName } from './resource-names.ts'

/** A time may be this far ahead of the clock before it is named or asked about: clocks differ. */
export const MAX_AHEAD_MS = 300_000

const TRANSLATIONS = /^site\/translations\/[^/]+(?:\/events\/.+)?$/

/** Whether this program knows what a resource of a version is for. */
function isKnownResource(name: string): boolean {
  return isTranslatedName(name) || TRANSLATIONS.test(name)
}

/** Whether a version of the registry is later than another one. */
function isLater(version: string, than: string): boolean {
  const [numbers, others] = [version, than].map((text) => text.split('.').map(Number))
  const at = numbers?.findIndex((number, index) => number !== others?.[index]) ?? -1
  return at !== -1 && Number(numbers?.[at]) > Number(others?.[at])
}

/**
 * That a later program wrote a version, which is served as far as this one can read it; undefined otherwise.
 * `unknownMembers` are those of its resources that their schemas do not know, as `name/pointer`.
 */
export function laterProgramOf(
  {
    snapshotId,
    registryVersion,
    resources,
  }: Pick<VersionEntry, 'snapshotId' | 'registryVersion' | 'resources'>,
  unknownMembers: readonly string[] = [],
): string | undefined {
  const names = Object.keys(resources).filter((name) => !isKnownResource(name))
  const unknown = [...names, ...unknownMembers]
  if (!isLater(registryVersion, REGISTRY_VERSION) && unknown.length === 0) return undefined
  const found = unknown.length === 0 ? '' : `, with ${unknown.join(', ')}`
  return `${snapshotId} was written by a later program (registry ${registryVersion}${found}; this one knows ${REGISTRY_VERSION}): upgrade this one`
}

/** That a version was published by a clock that is ahead of this one; undefined otherwise. */
export function futureVersionOf(
  { snapshotId, createdAt }: Pick<VersionEntry, 'snapshotId' | 'createdAt'>,
  nowMs: number,
): string | undefined {
  const aheadMs = Date.parse(createdAt) - nowMs
  if (!(aheadMs > MAX_AHEAD_MS)) return undefined
  return `FUTURE_VERSION: ${snapshotId} is of ${createdAt}, ${Math.round(aheadMs / 60_000)} min ahead of the clock: compare the clocks of publisher and server`
}

/** What is to be said about the newest version, although it is served: each text with its code. */
export function noticesOf(
  head: VersionEntry,
  nowMs: number,
  unknownMembers: readonly string[] = [],
): readonly { readonly code: 'LATER_PROGRAM' | 'FUTURE_VERSION'; readonly text: string }[] {
  const texts = {
    LATER_PROGRAM: laterProgramOf(head, unknownMembers),
    FUTURE_VERSION: futureVersionOf(head, nowMs),
  }
  return (['LATER_PROGRAM', 'FUTURE_VERSION'] as const).flatMap((code) => {
    const text = texts[code]
    return text === undefined ? [] : [{ code, text }]
  })
}
