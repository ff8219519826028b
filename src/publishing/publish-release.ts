import { messageOf } from '../contract/error-message.ts'
import { canonicalJson } from '../contract/canonical-json.ts'
import { API_VERSION } from '../contract/api-version.ts'
import { formatInstant } from '../contract/instant.ts'
import {
  ChainError,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  type VersionEntry,
  verifyLink,
} from '../contract/version-chain.ts'
import { changesBetween, verifyChanges } from '../contract/version-changes.ts'
import { VersionEntryError } from '../contract/version-entry.ts'
import { readHistory, versionHash } from '../crypto/published-history.ts'
import { ReleaseFileError, type ReleaseStore } from '../storage/release-store.ts'
import { type CompiledContent, compileContent } from './compile-content.ts'
import type { ContentMistake } from './content-mistake.ts'
import { resourceFault } from './resource-fault.ts'

/** Why nothing was published. */
export type PublishFault =
  /** The content has mistakes; `mistakes` lists them all. */
  | 'CONTENT'
  /** What was published before is damaged, so nothing is built on it. */
  | 'HISTORY'
  /** The clock is before the newest version. */
  | 'CLOCK'
  /** The note cannot be published. */
  | 'NOTE'
  /** Another publisher was faster. */
  | 'CONFLICT'
  /** The release folder cannot be written. Publishing again tells whether the version got there all the same. */
  | 'STORAGE'

/** Nothing was published; the newest version is the one from before. The message is one line for the operator. */
export class PublishError extends Error {
  readonly code: PublishFault
  readonly mistakes: readonly ContentMistake[]

  constructor(
    code: PublishFault,
    message: string,
    details: { cause?: unknown; mistakes?: readonly ContentMistake[] } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'PublishError'
    this.code = code
    this.mistakes = details.mistakes ?? []
  }
}

/** What to publish, where to, and with which clock. */
export interface PublishOptions {
  readonly contentDir: string
  readonly store: ReleaseStore
  /** Milliseconds since 1970; becomes the version's `createdAt`. */
  readonly nowMs: number
  readonly registryVersion: string
  /** One line for readers of the history; empty when left out. */
  readonly note?: string
  /** Does everything but write. */
  readonly dryRun?: boolean
}

/** What publishing did. */
export interface PublishResult {
  /**
   * `published` wrote a version. The others did not, since the newest version says all this already: `unchanged` had
   * nothing to do, `repaired` wrote the files of `damaged` again. With `dryRun` nothing is written, and the outcomes
   * that write become `would-publish` and `would-repair`.
   */
  readonly outcome: 'published' | 'would-publish' | 'unchanged' | 'repaired' | 'would-repair'
  /** The version that now is the newest, or would be; its entry. */
  readonly entry: VersionEntry
  /** When `repaired` or `would-repair`: resources of the newest version whose file was found missing or damaged. */
  readonly damaged: readonly string[]
}

const MAX_NOTE_LENGTH = 500

function isHistoryFault(error: unknown): boolean {
  return (
    error instanceof ChainError ||
    error instanceof VersionEntryError ||
    error instanceof ReleaseFileError
  )
}

function checkNote(note: string): void {
  if (note.length > MAX_NOTE_LENGTH) {
    throw new PublishError(
      'NOTE',
      `the note has ${note.length} characters; expected at most ${MAX_NOTE_LENGTH}`,
    )
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(note) || !note.isWellFormed() || note !== note.trim()) {
    throw new PublishError(
      'NOTE',
      'the note has a line break, another control character or space around it; expected one line of text',
    )
  }
}

