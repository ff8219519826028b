import path from 'node:path'
import { canonicalJsonOfParsed, type JsonObject } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  RESOURCE_NAMES,
  type ResourceName,
  type TranslatedName,
} from '@public-api/contract/registry/resource-names'
import { ORGANIZATION_RESOURCE } from '@public-api/contract/snapshots/organization'
import { isPartOfStatus } from '@public-api/contract/snapshots/past-events'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import { sha256Base64url } from '../../crypto/sha256.ts'
import { findLeaks, findSecretTexts, type GuardedFile, isAllowable } from '../leaks/leak-guard.ts'
import {
  type ContentFolder,
  contentName,
  publishedWith,
  readContentFolder,
} from '../rules/content-folder.ts'
import { type ContentMistake, locateFaults, sortMistakes } from '../rules/content-mistake.ts'
import { type PublishingSettings, SETTINGS_SCHEMA } from '../rules/content-schemas.ts'
import { checkSchema } from '../rules/schema-check.ts'
import { checkText } from '../rules/value-rules.ts'
import { MAX_SOURCE_LENGTH } from '../rules/yaml-source.ts'
import {
  formatOutdated,
  parseTranslationRecord,
  readRecordText,
  recordFile,
  type TranslationRecord,
} from '../translations/translation-record.ts'
import { checkContent, type CheckedContent, type CheckedData } from './check-content.ts'
import {
  type KnownFiles,
  NO_FILES,
  parseContent,
  type ParsedContent,
  type ParsedFile,
  referenceIn,
} from './parse-content.ts'

/** A resource ready to store: its data, and its canonical JSON text with its digest. */
export type CompiledResource = ReturnType<typeof compileResource>

/** The text is written when it is asked for: a check needs none, and a publication those of what changed. */
function compileResource(data: JsonObject, published: string | undefined) {
  let text: string | undefined
  let digest = published
  return {
    data,
    get text(): string {
      return (text ??= canonicalJsonOfParsed(data))
    },
    get digest(): string {
      return (digest ??= sha256Base64url(this.text))
    },
  }
}

/** A compiled content folder. */
export type CompiledContent = Awaited<ReturnType<typeof compileContent>>

/** The addresses of the organization's contact fields, also if other fields have mistakes. */
function guardedFile({ file, text, name, source }: ParsedFile): GuardedFile {
  const values = source?.texts
  if (name !== ORGANIZATION_RESOURCE) return { file, text, values }
  const content = source?.value
  const contacts = new Set(
    [content, propertyOf(content, 'privacy')].map((each) =>
      propertyOf(propertyOf(each, 'contact'), 'email'),
    ),
  )
  // Without fields, the contact's address cannot be distinguished from others.
  const isPublicEmail = (address: string) => source === undefined || contacts.has(address)
  return { file, text, values, isPublicEmail }
}

/** The entries of content/publishing.yaml that have their shape. */
function allowedTextsOf({ settings }: ParsedContent): PublishingSettings['allowedTexts'] {
  const entries: unknown = propertyOf(settings?.value, 'allowedTexts')
  return Array.isArray(entries)
    ? entries.filter((entry: unknown): entry is PublishingSettings['allowedTexts'][number] =>
        ['text', 'rule'].every((name) => typeof propertyOf(entry, name) === 'string'),
      )
    : []
}

/**
 * Searches everything that would be published. If content/publishing.yaml has mistakes and is needed, a finding that it may
 * allow is not a mistake yet.
 */
async function guardContent(
  parsed: ParsedContent,
  { imageTexts }: CheckedContent,
  texts: ReadonlyMap<string, string>,
  needsSettings: boolean,
) {
  const files: readonly GuardedFile[] = [
    ...Array.from(texts, ([file, text]) => ({ file, text })),
    ...parsed.files.filter(({ isPublished }) => !isPublished).map(guardedFile),
    ...imageTexts,
  ]
  const { settings } = parsed
  // The settings are not searched: they repeat the findings that they allow.
  const faults =
    settings &&
    locateFaults(settings.place, [
      ...checkSchema(SETTINGS_SCHEMA, settings.value),
      ...settings.texts.flatMap(({ path: field, value }) =>
        field.at(-1) === 'reason' ? [...checkText(value, field)] : [],
      ),
    ])
  const { leaks, unused, excused } = await findLeaks(files, allowedTextsOf(parsed))
  const isReadable = settings !== undefined || !needsSettings
  const isSound = settings !== undefined && faults?.length === 0 && parsed.isComplete
  return {
    leaks,
    excused,
    mistakes: [
      ...(faults ?? []),
      ...leaks.filter(({ rule }) => isReadable || !isAllowable(rule)),
      ...(isSound ? locateFaults(settings.place, unused) : []),
    ],
  }
}

