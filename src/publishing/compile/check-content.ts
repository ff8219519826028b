import {
  type TranslatedName,
  translatedSchema,
  translationsOf,
} from '@public-api/contract/registry/resource-names'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import type { EARLY_ACCESS_RESOURCE } from '@public-api/contract/snapshots/early-access'
import { type EarlyAccessState } from '@public-api/contract/snapshots/early-access'
import { NO_WALLET_VIEWS, WALLET_NAMES } from '@public-api/contract/snapshots/no-wallet'
import {
  ORGANIZATION_CONTENT_SCHEMA,
  ORGANIZATION_RESOURCE,
  type Organization,
  type OrganizationContent,
} from '@public-api/contract/snapshots/organization'
import { isPastEventsName, type PastEventsName } from '@public-api/contract/snapshots/past-events'
import type { PastEvents } from '@public-api/contract/snapshots/past-events-schema'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  type Overlay,
  type TranslationLocale,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import { type ContentFile, type ContentFolder, contentName } from '../rules/content-folder.ts'
import {
  type ContentMistake,
  fault,
  formatFieldPath,
  locateFaults,
} from '../rules/content-mistake.ts'
import { contentSchema } from '../rules/content-schemas.ts'
import { checkSchema } from '../rules/schema-check.ts'
import { checkPastEvents } from '../rules/status-rules.ts'
import { checkComments, checkValues } from '../rules/value-rules.ts'
import type { ContentSource } from '../rules/yaml-source.ts'
import { compileOverlay, type OverlayText } from '../translations/compile-overlay.ts'
import { translatableTexts } from '../translations/translatable-texts.ts'
import {
  isOutdated,
  type TranslatedText,
  type TranslationRecord,
  type UntranslatedText,
} from '../translations/translation-record.ts'
import { checkOrganization, cleanLogo, compileOrganization } from './compile-organization.ts'
import { type ParsedContent, type ParsedOverlay, referenceIn } from './parse-content.ts'
import { checkSemantics, type ValidData } from './semantic-rules.ts'

/** The data of each resource that has its described shape. */
export type CheckedData = ValidData & {
  [ORGANIZATION_RESOURCE]?: Organization
  [EARLY_ACCESS_RESOURCE]?: EarlyAccessState
  [year: PastEventsName]: PastEvents
  [translations: `site/translations/${string}`]: Translations
}

/** What the content says, as far as it is valid. */
export type CheckedContent = ReturnType<typeof checkContent>

/** The mistakes of one resource by its schema and the rules for values; the first mistake of each value. */
function checkResource(
  name: TranslatedName,
  source: ContentSource,
  isKnown: boolean,
  nowMs: number,
): readonly ContentMistake[] {
  const schema = contentSchema(name)
  // What was published of this text has its shape. Its times are compared with the clock again.
  const faults = isKnown ? [] : [...checkSchema(schema, source.value)]
  const refused = new Set(faults.map(({ path }) => formatFieldPath(path)))
  const others = [...checkValues(source, schema, nowMs), ...checkComments(source, schema)].filter(
    ({ path }) => !refused.has(formatFieldPath(path)),
  )
  return locateFaults(source.place, [...faults, ...others])
}

function checkIdentity(source: ContentSource, folder: ContentFolder, isSound: boolean) {
  const content = source.value as unknown as OrganizationContent
  const file = referenceIn(ORGANIZATION_RESOURCE, source.value)
  const { properties } = ORGANIZATION_CONTENT_SCHEMA.properties.logo
  const isNamed = file !== undefined && schemaMistake(properties.file, file) === undefined
  const logo = isNamed ? folder.readReferenced(file, source, ['logo', 'file']) : undefined
  const image = logo?.value && cleanLogo(logo.value)
  const mistakes = [
    ...locateFaults(source.place, checkOrganization(source)),
    ...(logo?.mistakes ?? []),
    ...(image?.mistakes ?? []),
  ]
  return {
    identity:
      isSound && mistakes.length === 0 ? compileOrganization(content, image?.value) : undefined,
    // The text of an SVG is published too.
    imageTexts:
      logo?.value?.file.endsWith('.svg') === true
        ? [{ file: logo.value.file, text: logo.value.bytes.toString('utf8') }]
        : [],
    mistakes,
  }
}

/** Whether a translated text is one of these resources. */
export function isOfResource(
  { field }: Pick<TranslatedText, 'field'>,
  names: ReadonlySet<TranslatedName>,
): boolean {
  return [...names].some(
    (name) =>
      field.startsWith(`${contentName(name)}.`) ||
      (name === 'status' && field.startsWith('events/')),
  )
}

/** Every text of a resource that can be translated, where the content has it. */
function untranslatedTexts(
  name: TranslatedName,
  data: CheckedData[TranslatedName],
  { place }: ContentSource,
): readonly UntranslatedText[] {
  if (data === undefined) return []
  const texts = translatableTexts(translatedSchema(name), data)
  return Array.from(texts, ({ path, field, source }) => {
    const { file, line, column } = place(path)
    return { field: `${contentName(name)}.${field}`, source, file, line, column }
  })
}