function readHead(store: ReleaseStore): VersionEntry | undefined {
  try {
    return readHistory(store).at(-1)?.entry
  } catch (error) {
    if (!isHistoryFault(error)) throw error
    throw new PublishError(
      'HISTORY',
      `the published history is damaged and is not extended: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

function createEntry(
  head: VersionEntry | undefined,
  compiled: CompiledContent,
  options: PublishOptions,
): VersionEntry {
  const sequence = (head?.sequence ?? 0) + 1
  const resources = Object.fromEntries(
    [...compiled.resources].map(([name, { digest }]) => [name, digest]),
  )
  const unhashed: Omit<VersionEntry, 'hash'> = {
    snapshotId: formatSnapshotId(sequence),
    sequence,
    createdAt: formatInstant(options.nowMs),
    apiVersion: API_VERSION,
    registryVersion: options.registryVersion,
    resources,
    changes: changesBetween(head?.resources ?? {}, resources),
    note: options.note ?? '',
    previousHash: head?.hash ?? GENESIS_PREVIOUS_HASH,
  }
  return { ...unhashed, hash: versionHash(unhashed) }
}

/** The resources of the newest version whose files no longer hold what they were published with. */
function findDamaged(store: ReleaseStore, head: VersionEntry): readonly string[] {
  return Object.entries(head.resources)
    .filter(([name, digest]) => resourceFault(store, name, digest) !== undefined)
    .map(([name]) => name)
}

function writeResources(
  store: ReleaseStore,
  compiled: CompiledContent,
  names: readonly string[],
): void {
  for (const [name, { digest, text }] of compiled.resources) {
    if (names.includes(name)) store.writeResource(name, digest, text)
  }
}

/**
 * Publishes a content folder as the next version. Throws a PublishError when the content has mistakes, the history is
 * damaged, the clock is wrong, another publisher was faster or the folder cannot be written; then nothing changed.
 *
 * The entry is written last and appears at once, after every resource it names is durable. So a reader, or a crash at
 * any step, sees the old version or the new one.
 */
export async function publishRelease(options: PublishOptions): Promise<PublishResult> {
  const { contentDir, store, nowMs, registryVersion, note = '', dryRun = false } = options
  checkNote(note)
  const compiled = await compileContent(contentDir, nowMs, new Map([['the note', note]]))
  if (compiled.mistakes.length > 0) {
    const count = compiled.mistakes.length
    throw new PublishError(
      'CONTENT',
      `the content has ${count === 1 ? 'a mistake' : `${count} mistakes`}; nothing was published`,
      { mistakes: compiled.mistakes },
    )
  }
  const head = readHead(store)
  const entry = createEntry(head, compiled, options)
  if (head !== undefined && nowMs < Date.parse(head.createdAt)) {
    throw new PublishError(
      'CLOCK',
      `the clock says ${entry.createdAt}, before ${head.snapshotId} was made; expected ${head.createdAt} or later`,
    )
  }
  try {
    if (
      head !== undefined &&
      entry.changes.length === 0 &&
      head.registryVersion === registryVersion &&
      head.apiVersion === entry.apiVersion
    ) {
      const damaged = findDamaged(store, head)
      if (damaged.length === 0) return { outcome: 'unchanged', entry: head, damaged }
      if (dryRun) return { outcome: 'would-repair', entry: head, damaged }
      writeResources(store, compiled, damaged)
      return { outcome: 'repaired', entry: head, damaged }
    }
    // Proves the entry by the rule that every reader applies, before it is there for good.
    verifyLink(head, entry, versionHash(entry))
    verifyChanges(head, entry)
    if (dryRun) return { outcome: 'would-publish', entry, damaged: [] }
    writeResources(store, compiled, [...compiled.resources.keys()])
    store.appendVersion(entry.snapshotId, canonicalJson({ ...entry }))
  } catch (error) {
    if (!(error instanceof ReleaseFileError)) throw error
    if (error.code === 'EXISTS') {
      throw new PublishError(
        'CONFLICT',
        `${entry.snapshotId} was published by somebody else in the meantime; look at it and publish again`,
        { cause: error },
      )
    }
    throw new PublishError('STORAGE', `the release could not be written: ${error.message}`, {
      cause: error,
    })
  }
  return { outcome: 'published', entry, damaged: [] }
}
