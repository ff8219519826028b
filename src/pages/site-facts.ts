import type { Locale } from '../contract/locales.ts'
import { publishesNoWallet } from '../contract/no-wallet.ts'
import {
  ORGANIZATION_RESOURCE,
  ORGANIZATION_SCHEMA,
  type Organization,
} from '../contract/organization.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import type { DataOf } from '../contract/schemas.ts'
import {
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
  type SnapshotName,
} from '../contract/snapshot-schemas.ts'
import {
  CONTENT_LOCALE,
  translateData,
  translationResource,
  type Translations,
} from '../contract/translations.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import type { OpenApiDocument } from '../documents/openapi.ts'
import type { App } from '../http/api-request.ts'
import type { Challenge } from '../service/challenge.ts'
import type { Payload } from '../service/payload.ts'
import type { Releases } from '../service/releases.ts'
import type { LocalizedContent, SiteFacts } from './page.ts'
import { readBody, readSampleResponse, type SampleResponse } from './sample-response.ts'

/** Sources of the facts. */
export interface SiteFactsOptions extends Pick<
  SiteFacts,
  | 'origin'
  | 'registry'
  | 'runtime'
  | 'registryVersion'
  | 'issuance'
  | 'keyId'
  | 'contact'
  | 'logoPath'
  | 'accentPath'
  | 'assetPath'
> {
  readonly releases: Releases
  /** Responds to requests for the API. */
  readonly api: App
  readonly challenge: Challenge
}

/** The type is safe, because loading a release checks digests and schemas. */
function valueOf(payload: Payload): unknown {
  return JSON.parse(payload.json)
}

/** The published organization; undefined in a demonstration. */
export function readOrganization(releases: Releases): Organization | undefined {
  const payload = releases.resource(ORGANIZATION_RESOURCE)
  return payload === undefined ? undefined : (valueOf(payload) as Organization)
}

/** The published content in one language. Missing translations fall back to the original. */
function createLocalizedContent(releases: Releases, locale: Locale): LocalizedContent {
  const untranslated = new Set<string>()
  const incomplete = new Set<string>()
  const payload =
    locale === CONTENT_LOCALE
      ? undefined
      : releases.resource(translationResource(locale as Exclude<Locale, 'en'>))
  const translations = payload === undefined ? undefined : (valueOf(payload) as Translations)

  function localized(
    name: string,
    schema: Parameters<typeof translateData>[0],
    data: Payload,
  ): unknown {
    const value = valueOf(data)
    if (locale === CONTENT_LOCALE) return value
    const translated = translateData(schema, value, translations?.resources[name])
    for (const text of translated.untranslated) untranslated.add(text)
    if (translated.untranslated.size > 0) incomplete.add(name)
    return translated.data
  }

  function localizedSnapshot<Name extends SnapshotName>(
    name: Name,
  ): SnapshotData<Name> | undefined {
    const data = releases.snapshot(name)
    return data === undefined
      ? undefined
      : (localized(name, SNAPSHOT_SCHEMAS[name], data) as SnapshotData<Name>)
  }

  const organization = releases.resource(ORGANIZATION_RESOURCE)
  return {
    snapshot: localizedSnapshot,
    organization:
      organization === undefined
        ? undefined
        : (localized(ORGANIZATION_RESOURCE, ORGANIZATION_SCHEMA, organization) as Organization),
    isUntranslated: (text) => untranslated.has(text),
    isComplete(names) {
      for (const name of names) localizedSnapshot(name)
      return !names.some((name) => incomplete.has(name))
    },
  }
}

/** The facts of one release, read on demand. */
export function createSiteFacts(options: SiteFactsOptions): SiteFacts {
  const { releases, challenge, api, ...rest } = options
  const history = (): DataOf<'VersionHistory'> =>
    valueOf(releases.history) as DataOf<'VersionHistory'>
  const version = (snapshotId: string): VersionEntry | undefined => {
    const entry = releases.version(snapshotId)
    return entry === undefined ? undefined : (valueOf(entry) as VersionEntry)
  }
  let sample: { readonly response: SampleResponse | undefined } | undefined
  return {
    ...rest,
    challenge: challenge.description,
    get sampleResponse() {
      sample ??= { response: readSampleResponse(api, READ_PATHS.status) }
      return sample.response
    },
    get openApi() {
      const text = readBody(api, READ_PATHS.openapi)
      return text === undefined ? undefined : (JSON.parse(text) as OpenApiDocument)
    },
    get head() {
      return valueOf(releases.head) as VersionEntry
    },
    get versionCount() {
      return history().count
    },
    get versionSummaries() {
      return history().entries
    },
    newestVersions(count) {
      return history()
        .entries.slice(0, count)
        .flatMap(({ snapshotId }) => version(snapshotId) ?? [])
    },
    version,
    archived(name, digest) {
      const text = releases.readResource(name, digest)
      return text === undefined ? undefined : JSON.parse(text)
    },
    snapshot<Name extends SnapshotName>(name: Name) {
      const payload = releases.snapshot(name)
      return payload === undefined ? undefined : (valueOf(payload) as SnapshotData<Name>)
    },
    content: (locale) => createLocalizedContent(releases, locale),
    get hasWallet() {
      const wallet = releases.snapshot('wallet')
      return wallet === undefined || !publishesNoWallet(valueOf(wallet) as SnapshotData<'wallet'>)
    },
  }
}