/** Adds the translation to the data, without outdated texts. */
function checkOverlay(
  { locale, name, source, isKnown }: ParsedOverlay,
  data: CheckedData,
  folder: ContentFolder,
  readRecord: (locale: TranslationLocale) => TranslationRecord,
) {
  const none = { mistakes: [], texts: [], outdated: [] }
  const original = data[name]
  if (original === undefined) {
    // A file with mistakes has its own.
    if (folder.hasFile(name)) return none
    const missing = fault([], `a translation of ${name}`, 'the content that it translates')
    return { ...none, mistakes: locateFaults(source.place, [missing]) }
  }
  const resource = translationsOf(locale, name)
  const add = (overlay: Overlay): void => {
    data[resource] = { locale, resources: { ...data[resource]?.resources, [name]: overlay } }
  }
  // Published with this text and this record, it fits and is not outdated.
  if (isKnown) {
    add(source.value as unknown as Overlay)
    return none
  }
  const record = readRecord(locale)
  const locateText = ({ path, field, ...text }: OverlayText): TranslatedText => ({
    ...text,
    locale,
    field: `${contentName(name)}.${field}`,
    place: () => source.place(path),
  })
  const schema = translatedSchema(name)
  const compiled = compileOverlay(source.value, schema, original, (text) =>
    isOutdated(record, locateText(text)),
  )
  const { overlay, faults, outdated } = compiled
  const texts = compiled.texts.map((text) => ({ text, located: locateText(text) }))
  if (Object.keys(overlay).length > 0) add(overlay)
  const cut = checkComments(source)
  return {
    mistakes: locateFaults(source.place, [...faults, ...cut]),
    texts: texts.map(({ located }) => located),
    outdated: texts.flatMap(({ text, located }) => (outdated.has(text) ? [located] : [])),
  }
}

/** Maintenances that are planned for a time that is over: nothing ends them by the clock. */
function pastMaintenances(
  { status }: CheckedData,
  sources: ParsedContent['sources'],
  nowMs: number,
): readonly string[] {
  const place = sources.get('status')?.place
  return (status?.maintenances ?? []).flatMap(({ id, state, endsAt }, index) => {
    if (place === undefined || Date.parse(endsAt) > nowMs) return []
    if (state !== 'scheduled' && state !== 'in_progress') return []
    const { file, line, column } = place(['maintenances', index, 'endsAt'])
    const next = state === 'scheduled' ? 'start' : 'complete'
    return [
      `${file}:${line}:${column}: the maintenance ${id} is ${state}, and its end has passed; expected svc maintenance ${next}, cancel or reschedule`,
    ]
  })
}

/** Checks parsed content against the schemas and the rules. `nowMs` is the current time for "not in the future". */
export function checkContent(
  folder: ContentFolder,
  { sources, known, overlays }: ParsedContent,
  nowMs: number,
  readRecord: (locale: TranslationLocale) => TranslationRecord,
) {
  const data: CheckedData = {}
  const imageTexts: ContentFile[] = []
  const mistakes: ContentMistake[] = []
  for (const [name, source] of sources) {
    const found = checkResource(name, source, known.has(name), nowMs)
    mistakes.push(...found)
    const isSound = found.length === 0
    if (name !== ORGANIZATION_RESOURCE) {
      if (isSound) Object.assign(data, { [name]: source.value })
      continue
    }
    const organization = checkIdentity(source, folder, isSound)
    mistakes.push(...organization.mistakes)
    imageTexts.push(...organization.imageTexts)
    if (organization.identity !== undefined) data[name] = organization.identity
  }
  if (!WALLET_NAMES.some((name) => folder.hasFile(name))) Object.assign(data, NO_WALLET_VIEWS)
  for (const [name, { place }] of sources) {
    if (isSnapshotName(name)) {
      mistakes.push(...locateFaults(place, checkSemantics(name, data[name], data)))
    }
    const left = name === ORGANIZATION_RESOURCE && data[name]?.site?.leaveOut?.indexOf('wallet')
    if (typeof left === 'number' && left >= 0 && data.wallet?.attached === true) {
      const path = ['site', 'leaveOut', left]
      const expected = 'a list without it, because wallet.yaml says that one is attached'
      mistakes.push(...locateFaults(place, [fault(path, '"wallet"', expected)]))
    }
    const year = isPastEventsName(name) ? data[name] : undefined
    if (year !== undefined) {
      mistakes.push(...locateFaults(place, checkPastEvents(name.slice(-4), year, data.status)))
    }
  }
  const translated: TranslatedText[] = []
  const outdated: TranslatedText[] = []
  for (const overlay of overlays) {
    const checked = checkOverlay(overlay, data, folder, readRecord)
    mistakes.push(...checked.mistakes)
    translated.push(...checked.texts)
    outdated.push(...checked.outdated)
  }
  return {
    data,
    /** Texts of published images. */
    imageTexts,
    mistakes,
    /** What may be wrong, one line each with its place. */
    notes: pastMaintenances(data, sources, nowMs),
    /** Every translated text that is checked, and those whose source changed after them: these are not published. */
    translated,
    outdated,
    /** The texts that have no translation into a locale, outdated ones aside. */
    findUntranslated: (locale: TranslationLocale): readonly UntranslatedText[] => {
      const own = translated.filter((text) => text.locale === locale)
      const fields = new Set(own.map(({ field }) => field))
      return [...sources].flatMap(([name, source]) =>
        untranslatedTexts(name, data[name], source).filter(({ field }) => !fields.has(field)),
      )
    },
  }
}
