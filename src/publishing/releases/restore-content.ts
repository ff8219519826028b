import fs from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  isTranslatedName,
  type TranslatedName,
  translatedSchema,
  translationsOf,
} from '@public-api/contract/registry/resource-names'
import { WALLET_NAMES } from '@public-api/contract/snapshots/no-wallet'
import {
  ORGANIZATION_RESOURCE,
  type Organization,
} from '@public-api/contract/snapshots/organization'
import {
  itemKeyName,
  itemKeyOf,
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { stringify } from 'yaml'
import { findBelow } from '../../files/folder-files.ts'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import { compileContent } from '../compile/compile-content.ts'
import { schemaLine } from '../compile/editor-schemas.ts'
import { isUsual, type Status } from '../editing/edit-status.ts'
import { rewriteYaml } from '../editing/rewrite-yaml.ts'
import { writeUsualSummary } from '../editing/usual-summary.ts'
import { writeContentFile } from '../editing/write-content-file.ts'
import {
  contentFiles,
  contentName,
  MAX_FILE_BYTES,
  resourceOfFile,
} from '../rules/content-folder.ts'
import { contentSchema, IMPORT_FIELDS } from '../rules/content-schemas.ts'
import { parseYamlSource } from '../rules/yaml-source.ts'
import { compileOverlay } from '../translations/compile-overlay.ts'
import { type TranslatedText, writeTranslationRecord } from '../translations/translation-record.ts'
import { overlaysIn, type ResourceSources } from './select-resources.ts'

/** What a content folder is brought to. */
export interface RestoredVersion {
  /** The version that names the copies of files. */
  readonly name: string
  readonly wanted: ResourceSources
  /** The summary that comes back when nothing is open any more; undefined if nothing is open. */
  readonly usualSummary: string | undefined
}

/**
 * The summary that comes back when nothing is open any more in the last of some versions: that of the newest one before
 * it in which nothing was open. Undefined if nothing is open in the last one, and if the history has no such version.
 */
export function usualSummaryOf(
  store: ReleaseStore,
  versions: readonly VersionEntry[],
): string | undefined {
  const digests = versions.toReversed().flatMap(({ resources }) => resources['status'] ?? [])
  for (const [index, digest] of [...new Set(digests)].entries()) {
    try {
      const status = JSON.parse(store.readResourceText('status', digest)) as Status
      if (isUsual(status)) return index === 0 ? undefined : status.summary
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
    }
  }
  return undefined
}

/** The fields of organization.yaml that were published as this. The logo's file is set by the caller. */
function organizationContent({ logo, accentColor, ...rest }: Organization, logoFile: string) {
  return {
    ...rest,
    ...(logo === undefined ? {} : { logo: { file: logoFile, alt: logo.alt } }),
    ...(accentColor === undefined ? {} : { accentColor: accentColor.light }),
  }
}

/** A published translation in the form of the file: a list of the file may be a list, or a map by key or position. */
function shapeLike(
  schema: JsonSchema | undefined,
  wanted: JsonValue | undefined,
  current: JsonValue | undefined,
): JsonValue | undefined {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return wanted
  const { items, properties } = schema ?? {}
  const list = items && Array.isArray(current) ? (current as readonly JsonValue[]) : []
  const keys = list.map((item, index) => itemKeyOf(items ?? {}, item, index))
  const members = Object.entries(wanted as { readonly [name: string]: JsonValue }).map(
    ([name, member]) => {
      const known = list[keys.indexOf(name)] ?? propertyOf(current, name)
      const shaped = shapeLike(items ?? properties?.[name], member, known as JsonValue)
      return [name, shaped ?? member] as const
    },
  )
  const keyName = items && itemKeyName(items)
  const isWhole = members.map(([name]) => name).join() === keys.join()
  if (list.length === 0 || (keyName === undefined && !isWhole)) return Object.fromEntries(members)
  // In the order of the file; what it does not have comes last.
  const placeOf = (name: string) => (keys.includes(name) ? keys.indexOf(name) : keys.length)
  return members
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    .map(([name, member]) =>
      keyName === undefined ? member : { [keyName]: name, ...(member as object) },
    )
}

/** Data with the members of objects in the order of their schema: published data are in the order of the alphabet. */
function inSchemaOrder(schema: JsonSchema, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  const { items = {}, properties = {} } = schema
  if (Array.isArray(value)) return value.map((item: JsonValue) => inSchemaOrder(items, item))
  const members = value as { readonly [name: string]: JsonValue }
  const names = new Set([...Object.keys(properties), ...Object.keys(members)])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const member = members[name]
      return member === undefined ? [] : [[name, inSchemaOrder(properties[name] ?? {}, member)]]
    }),
  )
}

