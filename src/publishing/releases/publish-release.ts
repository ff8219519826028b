import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '@public-api/contract/errors/error-message'
import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import type { TranslatedName } from '@public-api/contract/registry/resource-names'
import { isPastEventsName } from '@public-api/contract/snapshots/past-events'
import { isSnapshotName, SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { TRANSLATION_LOCALES } from '@public-api/contract/snapshots/translations'
import { sha256Base64url } from '../../crypto/sha256.ts'
import { ReleaseFileError } from '../../releases/release-store.ts'
import { isOfResource } from '../compile/check-content.ts'
import {
  type CompiledContent,
  compileContent,
  type CompileOptions,
} from '../compile/compile-content.ts'
import type { KnownFiles } from '../compile/parse-content.ts'
import { checkSemantics, type ValidData } from '../compile/semantic-rules.ts'
import type { Status } from '../editing/edit-status.ts'
import { agedEvents, compileMoved, planMove } from '../editing/move-aged-events.ts'
import { formatFault } from '../rules/content-mistake.ts'
import { PublishError } from '../rules/publish-error.ts'
import {
  readRecordText,
  recordFile,
  type TranslatedText,
  writeTranslationRecord,
} from '../translations/translation-record.ts'
import {
  appendVersion,
  type PublishResult,
  type ReleaseOptions,
  requireNoLaterProgram,
} from './append-version.ts'
import { checkBase, type ContentBase, readBase, readKnownFiles, writeBase } from './content-base.ts'
import { checkLine } from './published-line.ts'
import { contentMs, readVersions, resourceFault } from './published-versions.ts'
import {
  digestsOf,
  type ResourceSources,
  selectResources,
  sourcesOf,
  sourcesOfVersion,
  storeSources,
} from './select-resources.ts'
import { noteOfChanges, type NotedStatus } from './version-note.ts'

/** Compiles content. Rejects with a PublishError (CONTENT) that lists every mistake. */
export async function requireContent(
  contentDir: string,
  nowMs: number,
  options?: CompileOptions,
): Promise<CompiledContent> {
  return requireSound(await compileMoved(contentDir, nowMs, options))
}

function requireSound(compiled: CompiledContent): CompiledContent {
  const { mistakes } = compiled
  if (mistakes.length === 0) return compiled
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
  throw new PublishError('CONTENT', `the content has ${count}`, { mistakes })
}

/** What a release would contradict itself in that `known` does not: only some of its resources are published. */
function newContradictions(known: ResourceSources, combined: ResourceSources): readonly string[] {
  const faultsOf = (sources: ResourceSources): readonly string[] => {
    const data: ValidData = Object.fromEntries(
      [...sources].flatMap(([name, { read }]) =>
        isSnapshotName(name) ? [[name, JSON.parse(read()) as unknown]] : [],
      ),
    )
    return SNAPSHOT_NAMES.flatMap((name) =>
      Array.from(checkSemantics(name, data[name], data), (fault) => formatFault(name, fault)),
    )
  }
  const before = new Set(faultsOf(known))
  return faultsOf(combined).filter((line) => !before.has(line))
}

/** The resources to publish, and those of the content folder that differ and are not among them. */
function choose(
  store: ReleaseOptions['store'],
  head: VersionEntry | undefined,
  compiled: ResourceSources,
  only: ReadonlySet<TranslatedName> | undefined,
  isPart: boolean,
) {
  if (only === undefined) return { chosen: compiled, unpublished: [] }
  if (head === undefined) {
    const expected = 'expected a first version of the whole content'
    throw new PublishError('VERSION', `nothing is published; ${expected}`)
  }
  const known = sourcesOfVersion(store, head)
  const chosen = selectResources(known, compiled, only)
  const faults = newContradictions(known, chosen)
  if (faults.length > 0) {
    const message = `without the other edits, the content contradicts itself: ${faults.join('; ')}`
    throw new PublishError('CONTENT', message)
  }
  return {
    chosen,
    // What a file with mistakes would publish is unknown.
    unpublished: changesBetween(digestsOf(chosen), digestsOf(compiled))
      .filter(({ kind }) => !isPart || kind !== 'removed')
      .map(({ resource }) => resource),
  }
}

/** The note of a version without a typed one. */
function noteOf(
  store: ReleaseOptions['store'],
  head: VersionEntry | undefined,
  chosen: ResourceSources,
): string {
  if (head === undefined) return 'First version'
  // An incident that moved to the file of its year is the same one.
  const read = (sources: ResourceSources): NotedStatus => {
    const parts = [...sources]
      .filter(([name]) => name === 'status' || isPastEventsName(name))
      .map(([, source]) => {
        try {
          return JSON.parse(source.read()) as Partial<NotedStatus>
        } catch (error) {
          // Damaged: the note says less.
          if (error instanceof ReleaseFileError) return {}
          throw error
        }
      })
    return {
      components: parts.flatMap(({ components = [] }) => components),
      incidents: parts.flatMap(({ incidents = [] }) => incidents),
      maintenances: parts.flatMap(({ maintenances = [] }) => maintenances),
    }
  }
  const changes = changesBetween(head.resources, digestsOf(chosen))
  return noteOfChanges(read(sourcesOfVersion(store, head)), read(chosen), changes)
}

/**
 * Records which texts the translations belong to. Texts of other resources than `only` stay as they were recorded. The
 * version is published by then, so a record that cannot be written is a warning, which is returned.
 */
function recordTranslations(
  contentDir: string,
  { translated, outdated, isKept }: CompiledContent,
  only: ReadonlySet<TranslatedName> | undefined,
): readonly string[] {
  const warnings: string[] = []
  const old = new Set(outdated)
  const isCurrent = (text: TranslatedText) =>
    !old.has(text) && (only === undefined || isOfResource(text, only))
  for (const locale of new Set(translated.map((text) => text.locale))) {
    try {
      writeTranslationRecord(contentDir, locale, translated, isCurrent, (field) =>
        isKept(locale, field),
      )
    } catch (error) {
      const advice = `record them with svc translations confirm ${locale} when it can be`
      warnings.push(
        `the translations of ${locale} could not be recorded (${messageOf(error)}); ${advice}`,
      )
    }
  }
  return warnings
}

/** The digests of the records of translations that the folder has, by their files. */
function recordDigests(contentDir: string): readonly (readonly [file: string, digest: string])[] {
  return TRANSLATION_LOCALES.flatMap((locale) => {
    const text = readRecordText(contentDir, locale)
    return text === '' ? [] : [[recordFile(locale), sha256Base64url(text)] as const]
  })
}

/** What would be published if nothing moved, and whether that is what the newest version has; neither with a mistake. */
function chooseIfSound(
  store: ReleaseOptions['store'],
  head: VersionEntry | undefined,
  content: CompiledContent,
  only: ReadonlySet<TranslatedName> | undefined,
) {
  if (content.mistakes.length > 0) return { chosen: undefined, isSame: false }
  const { chosen } = choose(store, head, sourcesOf(content), only, content.isPart)
  return { chosen, isSame: changesBetween(head?.resources ?? {}, digestsOf(chosen)).length === 0 }
}

/** Whether the status lists something that aged, as far as it compiled. */
function hasAged({ resources }: CompiledContent, nowMs: number): boolean {
  const text = resources.get('status')?.text
  return text === undefined || agedEvents(JSON.parse(text) as Status, nowMs).length > 0
}

/**
 * Whether the store has a resource of the newest version as it was published. One whose redaction was interrupted is
 * written, which is refused.
 */
const isStored = (
  { store }: Pick<ReleaseOptions, 'store'>,
  head: VersionEntry | undefined,
  name: string,
  digest: string,
): boolean =>
  head?.resources[name] === digest &&
  resourceFault(store, name, digest) === undefined &&
  store.readRedaction(name, digest) === undefined

/** Writes what moved. The version is published by then, so a file that cannot be written is a warning. */
async function writeMove(
  contentDir: string,
  { write }: { readonly write: () => Promise<boolean> },
): Promise<string | undefined> {
  const reason = await write().then(
    (isWritten) => (isWritten ? undefined : 'a file changed meanwhile'),
    (error: unknown) => messageOf(error),
  )
  return (
    reason &&
    `${contentDir} still has what moved in status.yaml (${reason}); the next publication moves it`
  )
}

/**
 * How much of a folder had its newest state before the command edited it, although the folder states an older version: a
 * command was killed, or its disk was full, before it could state this one.
 */
async function publishedBefore(
  { contentDir, store, only, before }: Parameters<typeof publishRelease>[0],
  nowMs: number,
  known: KnownFiles,
  head: VersionEntry | undefined,
  stated: ContentBase | undefined,
): Promise<'all' | 'chosen' | undefined> {
  if (before === undefined || only === undefined || head === undefined) return undefined
  if (stated?.hash === head.hash) return undefined
  const { resources } = await compileContent(contentDir, nowMs, { replaced: before, only, known })
  const chosen = selectResources(sourcesOfVersion(store, head), sourcesOf({ resources }), only)
  if (changesBetween(head.resources, digestsOf(chosen)).length > 0) return undefined
  return isDeepStrictEqual(digestsOf(resources), head.resources) ? 'all' : 'chosen'
}

/**
 * Publishes a content folder as the next version, or only some of its resources with their translations. Rejects with a
 * PublishError if the content has mistakes, the history is damaged, another publisher was faster or the folder cannot be
 * written; then nothing changed.
 *
 * The content folder records the version it was published as. Content that is based on an older version is rejected, unless
 * `over` names the newest one.
 */
export async function publishRelease(
  options: ReleaseOptions & {
    readonly contentDir: string
    readonly over?: string | undefined
    readonly only?: ReadonlySet<TranslatedName> | undefined
    /** Those of the folder, where the command read them before. */
    readonly known?: KnownFiles
    /** The bytes that files had before the command edited them, by their paths in the folder. */
    readonly before?: ReadonlyMap<string, Buffer> | undefined
  },
): Promise<PublishResult> {
  const { contentDir, store, over, only } = options
  const nowMs = contentMs(store, options.nowMs)
  const typed = new Map(options.note === undefined ? [] : [['the note', options.note]])
  for (const [name, line] of typed) checkLine(name, line)
  const { known = readKnownFiles(contentDir, store) } = options
  const asWritten = await compileContent(contentDir, nowMs, { texts: typed, only, known })
  const versions = options.readVersions?.() ?? readVersions(store)
  const head = versions.at(-1)
  const { chosen: wanted, isSame } = chooseIfSound(store, head, asWritten, only)
  // Nothing is published because content grew older.
  const mayMove = !isSame && (only === undefined || only.has('status')) && hasAged(asWritten, nowMs)
  const plan = mayMove ? planMove(contentDir, nowMs) : undefined
  const compiled =
    plan && 'compile' in plan ? await plan.compile({ texts: typed, only, known }) : undefined
  const move =
    plan && 'compile' in plan && compiled?.mistakes.length === 0
      ? { ...plan, content: compiled }
      : undefined
  const content = move?.content ?? requireSound(asWritten)
  const own = sourcesOf(content)
  const { chosen, unpublished } = choose(store, head, own, only, content.isPart)
  const digests = digestsOf(chosen)
  const stated = readBase(contentDir, versions)
  const restated = await publishedBefore(options, nowMs, known, head, stated)
  const base = restated === 'all' ? head : stated
  const isOwn = (name: string, digest: string) => own.get(name)?.digest === digest
  // Before the base: no other content, and no --over, is what this program may publish.
  requireNoLaterProgram(store, head, isOwn)
  const undone = restated === undefined ? checkBase(versions, base, digests, over, only) : []
  const prepared = (await options.prepare?.((name) => chosen.get(name)?.read())) ?? []
  // The note says what happened, and not what moved.
  const note = options.note ?? noteOf(store, head, wanted ?? chosen)
  // Content that lacks what another publisher changed stays based on the version that it knows.
  const isCurrent = only === undefined || base?.hash === head?.hash
  const writeResources = (next: VersionEntry | undefined): readonly string[] => {
    const written = [...chosen].filter(([name, { digest }]) =>
      next === undefined
        ? resourceFault(store, name, digest) !== undefined
        : !isStored(options, head, name, digest),
    )
    storeSources(store, written)
    if (next === undefined) return written.map(([name]) => name).toSorted()
    // Slow work came before, and what a faster publisher states of the folder must stay.
    if (store.readVersionIds().includes(next.snapshotId)) {
      throw new ReleaseFileError('EXISTS', `${next.snapshotId} was published meanwhile`)
    }
    // The command may be killed, and the disk may be full, when the version is written.
    if (isCurrent) writeBase(contentDir, stated, next)
    return []
  }
  const result = appendVersion({ ...options, note }, versions, digests, writeResources, isOwn)
  const { resources } = result.entry
  const unmoved = move && (await writeMove(contentDir, move))
  const unrecorded = recordTranslations(contentDir, content, only)
  const records = unrecorded.length === 0 ? recordDigests(contentDir) : []
  const files = content.files
    // With `only`, the version may have other data than the folder.
    .filter(({ resource }) => resources[resource] === content.resources.get(resource)?.digest)
    .map(({ file, digest }) => [file, digest] as const)
  const warning = isCurrent
    ? writeBase(contentDir, { ...result.entry, files: Object.fromEntries([...files, ...records]) })
    : undefined
  const warnings = [
    ...content.warnings,
    plan !== undefined && 'warning' in plan && plan.warning,
    unmoved,
    unpublished.length > 0 &&
      `${contentDir} has edits that are not published: ${unpublished.join(', ')}`,
    ...prepared,
    ...result.warnings,
    warning,
    ...unrecorded,
  ].filter((each) => typeof each === 'string')
  return { ...result, undone, moved: move?.lines ?? [], warnings }
}
