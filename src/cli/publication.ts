import { existsSync } from 'node:fs'
import { type CommandResult, UsageError } from '@public-api/cli-kit/command'
import { requireOption } from '@public-api/cli-kit/option-values'
import { flag, type OptionValues, textOption, textOptions } from '@public-api/cli-kit/options'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { TranslatedName } from '@public-api/contract/registry/resource-names'
import { isPastEventsName } from '@public-api/contract/snapshots/past-events'
import { formatRemovedEvent } from '@public-api/contract/snapshots/removed-events'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { SNAPSHOT_ID_PATTERN } from '@public-api/contract/terms/identifier-patterns'
import { expectedName } from '@public-api/contract/text/nearest-name'
import { keepBytesInGit } from '../files/git-files.ts'
import type { PublishResult, ReleaseOptions } from '../publishing/releases/append-version.ts'
import { CONTENT_FILES, resourceOfFile } from '../publishing/rules/content-folder.ts'
import { readTlogOrigin } from '../tlog/tlog-files.ts'
import { checkPublisherClock } from './publisher-clock.ts'
import { CONTENT_OPTION, openReleasesFolder, RELEASES_OPTION } from './releases-folder.ts'
import { withConsequence } from './server-failure.ts'
import {
  cosignLines,
  extendLog,
  logPublication,
  PENDING_ADVICE,
  stopsAtContradiction,
} from './tlog/log-publication.ts'
import { waitForVersion } from './wait-for-version.ts'

function formatResult(
  { outcome, entry, damaged, removed, undone = [], moved = [], warnings }: PublishResult,
  folder: string,
): CommandResult['lines'] {
  const { snapshotId, hash, changes, registryVersion } = entry
  if (outcome === 'unchanged') {
    return [
      `Nothing to publish: ${snapshotId} in ${folder} has the same content.`,
      damaged.length > 0 && `Rewrote missing or damaged files: ${damaged.join(', ')}`,
      ...warnings.map((warning) => `Warning: ${warning}`),
    ]
  }
  return [
    `Published ${snapshotId} in ${folder} (${hash}).`,
    ...changes.map(({ resource, kind }) => `  ${kind}: ${resource}`),
    changes.length === 0 && `  registry version ${registryVersion}, content unchanged`,
    ...removed.map((event) => `  ${formatRemovedEvent(event)}`),
    ...moved.map((line) => `  ${line}`),
    undone.length > 0 && `Undone: the newer state of ${undone.join(', ')}`,
    ...warnings.map((warning) => `Warning: ${warning}`),
  ]
}

/** The other options of the commands that publish. */
export const PUBLICATION_OPTIONS = {
  content: CONTENT_OPTION,
  releases: RELEASES_OPTION,
  'no-cards': flag('do not draw social cards; links to pages without one show the logo'),
  'no-witnesses': flag(`sign the log without asking its witnesses; svc tlog cosign
  asks them later`),
  yes: flag(`publish although the clock differs by more than 5 minutes from
  SVC_NTP_SERVER, or else from the service at SVC_BASE_URL`),
} as const

type PublicationValues = OptionValues<typeof PUBLICATION_OPTIONS> & {
  /** Without it, the note says what changed. */
  readonly note?: string | undefined
  /** Whether a missing releases folder is created. */
  readonly create?: boolean
  /** URL of the service that must serve the version. */
  readonly wait?: URL
}

/** Extends the log of a folder after a publication, which it never prevents. */
async function extendPublishedLog(
  folder: string,
  read: () => readonly VersionEntry[],
  asks: 'due' | 'none',
) {
  let extended: Awaited<ReturnType<typeof extendLog>> | undefined
  const failed = await withConsequence(
    'the version is published, and the log does not contain it yet',
    () =>
      stopsAtContradiction(async () => {
        extended = await extendLog(folder, read, asks)
      }),
  )
  const reason = extended?.pending ?? (failed && `the version is pending in the log: ${failed}`)
  return {
    json: { ...extended?.report, ...(reason === undefined ? {} : { pending: reason }) },
    lines: [
      ...(reason === undefined ? [] : [`Warning: ${reason}. ${PENDING_ADVICE}`]),
      ...(extended === undefined ? [] : cosignLines(extended.report, folder)),
    ],
  }
}