/** Writes files of a content folder, and saves what was not published before. */
function createWriter(contentDir: string, version: string) {
  const changed: string[] = []
  const saved: string[] = []
  const imported = new Map<TranslatedName, string>()
  const readBytes = (name: string) => findBelow(contentDir, name, MAX_FILE_BYTES)
  const read = (name: string) => readBytes(name)?.toString('utf8')

  function replace(
    name: string,
    text: string | Uint8Array | undefined,
    isPublished: boolean,
  ): void {
    const file = path.join(contentDir, name)
    if (!isPublished && readBytes(name) !== undefined) {
      // With its permissions: what was typed may not be meant for others.
      fs.copyFileSync(file, `${file}.${version}.bak`)
      saved.push(`${name}.${version}.bak`)
    }
    writeContentFile(contentDir, name, text)
    changed.push(name)
  }

  return {
    changed,
    saved,
    /** Files that were left alone, because an import has their entries, with that reason. */
    imported,
    read,
    replace,

    /**
     * Gives a YAML file another value; undefined removes the file. `known` is the value that was published. `annotate`
     * changes comments.
     */
    write(
      name: string,
      known: JsonValue | undefined,
      published: JsonValue | undefined,
      locale?: TranslationLocale,
      annotate = (edited: string) => edited,
    ): void {
      const file = locale === undefined ? name : `${locale}/${name}`
      const text = read(file)
      const current = text === undefined ? undefined : parseYamlSource(file, text).value?.value
      const resource = locale && resourceOfFile(name)
      const schema = resource && translatedSchema(resource)
      const wanted = shapeLike(schema, published, current)
      if (isDeepStrictEqual(current, wanted)) return
      const isPublished = isDeepStrictEqual(current, shapeLike(schema, known, current))
      if (wanted === undefined) return replace(file, undefined, isPublished)
      const isReadable = text !== undefined && current !== undefined
      // Of a file that cannot be read, the comments at its beginning stay.
      const [begin = ''] = /^(?:#.*\r?\n|\r?\n)*/.exec(text ?? '') ?? []
      const fresh = () =>
        `${begin || `${schemaLine(name, locale)}\n`}${stringify(wanted, { lineWidth: 100 })}`
      replace(file, annotate(isReadable ? rewriteYaml(text, wanted) : fresh()), isPublished)
    },
  }
}

type Writer = ReturnType<typeof createWriter>

function restoreOrganization(
  writer: Writer,
  file: string,
  known: Organization | undefined,
  wanted: Organization | undefined,
): void {
  const value = parseYamlSource(file, writer.read(file) ?? '').value?.value
  const current = propertyOf(propertyOf(value, 'logo'), 'file')
  const fileOf = (organization: Organization | undefined): string => {
    const ending = organization?.logo?.mediaType === 'image/png' ? '.png' : '.svg'
    return typeof current === 'string' && current.endsWith(ending) ? current : `logo${ending}`
  }
  const contentOf = (organization: Organization | undefined) =>
    organization &&
    (organizationContent(organization, fileOf(organization)) as unknown as JsonValue)
  writer.write(file, contentOf(known), contentOf(wanted))
  const logo = wanted?.logo
  if (typeof current === 'string' && current !== (logo && fileOf(wanted))) {
    writer.replace(current, undefined, true)
  }
  if (logo !== undefined && logo.base64 !== known?.logo?.base64) {
    writer.replace(fileOf(wanted), Buffer.from(logo.base64, 'base64'), current === fileOf(known))
  }
}

/** Brings one content file to what a version publishes. */
function restoreResource(
  writer: Writer,
  [file, name]: readonly [file: string, name: TranslatedName],
  known: JsonValue | undefined,
  wanted: JsonValue | undefined,
  usualSummary: string | undefined,
): void {
  if (name === ORGANIZATION_RESOURCE) {
    const [before, after] = [known, wanted] as unknown as (Organization | undefined)[]
    return restoreOrganization(writer, file, before, after)
  }
  const text = writer.read(file)
  const field = IMPORT_FIELDS[name]?.name
  const mapping = field && text && propertyOf(parseYamlSource(file, text).value?.value, field)
  const imported = propertyOf(mapping, 'file')
  if (typeof imported === 'string') {
    const reason = `${file} takes its entries from ${imported}, which was not changed`
    writer.imported.set(name, reason)
  } else {
    const annotate = (edited: string) =>
      name === 'status' ? writeUsualSummary(edited, usualSummary) : edited
    const ordered = wanted && inSchemaOrder(contentSchema(name), wanted)
    writer.write(file, known, ordered, undefined, annotate)
  }
}

/**
 * Gives one content file, or one of its translations, what a version publishes, whatever the file has now. Returns the
 * copies of what it had.
 */
export function restoreFile(
  contentDir: string,
  file: string,
  { name: version, wanted, usualSummary }: RestoredVersion,
): readonly string[] {
  const writer = createWriter(contentDir, version)
  const locale = TRANSLATION_LOCALES.find((each) => file.startsWith(`${each}/`))
  const base = locale === undefined ? file : file.slice(locale.length + 1)
  const name = resourceOfFile(base)
  if (name === undefined) return []
  const source = wanted.get(name)
  if (locale === undefined) {
    const value = source && (JSON.parse(source.read()) as JsonValue)
    restoreResource(writer, [base, name], undefined, value, usualSummary)
  } else {
    const overlay = overlaysIn(wanted.get(translationsOf(locale, name)))[name]
    writer.write(base, undefined, overlay as JsonValue | undefined, locale)
  }
  return writer.saved
}

/**
 * Brings a content folder from the resources of one version to those of another one; resources that are the same in both
 * are left alone. Comments of what stays are kept. Files with edits that were not published are copied first. Resolves with
 * the paths of the files that were `changed`, created or removed, those of the copies (`saved`), and what has to be changed
 * by hand, one line each.
 */
export async function restoreContent(
  contentDir: string,
  known: ResourceSources,
  { name: version, wanted, usualSummary }: RestoredVersion,
  nowMs: number,
) {
  const writer = createWriter(contentDir, version)
  const valueOf = (sources: ResourceSources, name: string) => {
    const source = sources.get(name)
    return source && (JSON.parse(source.read()) as JsonValue)
  }
  const differs = (name: string) => known.get(name)?.digest !== wanted.get(name)?.digest
  const isWallet = (name: string) => WALLET_NAMES.some((each) => each === name)
  const hasWallet = WALLET_NAMES.some(differs)
  const restored = new Set<TranslatedName>()
  const files = contentFiles([...known.keys(), ...wanted.keys()])
  for (const [file, name] of files) {
    // A folder without wallet files publishes the built-in views. A part of these files is a mistake.
    const isMissing = isWallet(name) && hasWallet && writer.read(file) === undefined
    if (!differs(name) && !isMissing) continue
    restored.add(name)
    restoreResource(writer, [file, name], valueOf(known, name), valueOf(wanted, name), usualSummary)
  }
  for (const locale of TRANSLATION_LOCALES) {
    for (const [file, name] of files) {
      const resource = translationsOf(locale, name)
      const [before, after] = [overlaysIn(known.get(resource)), overlaysIn(wanted.get(resource))]
      if (isDeepStrictEqual(before[name], after[name])) continue
      restored.add(name)
      const [old, now] = [before[name], after[name]] as (JsonValue | undefined)[]
      writer.write(file, old, now, locale)
    }
  }
  const published = new Set<string>()
  for (const locale of TRANSLATION_LOCALES) {
    for (const name of restored) {
      const { [name]: overlay = {} } = overlaysIn(wanted.get(translationsOf(locale, name)))
      const data = valueOf(wanted, name) ?? {}
      const { texts } = compileOverlay(overlay as JsonValue, translatedSchema(name), data)
      for (const { field, translation } of texts)
        published.add(`${locale} ${contentName(name)}.${field} ${translation}`)
    }
  }
  // A file may also have older translations, which were not published and stay outdated.
  const isCurrent = ({ locale, field, translation }: TranslatedText) =>
    published.has(`${locale} ${field} ${translation}`)
  const { translated } = await compileContent(contentDir, nowMs)
  for (const locale of new Set(translated.map((text) => text.locale))) {
    writeTranslationRecord(contentDir, locale, translated, isCurrent)
  }
  const { mistakes, resources } = await compileContent(contentDir, nowMs)
  const byHand =
    mistakes.length === 0
      ? [...resources].flatMap(([name, { digest }]) =>
          differs(name) && digest !== wanted.get(name)?.digest && isTranslatedName(name)
            ? [
                writer.imported.get(name) ??
                  `${name} still differs from the published one; see svc diff`,
              ]
            : [],
        )
      : [
          ...writer.imported.values(),
          `${contentDir} has mistakes by the rules of today; see svc check`,
        ]
  return { changed: writer.changed, saved: writer.saved, byHand }
}
