import { canonicalJson } from '../contract/canonical-json.ts'
import {
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
  type SnapshotName,
} from '../contract/snapshot-schemas.ts'
import { sha256Base64url } from '../crypto/sha256.ts'
import { checkChangelog } from './changelog-rules.ts'
import { type ContentFile, readContentFolder } from './content-folder.ts'
import { type ContentMistake, formatFieldPath, sortMistakes } from './content-mistake.ts'
import { findLeaks } from './leak-guard.ts'
import {
  checkArchitecture,
  checkDevelopmentQueue,
  checkRoadmap,
  checkStatus,
  checkWallet,
  checkWalletCapabilities,
  checkWalletEvidence,
  checkWalletSecurity,
  type Report,
} from './meaning-rules.ts'
import {
  DEFAULT_SETTINGS,
  type PublishingSettings,
  SETTINGS_FILE,
  SETTINGS_SCHEMA,
} from './publishing-settings.ts'
import { createSchemaCheck } from './schema-check.ts'
import { checkValues } from './value-rules.ts'
import { parseYamlSource, type YamlSource } from './yaml-source.ts'

/** A resource ready to be stored: its canonical JSON text and the digest of that. */
interface CompiledResource {
  readonly text: string
  readonly digest: string
}

/** What a content folder came to. With any mistake there are no resources: a release is whole or is not. */
export interface CompiledContent {
  readonly resources: ReadonlyMap<SnapshotName, CompiledResource>
  /** Everything that is wrong, in reading order. */
  readonly mistakes: readonly ContentMistake[]
}

/** The data of each resource that has its described shape. */
type SoundData = { [N in SnapshotName]?: SnapshotData<N> }

function checkMeaning(data: SoundData, reportFor: (name: SnapshotName) => Report): void {
  if (data.status !== undefined) checkStatus(data.status, reportFor('status'))
  for (const name of ['architecture', 'wallet/architecture'] as const) {
    const described = data[name]
    if (described !== undefined) checkArchitecture(described, reportFor(name))
  }
  if (data.roadmap !== undefined) checkRoadmap(data.roadmap, reportFor('roadmap'))
  if (data['development-queue'] !== undefined) {
    checkDevelopmentQueue(
      data['development-queue'],
      data.roadmap?.items.map((item) => item.id),
      reportFor('development-queue'),
    )
  }
  if (data.changelog !== undefined) checkChangelog(data.changelog, reportFor('changelog'))
  if (data.wallet !== undefined) checkWallet(data.wallet, reportFor('wallet'))
  if (data['wallet/security'] !== undefined) {
    checkWalletSecurity(data['wallet/security'], reportFor('wallet/security'))
  }
  if (data['wallet/evidence'] !== undefined) {
    checkWalletEvidence(data['wallet/evidence'], reportFor('wallet/evidence'))
  }
  if (data['wallet/capabilities'] !== undefined) {
    checkWalletCapabilities(data['wallet/capabilities'], reportFor('wallet/capabilities'))
  }
  for (const name of SNAPSHOT_NAMES) {
    const view = data[name]
    if (view === undefined || !('attached' in view) || data.wallet === undefined) continue
    if (view.attached === data.wallet.attached) continue
    reportFor(name)(
      ['attached'],
      String(view.attached),
      `${data.wallet.attached}, as the wallet overview says`,
    )
  }
}

/** One pass over the content: what was parsed so far and what is wrong so far. */
interface Compilation {
  readonly mistakes: readonly ContentMistake[]
  readonly sources: ReadonlyMap<SnapshotName, YamlSource>
  readResource(name: SnapshotName, file: ContentFile, nowMs: number): void
  readSettings(file: ContentFile | undefined): {
    readonly value: PublishingSettings
    readonly source: YamlSource | undefined
  }
  /** Checks what the resources say of each other; to be called once all of them are read. */
  checkMeaning(): void
}

function createCompilation(folderMistakes: readonly ContentMistake[]): Compilation {
  const mistakes = [...folderMistakes]
  const sources = new Map<SnapshotName, YamlSource>()
  // A value is only kept here once its schema check found nothing, which is what makes it that type.
  const data: SoundData = {}

  function reportFor(name: SnapshotName): Report {
    return (path, found, expected) => {
      const source = sources.get(name)
      if (source === undefined) return
      mistakes.push({
        file: source.file,
        ...source.place(path),
        field: formatFieldPath(path),
        found,
        expected,
      })
    }
  }

  /** The source of a file; what is wrong with its YAML is a mistake. */
  function parse({ file, text }: ContentFile): YamlSource | undefined {
    const outcome = parseYamlSource(file, text)
    mistakes.push(...outcome.mistakes)
    return outcome.source
  }

  return {
    mistakes,
    sources,
    readResource(name, file, nowMs) {
      const source = parse(file)
      if (source === undefined) return
      sources.set(name, source)
      const shapeMistakes = createSchemaCheck(SNAPSHOT_SCHEMAS[name]).mistakesOf(source)
      mistakes.push(...shapeMistakes)
      if (shapeMistakes.length > 0) return
      Object.assign(data, { [name]: source.value })
      checkValues(source.value, SNAPSHOT_SCHEMAS[name], nowMs, reportFor(name))
    },
    readSettings(file) {
      const nothing = { value: DEFAULT_SETTINGS, source: undefined }
      const source = file === undefined ? undefined : parse(file)
      if (source === undefined) return nothing
      const check = createSchemaCheck<PublishingSettings>(SETTINGS_SCHEMA)
      mistakes.push(...check.mistakesOf(source))
      return check.accepts(source.value) ? { value: source.value, source } : nothing
    },
    checkMeaning: () => checkMeaning(data, reportFor),
  }
}

/** Hides what a mistake quotes when the leak guard reported the same line: a report must not spread a secret. */
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
 * Compiles a content folder: every file parsed, checked against its closed schema, its meaning and the leak guard.
 * `nowMs` is the clock that "not in the future" is measured with. `texts` are more texts that will be published, by
 * the name a mistake gives them (the version's note).
 */
export async function compileContent(
  contentDir: string,
  nowMs: number,
  texts: ReadonlyMap<string, string> = new Map(),
): Promise<CompiledContent> {
  const folder = readContentFolder(contentDir)
  const compilation = createCompilation(folder.mistakes)
  for (const [name, file] of folder.resources) compilation.readResource(name, file, nowMs)
  compilation.checkMeaning()
  const settings = compilation.readSettings(folder.settings)
  const leaks = await findLeaks(
    [
      ...[...folder.resources].map(([name, { file, text }]) => ({
        file,
        text,
        source: compilation.sources.get(name),
      })),
      ...[...texts].map(([file, text]) => ({ file, text, source: undefined })),
    ],
    { file: folder.settings?.file ?? SETTINGS_FILE, ...settings },
  )
  const mistakes = sortMistakes([...hideLeaks(compilation.mistakes, leaks), ...leaks])
  const resources = new Map<SnapshotName, CompiledResource>()
  if (mistakes.length > 0) return { resources, mistakes }
  for (const name of SNAPSHOT_NAMES) {
    const source = compilation.sources.get(name)
    if (source === undefined) throw new Error(`${name} was neither compiled nor reported`)
    const text = canonicalJson(source.value)
    resources.set(name, { text, digest: sha256Base64url(text) })
  }
  return { resources, mistakes }
}
