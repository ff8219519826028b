import { canonicalJson } from '../contract/canonical-json.ts'
import { NO_WALLET_VIEWS, WALLET_NAMES } from '../contract/no-wallet.ts'
import {
  ORGANIZATION_RESOURCE,
  type Organization,
  type OrganizationContent,
} from '../contract/organization.ts'
import {
  RESOURCE_NAMES,
  type ResourceName,
  TRANSLATED_SCHEMAS,
  type TranslatedName,
} from '../contract/resource-names.ts'
import { isSnapshotName } from '../contract/snapshot-schemas.ts'
import { translationResource, type Translations } from '../contract/translations.ts'
import { sha256Base64url } from '../crypto/sha256.ts'
import { compileOrganization } from './compile-organization.ts'
import { compileOverlay } from './compile-overlay.ts'
import { type ContentFile, readContentFolder } from './content-folder.ts'
import { type ContentMistake, sortMistakes } from './content-mistake.ts'
import { findLeaks, type GuardedFile } from './leak-guard.ts'
import { contentSchema, type PublishingSettings, SETTINGS_SCHEMA } from './content-schemas.ts'
import { readImport } from './read-import.ts'
import { checkSchema } from './schema-check.ts'
import { checkSemantics, type SoundData } from './semantic-rules.ts'
import { checkValues } from './value-rules.ts'
import { type ContentSource, parseYamlSource } from './yaml-source.ts'

/** A resource ready to store: its canonical JSON text with its digest. */
export interface CompiledResource {
  readonly text: string
  readonly digest: string
}

/**
 * A compiled content folder. It has no resources if there is a mistake, because only a complete release is published.
 */
export interface CompiledContent {
  readonly resources: ReadonlyMap<ResourceName, CompiledResource>
  /** Every mistake, in reading order. */
  readonly mistakes: readonly ContentMistake[]
}

/**
 * Compiles a content folder: every file is parsed and checked against its closed schema, the semantic rules and the
 * leak guard. `nowMs` is the current time for "not in the future". `texts` are additional texts to publish, by their
 * names in mistakes (the version's note).
 */
export async function compileContent(
  contentDir: string,
  nowMs: number,
  texts: ReadonlyMap<string, string> = new Map(),
): Promise<CompiledContent> {
  const mistakes: ContentMistake[] = []
  const folder = readContentFolder(contentDir, mistakes)
  /** Every text to publish, for the leak guard. */
  const files: GuardedFile[] = [...texts].map(([file, text]) => ({ file, text }))
  const data: SoundData & {
    [ORGANIZATION_RESOURCE]?: Organization
    [translations: `site/translations/${string}`]: Translations
  } = {}
  const sources = new Map<TranslatedName, ContentSource>()

  /** Parses a file, and adds it to the files for the leak guard. */
  function parse({ file, text }: ContentFile, publicEmails?: readonly string[]) {
    const source = parseYamlSource(file, text, mistakes)
    files.push({ file, text, values: source?.texts, publicEmails })
    return source
  }

  function readResource(name: TranslatedName, file: ContentFile): void {
    const publicEmails: string[] = []
    const parsed = parse(file, publicEmails)
    const source = parsed && readImport(name, parsed, folder, mistakes, files)
    if (source === undefined) return
    sources.set(name, source)
    const schema = contentSchema(name)
    if (!checkSchema(schema, source)) return
    checkValues(source, schema, nowMs)
    const isOrganization = name === ORGANIZATION_RESOURCE
    const value = isOrganization ? readOrganization(source, publicEmails) : source.value
    Object.assign(data, { [name]: value })
  }

  function readOrganization(source: ContentSource, publicEmails: string[]) {
    const { contact, privacy, logo } = source.value as unknown as OrganizationContent
    publicEmails.push(contact.email, privacy.contact.email)
    const image = logo && folder.readReferenced(logo.file, source.report, ['logo', 'file'])
    // The text of an SVG is published too.
    if (image?.file.endsWith('.svg') === true) {
      files.push({ file: image.file, text: image.bytes.toString('utf8') })
    }
    return compileOrganization(source, image, mistakes)
  }

  for (const [name, file] of folder.resources) readResource(name, file)
  if (!WALLET_NAMES.some((name) => folder.resources.has(name))) Object.assign(data, NO_WALLET_VIEWS)
  for (const [name, { report }] of sources) {
    if (isSnapshotName(name)) checkSemantics(name, data[name], data, report)
  }
  for (const { locale, name, ...file } of folder.overlays) {
    const source = parse(file)
    const original = data[name]
    if (source !== undefined && original !== undefined) {
      const overlay = compileOverlay(
        source.value,
        TRANSLATED_SCHEMAS[name],
        original,
        source.report,
      )
      const resource = translationResource(locale)
      data[resource] = { locale, resources: { ...data[resource]?.resources, [name]: overlay } }
    } else if (!folder.resources.has(name)) {
      // A resource with mistakes has been reported.
      source?.report([], `a translation of ${name}`, 'the content that it translates')
    }
  }
  // The leak guard does not search the settings, which repeat its findings.
  const settings =
    folder.settings && parseYamlSource(folder.settings.file, folder.settings.text, mistakes)
  const isSet = settings !== undefined && checkSchema(SETTINGS_SCHEMA, settings)
  const { allowedTexts } = isSet ? (settings.value as unknown as PublishingSettings) : {}
  const leaks = await findLeaks(files, allowedTexts, settings?.report)
  folder.reportUnreferenced()
  const leaking = new Set(leaks.map(({ file, line }) => `${file}:${line}`))
  // A mistake on a line with a leak must not quote the secret.
  const shown = mistakes.map((mistake) => {
    const isLeaking = leaking.has(`${mistake.file}:${mistake.line}`)
    return isLeaking ? { ...mistake, found: 'a value that is not shown' } : mistake
  })
  const all = sortMistakes([...shown, ...leaks])
  const resources = new Map<ResourceName, CompiledResource>()
  if (all.length > 0) return { resources, mistakes: all }
  for (const name of RESOURCE_NAMES) {
    const value = data[name]
    if (value === undefined) {
      if (isSnapshotName(name)) throw new Error(`${name} was neither compiled nor reported`)
      continue
    }
    const text = canonicalJson({ ...value })
    resources.set(name, { text, digest: sha256Base64url(text) })
  }
  return { resources, mistakes: all }
}
