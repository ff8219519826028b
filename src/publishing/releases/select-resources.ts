import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import {
  isTranslatedName,
  type TranslatedName,
  translatedSchema,
  translationsOf,
} from '@public-api/contract/registry/resource-names'
import { isPartOfStatus } from '@public-api/contract/snapshots/past-events'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
  translationResource,
  type Overlay,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import { sha256Base64url } from '../../crypto/sha256.ts'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import type { CompiledContent } from '../compile/compile-content.ts'
import { PublishError } from '../rules/publish-error.ts'
import { compileOverlay } from '../translations/compile-overlay.ts'
import { translatableTexts } from '../translations/translatable-texts.ts'

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
    Array.from(resources, ([name, resource]) => [
      name,
      { digest: resource.digest, read: () => resource.text },
    ]),
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

/** A resource with the translations of others in one locale; undefined without any. */
function sourceOfOverlays(
  locale: TranslationLocale,
  resources: { readonly [name: string]: Overlay },
): ResourceSource | undefined {
  const text = canonicalJson({ locale, resources } as unknown as JsonValue)
  const isEmpty = Object.keys(resources).length === 0
  return isEmpty ? undefined : { digest: sha256Base64url(text), read: () => text }
}

function replaceIn(
  sources: Map<string, ResourceSource>,
  name: string,
  source: ResourceSource | undefined,
): void {
  if (source === undefined) sources.delete(name)
  else sources.set(name, source)
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
  for (const name of names) replaceIn(selected, name, wanted.get(name))
  if (names.has('status')) {
    const parts = [...others.keys(), ...wanted.keys()].filter(isPartOfStatus)
    for (const name of parts) replaceIn(selected, name, wanted.get(name))
  }
  for (const locale of TRANSLATION_LOCALES) {
    const resource = translationResource(locale)
    const isWanted = (name: string) => isTranslatedName(name) && names.has(name)
    const [before, after] = [overlaysIn(others.get(resource)), overlaysIn(wanted.get(resource))]
    const resources = Object.fromEntries([
      ...Object.entries(before).filter(([name]) => !isWanted(name)),
      ...Object.entries(after).filter(([name]) => isWanted(name)),
    ])
    replaceIn(selected, resource, sourceOfOverlays(locale, resources))
  }
  return selected
}

function dataIn(source: ResourceSource | undefined): JsonValue {
  try {
    return source === undefined ? {} : (JSON.parse(source.read()) as JsonValue)
  } catch (error) {
    // Its damage is named where it is published.
    if (error instanceof ReleaseFileError) return {}
    throw error
  }
}

/**
 * The resources of an older version, with those of the newest one in the place of what was redacted. Translations go with
 * what they translate: of what stays, they stay too, and where they were redacted, those stay that translate the same text.
 */
export function withoutRedacted(
  older: ResourceSources,
  current: ResourceSources,
  redacted: readonly string[],
): ResourceSources {
  const chosen = new Map(older)
  for (const name of redacted) replaceIn(chosen, name, current.get(name))
  const names = [...new Set([...older.keys(), ...chosen.keys()])].filter(isTranslatedName)
  for (const locale of TRANSLATION_LOCALES) {
    for (const name of names) {
      const resource = translationsOf(locale, name)
      if (!redacted.includes(resource) && !redacted.includes(name)) continue
      const schema = translatedSchema(name)
      const same = new Map(
        Array.from(translatableTexts(schema, dataIn(current.get(name))), ({ field, source }) => [
          field,
          source,
        ]),
      )
      const { [name]: newest = {} } = overlaysIn(current.get(resource))
      const { overlay } = compileOverlay(
        newest as unknown as JsonValue,
        schema,
        dataIn(chosen.get(name)),
        ({ field, source }) => same.get(field) !== source,
      )
      const { [name]: _, ...others } = overlaysIn(chosen.get(resource))
      const isEmpty = Object.keys(overlay).length === 0
      replaceIn(
        chosen,
        resource,
        sourceOfOverlays(locale, { ...others, ...(isEmpty ? {} : { [name]: overlay }) }),
      )
    }
  }
  return chosen
}

/** Throws a PublishError if a resource was redacted with this content. */
export function requireUnredacted(
  store: ReleaseStore,
  resources: ReadonlyMap<string, { readonly digest: string }>,
): void {
  for (const [name, { digest }] of resources) {
    if (store.readRedaction(name, digest) === undefined) continue
    const expected = `${name} was redacted with this content; expected content that was not redacted`
    throw new PublishError('REDACTED', expected)
  }
}

/** Stores resources; none of them if one was redacted, because what is refused must not stay behind. */
export function storeSources(
  store: ReleaseStore,
  sources: readonly (readonly [name: string, source: ResourceSource])[],
): void {
  requireUnredacted(store, new Map(sources))
  for (const [name, { digest, read }] of sources) store.writeResource(name, digest, read())
}