/** The share of the limit from which a file is named before it is refused. */
const NEAR_LIMIT = 0.8

/** A warning for a file that is almost as long as one may be: the limit must not be met at night. */
function nearLimit({ file, text }: ParsedFile): readonly string[] {
  if (text.length <= NEAR_LIMIT * MAX_SOURCE_LENGTH) return []
  return [
    `${file}:1:1: ${text.length} of at most ${MAX_SOURCE_LENGTH} characters; expected less: shorten what it says of the past, or remove what readers no longer ask for`,
  ]
}

const HIDDEN = 'a value that is not shown'

/**
 * Mistakes that quote neither a line with a leak nor a text that looks like one, such as the name of a field. Documentation
 * domains are shown.
 */
async function hideLeaks(mistakes: readonly ContentMistake[], leaks: readonly ContentMistake[]) {
  const leaking = new Set(leaks.map(({ file, line }) => `${file}:${line}`))
  const quoted = mistakes.flatMap(({ field, found, expected, rule }) =>
    rule === undefined ? [field, found, expected] : [field],
  )
  const secret = await findSecretTexts(quoted, (text) => /[@.]example(?:\.\w+)?$/i.test(text))
  return mistakes.map((mistake) => {
    const { file, line, field, found, expected, rule } = mistake
    const shown = { ...mistake, field: secret.has(field) ? '(a name that is not shown)' : field }
    if (rule !== undefined) return shown
    const isHidden = leaking.has(`${file}:${line}`) || secret.has(found)
    return {
      ...shown,
      found: isHidden ? HIDDEN : found,
      expected: secret.has(expected) ? 'another value' : expected,
    }
  })
}

/** Whether each of these resources compiled, or has no file as it may. */
function hasCompiled(folder: ContentFolder, data: CheckedData, only: ReadonlySet<TranslatedName>) {
  return [...only].every(
    (name) => data[name] !== undefined || !(isSnapshotName(name) || folder.hasFile(name)),
  )
}

/** Whether mistakes in a file or a text prevent a publication of these resources alone. */
function isInTheWay(
  file: string,
  contentDir: string,
  sources: ParsedContent['sources'],
  only: ReadonlySet<TranslatedName>,
): boolean {
  const name = path.relative(contentDir, file)
  // A folder that cannot be read may have texts of the status.
  const folders = ['', ...TRANSLATION_LOCALES].flatMap((each) => [each, path.join(each, 'events')])
  if (folders.includes(name)) return true
  const resource = publishedWith(name)
  const referenced = [...only].map((each) => {
    const source = sources.get(each)
    return source && referenceIn(each, source.value)
  })
  return (resource !== undefined && only.has(resource)) || referenced.includes(name)
}

/** Files with mistakes that are not published, one line each. */
function formatWaiting(contentDir: string, mistakes: readonly ContentMistake[]): readonly string[] {
  return [...new Set(mistakes.map(({ file }) => file))].map((file) => {
    const name = publishedWith(path.relative(contentDir, file))
    const advice =
      name === undefined ? '' : `, and svc discard ${contentName(name)} removes the edits`
    return `${file} has mistakes and is not published; svc check lists them${advice}`
  })
}

/** `digestOf` returns the digest of a resource that is what was published. */
function compileResources(
  data: CheckedData | undefined,
  isPart: boolean,
  digestOf: (name: ResourceName) => string | undefined,
) {
  const resources = new Map<ResourceName, CompiledResource>()
  if (data === undefined) return resources
  for (const name of [...RESOURCE_NAMES, ...Object.keys(data).filter(isPartOfStatus)]) {
    const value = data[name as ResourceName]
    if (value === undefined) {
      if (isSnapshotName(name) && !isPart)
        throw new Error(`${name} was neither compiled nor reported`)
      continue
    }
    const resource = name as ResourceName
    resources.set(resource, compileResource({ ...value }, digestOf(resource)))
  }
  return resources
}

