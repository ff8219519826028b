import { canonicalJson, type JsonValue } from '../contract/canonical-json.ts'
import { NO_WALLET_VIEWS, WALLET_NAMES } from '../contract/no-wallet.ts'
import {
  ORGANIZATION_CONTENT_SCHEMA,
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
import type { JsonSchema } from '../contract/schema-type.ts'
import {
  isSnapshotName,
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
  type SnapshotName,
} from '../contract/snapshot-schemas.ts'
import {
  type Overlay,
  type TranslationLocale,
  translationResource,
} from '../contract/translations.ts'
import { sha256Base64url } from '../crypto/sha256.ts'
import { checkChangelog } from './changelog-rules.ts'
import { compileOrganization } from './compile-organization.ts'
import { compileOverlay } from './compile-overlay.ts'
import { type ContentFile, type ContentFolder, readContentFolder } from './content-folder.ts'
import { IMPORT_FIELDS } from './content-schemas.ts'
import { readImport } from './read-import.ts'
import {
  type ContentMistake,
  formatFieldPath,
  type Report,
  sortMistakes,
} from './content-mistake.ts'
import { findLeaks, type GuardedFile } from './leak-guard.ts'
import {
  DEFAULT_SETTINGS,
  type PublishingSettings,
  SETTINGS_FILE,
  SETTINGS_SCHEMA,
} from './publishing-settings.ts'
import { createSchemaCheck, type SchemaCheck } from './schema-check.ts'
import {
  checkArchitecture,
  checkDevelopmentQueue,
  checkRoadmap,
  checkStatus,
  checkWallet,
  checkWalletCapabilities,
  checkWalletEvidence,
  checkWalletSecurity,
} from './semantic-rules.ts'
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

/** The data of each resource that has its described shape. */
type SoundData = { [N in SnapshotName]?: SnapshotData<N> }

/** The checks of one resource beyond its schema; `all` has the other resources. */
const CHECKS: {
  readonly [N in SnapshotName]?: (data: SnapshotData<N>, report: Report, all: SoundData) => void
} = {
  status: checkStatus,
  architecture: checkArchitecture,
  roadmap: checkRoadmap,
  'development-queue': checkDevelopmentQueue,
  changelog: (data, report) => checkChangelog(data, report),
  wallet: checkWallet,
  'wallet/architecture': checkArchitecture,
  'wallet/security': checkWalletSecurity,
  'wallet/evidence': checkWalletEvidence,
  'wallet/capabilities': checkWalletCapabilities,
}

function checkSemantics<N extends SnapshotName>(
  name: N,
  data: SnapshotData<N> | undefined,
  all: SoundData,
  report: Report,
): void {
  if (data === undefined) return
  CHECKS[name]?.(data, report, all)
  const attached = all.wallet?.attached
  if (attached === undefined || !('attached' in data) || data.attached === attached) return
  report(['attached'], String(data.attached), `${attached}, as the wallet overview says`)
}

/** One pass over the content, with everything parsed and every mistake so far. */
function createCompilation(folder: ContentFolder, nowMs: number) {
  const mistakes: ContentMistake[] = []
  /** Every file that was read, for the leak guard. */
  const files: GuardedFile[] = []
  const sources = new Map<SnapshotName, ContentSource>()
  // Contains only values that passed their schema check, so the type is correct.
  const data: SoundData = {}
  let organization: Organization | undefined
  const overlays = new Map<TranslationLocale, { [name: string]: Overlay }>()

  function reportIn(source: ContentSource): Report {
    return (path, found, expected) => {
      mistakes.push({ ...source.place(path), field: formatFieldPath(path), found, expected })
    }
  }

  function reportFor(name: SnapshotName): Report {
    return (path, found, expected) => {
      const source = sources.get(name)
      if (source !== undefined) reportIn(source)(path, found, expected)
    }
  }

  function parse(
    { file, text }: ContentFile,
    publicEmails: readonly string[] = [],
  ): ContentSource | undefined {
    const outcome = parseYamlSource(file, text)
    mistakes.push(...outcome.mistakes)
    files.push({ file, text, source: outcome.source, publicEmails })
    return outcome.source
  }

  /** The value of a source if it has the described shape; its mistakes are reported. */
  function checked<T>(
    source: ContentSource,
    schema: JsonSchema,
    check: SchemaCheck<T>,
  ): T | undefined {
    mistakes.push(...check.mistakesOf(source))
    if (!check.accepts(source.value)) return undefined
    checkValues(source.value, schema, nowMs, reportIn(source))
    return source.value
  }

  function withImports(name: SnapshotName, source: ContentSource): ContentSource | undefined {
    return readImport(name, source, {
      readFile: (file) =>
        folder.readReferenced(file, (found, expected) =>
          reportIn(source)([IMPORT_FIELDS[name]?.name ?? '', 'file'], found, expected),
        ),
      addMistakes: (each) => mistakes.push(...each),
      // Only published values: an export has other columns.
      addTexts: (file, texts) => files.push({ file, text: '', source: { ...source, texts } }),
    })
  }

  return {
    mistakes,
    files,
    readSnapshot(name: SnapshotName, file: ContentFile) {
      const parsed = parse(file)
      const source = parsed === undefined ? undefined : withImports(name, parsed)
      if (source === undefined) return
      sources.set(name, source)
      const value = checked(
        source,
        SNAPSHOT_SCHEMAS[name],
        createSchemaCheck(SNAPSHOT_SCHEMAS[name]),
      )
      if (value !== undefined) Object.assign(data, { [name]: value })
    },
    readOrganization(file: ContentFile) {
      const publicEmails: string[] = []
      const source = parse(file, publicEmails)
      if (source === undefined) return
      const value = checked(
        source,
        ORGANIZATION_CONTENT_SCHEMA,
        createSchemaCheck<OrganizationContent>(ORGANIZATION_CONTENT_SCHEMA),
      )
      if (value === undefined) return
      publicEmails.push(value.contact.email, value.privacy.contact.email)
      const report = reportIn(source)
      organization = compileOrganization(
        value,
        (name) => {
          const logo = folder.readReferenced(name, (found, expected) =>
            report(['logo', 'file'], found, expected),
          )
          // The text of an SVG is published too.
          if (logo?.file.endsWith('.svg') === true) {
            files.push({ file: logo.file, text: logo.bytes.toString('utf8'), source: undefined })
          }
          return logo
        },
        report,
        (mistake) => mistakes.push(mistake),
      )
    },
    readSettings(file: ContentFile | undefined) {
      const nothing = { value: DEFAULT_SETTINGS, source: undefined }
      // Not scanned by the leak guard: it repeats the guard's findings.
      const outcome = file === undefined ? undefined : parseYamlSource(file.file, file.text)
      mistakes.push(...(outcome?.mistakes ?? []))
      if (outcome?.source === undefined) return nothing
      const { source } = outcome
      const check = createSchemaCheck<PublishingSettings>(SETTINGS_SCHEMA)
      mistakes.push(...check.mistakesOf(source))
      return check.accepts(source.value) ? { value: source.value, source } : nothing
    },
    /** Checks relations between resources. Call it after all resources were read. */
    checkSemantics() {
      if (!WALLET_NAMES.some((name) => folder.resources.has(name))) {
        Object.assign(data, NO_WALLET_VIEWS)
      }
      for (const name of SNAPSHOT_NAMES) {
        checkSemantics(name, data[name], data, reportFor(name))
      }
    },
    /** Reads an overlay. Call it after the resource that it translates was read. */
    readOverlay(locale: TranslationLocale, name: TranslatedName, file: ContentFile) {
      const source = parse(file)
      if (source === undefined) return
      const original = name === ORGANIZATION_RESOURCE ? organization : data[name]
      if (original === undefined) {
        // A resource with mistakes has been reported.
        if (!folder.resources.has(name)) {
          reportIn(source)([], `a translation of ${name}`, 'the content that it translates')
        }
        return
      }
      const overlay = compileOverlay(
        source.value,
        TRANSLATED_SCHEMAS[name],
        original,
        reportIn(source),
      )
      overlays.set(locale, { ...overlays.get(locale), [name]: overlay })
    },
    /** The published value of each resource, complete only without mistakes. */
    values(): ReadonlyMap<ResourceName, JsonValue> {
      const values = new Map<ResourceName, JsonValue>()
      for (const name of SNAPSHOT_NAMES) {
        const value = data[name]
        if (value !== undefined) values.set(name, value)
      }
      if (organization !== undefined) values.set(ORGANIZATION_RESOURCE, organization)
      for (const [locale, resources] of overlays) {
        values.set(translationResource(locale), { locale, resources })
      }
      return values
    },
  }
}

/** Hides the quotation of a mistake on a line that the leak guard reported: a report must not spread a secret. */
function hideLeaks(
  mistakes: readonly ContentMistake[],
  leaks: readonly ContentMistake[],
): readonly ContentMistake[] {
  const leaking = new Set(leaks.map(({ file, line }) => `${file}:${line}`))
  return mistakes.map((mistake) =>
    leaking.has(`${mistake.file}:${mistake.line}`)
      ? Object.assign({}, mistake, { found: 'a value that is not shown' })
      : mistake,
  )
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
  const folder = readContentFolder(contentDir)
  const compilation = createCompilation(folder, nowMs)
  for (const [name, file] of folder.resources) {
    if (isSnapshotName(name)) compilation.readSnapshot(name, file)
    else compilation.readOrganization(file)
  }
  compilation.checkSemantics()
  for (const [locale, files] of folder.overlays) {
    for (const [name, file] of files) compilation.readOverlay(locale, name, file)
  }
  const settings = compilation.readSettings(folder.settings)
  const leaks = await findLeaks(
    [
      ...compilation.files,
      ...[...texts].map(([file, text]) => ({ file, text, source: undefined })),
    ],
    { file: folder.settings?.file ?? SETTINGS_FILE, ...settings },
  )
  const mistakes = sortMistakes([
    ...hideLeaks([...folder.mistakes(), ...compilation.mistakes], leaks),
    ...leaks,
  ])
  const resources = new Map<ResourceName, CompiledResource>()
  if (mistakes.length > 0) return { resources, mistakes }
  const values = compilation.values()
  for (const name of RESOURCE_NAMES) {
    const value = values.get(name)
    if (value === undefined) {
      if (isSnapshotName(name)) throw new Error(`${name} was neither compiled nor reported`)
      continue
    }
    const text = canonicalJson(value)
    resources.set(name, { text, digest: sha256Base64url(text) })
  }
  return { resources, mistakes }
}
