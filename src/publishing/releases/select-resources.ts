import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { isTranslatedName, type TranslatedName } from '@public-api/contract/registry/resource-names'
import { isPartOfStatus } from '@public-api/contract/snapshots/past-events'
import {
  TRANSLATION_LOCALES,
  translationResource,
  type Overlay,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import { sha256Base64url } from '../../crypto/sha256.ts'
import type { ReleaseStore } from '../../releases/release-store.ts'
import type { CompiledContent } from '../compile/compile-content.ts'

/** A resource by its digest, with a way to get its text. */
export interface ResourceSource {
  readonly digest: string
  readonly read: () => string
}

export type ResourceSources = ReadonlyMap<string, ResourceSource>

/** The resources that a version names. Reading one throws a ReleaseFileError. */
export function sourcesOfVersion(
  store: ReleaseStore,
  { resources }: Pick<VersionEntry, 'resources'>,
): ResourceSources {
  return new Map(
    Object.entries(resources).map(([name, digest]) => [
      name,
      { digest, read: () => store.readResourceText(name, digest) },
    ]),
  )
}

/** The resources of compiled content. */
export function sourcesOf({ resources }: Pick<CompiledContent, 'resources'>): ResourceSources {
  return new Map(
    Array.from(resources, ([name, { digest, text }]) => [name, { digest, read: () => text }]),
  )
}

/** The digests of resources, as a version names them. */
export function digestsOf(
  sources: ReadonlyMap<string, { readonly digest: string }>,
): VersionEntry['resources'] {
  return Object.fromEntries(Array.from(sources, ([name, { digest }]) => [name, digest]))
}

/** The translations of each resource in one locale. */
export function overlaysIn(source: ResourceSource | undefined): {
  readonly [name: string]: Overlay
} {
  return source === undefined ? {} : (JSON.parse(source.read()) as Translations).resources
}

/**
 * Some resources of one version, with their translations, and all others of another version. The status includes the
 * years before it.
 */
export function selectResources(
  others: ResourceSources,
  wanted: ResourceSources,
  names: ReadonlySet<TranslatedName>,
): ResourceSources {
  const selected = new Map(others)
  const replace = (name: string, source: ResourceSource | undefined): void => {
    if (source === undefined) selected.delete(name)
    else selected.set(name, source)
  }
  for (const name of names) replace(name, wanted.get(name))
  if (names.has('status')) {
    const parts = [...others.keys(), ...wanted.keys()].filter(isPartOfStatus)
    for (const name of parts) replace(name, wanted.get(name))
  }
  for (const locale of TRANSLATION_LOCALES) {
    const resource = translationResource(locale)
    const isWanted = (name: string) => isTranslatedName(name) && names.has(name)
    const [before, after] = [overlaysIn(others.get(resource)), overlaysIn(wanted.get(resource))]
    const resources = Object.fromEntries([
      ...Object.entries(before).filter(([name]) => !isWanted(name)),
      ...Object.entries(after).filter(([name]) => isWanted(name)),
    ])
    const text = canonicalJson({ locale, resources } as unknown as JsonValue)
    const isEmpty = Object.keys(resources).length === 0
    replace(resource, isEmpty ? undefined : { digest: sha256Base64url(text), read: () => text })
  }
  return selected
}