export interface CompileOptions {
  /** Additional texts to publish, by their names in mistakes (the version's note). */
  readonly texts?: ReadonlyMap<string, string>
  /** Bytes to use instead of those of a file, by its path in the folder. */
  readonly replaced?: ReadonlyMap<string, Buffer>
  /** With it, mistakes elsewhere than in these resources and their translations are warnings. */
  readonly only?: ReadonlySet<TranslatedName> | undefined
  /** What the files of the status and of past years were published as: the same bytes are neither parsed nor searched again. */
  readonly known?: KnownFiles
}

/**
 * Compiles a content folder in phases, each with its own mistakes: read, parse, check against the closed schemas and the
 * rules, search for leaks. `nowMs` is the current time for "not in the future".
 */
export async function compileContent(
  contentDir: string,
  nowMs: number,
  { texts = new Map(), replaced, only, known = NO_FILES }: CompileOptions = {},
) {
  const { folder, mistakes: unread } = readContentFolder(contentDir, replaced)
  const recordTexts = new Map(
    [...new Set(folder.overlays.map(({ locale }) => locale))].map((locale) => [
      locale,
      readRecordText(contentDir, locale, replaced),
    ]),
  )
  const knownRecords = [...recordTexts.keys()].filter((locale) =>
    known.isSame(recordFile(locale), recordTexts.get(locale) ?? ''),
  )
  const parsed = parseContent(folder, known, new Set(knownRecords))
  const records = new Map<TranslationLocale, TranslationRecord>()
  const readRecord = (locale: TranslationLocale): TranslationRecord => {
    const text = recordTexts.get(locale) ?? ''
    const record = records.get(locale) ?? parseTranslationRecord(contentDir, locale, text)
    records.set(locale, record)
    return record
  }
  const checked = checkContent(folder, parsed, nowMs, readRecord)
  const needsSettings = folder.settings !== undefined && only === undefined
  const guarded = await guardContent(parsed, checked, texts, needsSettings)
  const all = [...unread, ...parsed.mistakes, ...checked.mistakes, ...guarded.mistakes]
  // What a file that cannot be parsed refers to is unknown.
  if (unread.length === 0 && parsed.isComplete)
    all.push(...folder.findUnreferenced(parsed.referenced))
  const found = sortMistakes(await hideLeaks(all, guarded.leaks))
  const isPart = only !== undefined && hasCompiled(folder, checked.data, only)
  const isOwn = ({ file }: ContentMistake) =>
    !isPart || texts.has(file) || isInTheWay(file, contentDir, parsed.sources, only)
  const mistakes = found.filter(isOwn)
  const elsewhere = found.filter((mistake) => !isOwn(mistake))
  const { translated, outdated, findUntranslated } = checked
  const nameOf = (file: string): string => path.relative(contentDir, file)
  const stale = new Set(outdated.map(({ place }) => place().file))
  return {
    translated,
    /** Translations whose source changed after them. The pages show the source instead. */
    outdated,
    /** What may be wrong and can be published, one line each with its place; every outdated translation is one. */
    warnings: [
      ...formatWaiting(contentDir, elsewhere),
      ...parsed.notes,
      ...checked.notes,
      ...parsed.files.flatMap(nearLimit),
      ...outdated.map(formatOutdated),
    ],
    findUntranslated,
    /**
     * The digests of the files with the status and past years that say what their resources do and nothing else: without an
     * outdated translation, and without a text that content/publishing.yaml allows.
     */
    files: parsed.files
      .filter(({ file }) => publishedWith(nameOf(file)) === 'status')
      .filter(({ resource }) => checked.data[resource] !== undefined)
      .filter(({ file }) => !guarded.excused.has(file) && !stale.has(file))
      .map(({ file, resource, text }) => {
        return { file: nameOf(file), resource, digest: sha256Base64url(text) }
      }),
    /** Whether a field of a locale's record is of a translation that was published as it is, and is not in `translated`. */
    isKept: (locale: TranslationLocale, field: string): boolean =>
      parsed.overlays.some(
        (each) =>
          each.locale === locale && each.isKnown && field.startsWith(`${contentName(each.name)}.`),
      ),
    /** None if there is a mistake, because only a complete release is published. Those with mistakes elsewhere are missing. */
    resources: compileResources(mistakes.length > 0 ? undefined : checked.data, isPart, (name) =>
      parsed.known.has(name) ? known.digestOf(name) : undefined,
    ),
    /** Every mistake that prevents a publication, in reading order. */
    mistakes,
    /** Whether other files have mistakes, which a publication of some resources leaves alone. */
    isPart: elsewhere.length > 0,
  }
}