/** Other content must not be published into the default releases folder by mistake. Throws a UsageError. */
export function requireNamedReleases(values: {
  readonly content?: string
  readonly releases?: string
}): void {
  const isNamed = (values.releases ?? process.env['SVC_RELEASES_DIR'] ?? '') !== ''
  if ((values.content ?? process.env['SVC_CONTENT_DIR']) === undefined || isNamed) return
  throw new UsageError('expected --releases DIR (or SVC_RELEASES_DIR) beside the content folder')
}

/** Throws a UsageError for a missing folder, which may be a mistyped one. */
function requireFolder(folder: string, mayCreate: boolean): void {
  if (mayCreate || existsSync(folder)) return
  throw new UsageError(
    `the releases folder ${folder} does not exist; expected an existing one, or --create to create it`,
  )
}

function parseVersion(name: string, text: string): string {
  if (new RegExp(SNAPSHOT_ID_PATTERN).test(text)) return text
  throw new UsageError(`${name} expects a version, such as VS-0009`)
}

/** Publishes into the releases folder of the options. Rejects with a CommandFailure. */
export async function runPublication<Result extends PublishResult>(
  values: PublicationValues,
  publish: (publication: ReleaseOptions) => Promise<Result>,
  formatMore: (result: Result) => readonly string[] = () => [],
): Promise<CommandResult> {
  const { wait: service } = values
  const { formatTypedNote } = await import('../publishing/releases/version-note.ts')
  const { note, warning: cut } =
    values.note === undefined
      ? { note: undefined, warning: undefined }
      : formatTypedNote(requireOption('note', values.note))
  const { folder, store } = openReleasesFolder(values.releases)
  requireFolder(folder, values.create === true)
  const { readVersions } = await import('../publishing/releases/published-versions.ts')
  const { checkLog } = await import('../tlog/signing/published-log.ts')
  let versions: readonly VersionEntry[] = []
  const read = () => {
    versions = readVersions(store, versions)
    return versions
  }
  const hasLog = await withConsequence('nothing was published', async () => {
    let hasOrigin = true
    await stopsAtContradiction(async () => {
      hasOrigin = readTlogOrigin(folder) !== undefined
      if (hasOrigin) await checkLog(logPublication(folder), read())
    })
    return hasOrigin
  })
  const prepare: ReleaseOptions['prepare'] = async (readText) => {
    if (values['no-cards']) return []
    const { publishCards } = await import('../cards/publish-cards.ts')
    return publishCards(store, readText)
  }
  const clock = await checkPublisherClock(values.yes)
  const published = await withConsequence('nothing was published', () =>
    publish({
      store,
      nowMs: Date.now(),
      registryVersion: REGISTRY_VERSION,
      note,
      prepare,
      readVersions: read,
    }),
  )
  const unwritten = keepBytesInGit(folder)
  const warnings = [cut, clock, ...published.warnings, unwritten].filter(
    (each) => each !== undefined,
  )
  const result = { ...published, warnings }
  const lines = [...formatResult(result, folder), ...formatMore(published)]
  const asks = values['no-witnesses'] ? 'none' : 'due'
  const log = hasLog ? await extendPublishedLog(folder, read, asks) : undefined
  if (service !== undefined) {
    await waitForVersion(service, result.entry)
    lines.push(`${service.origin} serves ${result.entry.snapshotId}.`)
  }
  return {
    json: { folder, ...result, ...(log === undefined ? {} : { log: log.json }) },
    lines: [...lines, ...(log?.lines ?? [])],
  }
}

/** Throws a UsageError for a name that is not one of a content file; `context` precedes the name. */
export function parseResources(
  names: readonly string[] | undefined,
  context = '--only names',
): ReadonlySet<TranslatedName> | undefined {
  if (names === undefined || names.length === 0) return undefined
  return new Set(
    names.map((name) => {
      const found = resourceOfFile(`${name.replace(/\.yaml$/, '')}.yaml`)
      if (found !== undefined) return isPastEventsName(found) ? 'status' : found
      const known = [...CONTENT_FILES.keys()].map((file) => file.replace('.yaml', ''))
      const expected = expectedName(name, known, 'a resource', `one of ${known.join(', ')}`)
      throw new UsageError(`${context} ${JSON.stringify(name.slice(0, 64))}; expected ${expected}`)
    }),
  )
}

export const ONLY_OPTION = textOptions(`RESOURCE: publish this resource with its translations alone,
  such as status; may be given several times`)

export const OVER_OPTION = {
  ...textOption(`VS-NNNN: publish although the content is based on an older
  version than this newest one, and replace what came in between`),
  parse: parseVersion,
}
