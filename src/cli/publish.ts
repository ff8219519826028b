import { REGISTRY_VERSION } from '@public-api/contract/registry/endpoints'
import type { PublishResult, ReleaseOptions } from '../publishing/append-version.ts'
import { type CommandResult, createCommand, UsageError } from '@public-api/command/command'
import { flag, textOption } from '@public-api/command/options'
import { cosignLines, logPublication, withLogErrors } from './tlog/log-publication.ts'
import {
  RELEASES_OPTION,
  openReleasesFolder,
  requireText,
  withPublishErrors,
} from './releases-folder.ts'

function formatResult({ outcome, entry, damaged }: PublishResult, folder: string): string[] {
  const { snapshotId, hash, changes, registryVersion } = entry
  if (outcome === 'unchanged') {
    return [
      `Nothing to publish: ${snapshotId} in ${folder} has the same content.`,
      ...(damaged.length === 0 ? [] : [`Rewrote missing or damaged files: ${damaged.join(', ')}`]),
    ]
  }
  return [
    `Published ${snapshotId} in ${folder} (${hash}).`,
    ...changes.map(({ resource, kind }) => `  ${kind}: ${resource}`),
    ...(changes.length === 0 ? [`  registry version ${registryVersion}, content unchanged`] : []),
  ]
}

/** Options of the commands that publish. */
interface PublicationValues {
  readonly releases?: string
  readonly note?: string
  readonly 'no-witnesses': boolean
}

export const NO_WITNESSES_OPTION = flag(`sign the log without asking its witnesses; svc tlog cosign
  asks them later`)

/**
 * Extends the log of a folder, if it has one: signs the tree of all versions and asks the witnesses. Publishing has
 * succeeded by then, and does so without them.
 */
async function extendLog(folder: string, store: ReleaseOptions['store'], asksWitnesses: boolean) {
  const { readVersions } = await import('../publishing/append-version.ts')
  const { signLog } = await import('../publishing/log/published-log.ts')
  const { cosignLog } = await import('../publishing/log/cosign-log.ts')
  const versions = readVersions(store)
  return withLogErrors(async () => {
    await signLog(logPublication(folder), versions)
    const asks = asksWitnesses ? 'due' : 'none'
    return cosignLog({ releasesDir: folder, nowMs: Date.now(), asks }, versions)
  }, 'the version is published, and the log does not contain it yet')
}

/** Other content must not be published into the default releases folder by mistake. Throws a UsageError. */
export function requireNamedReleases(values: {
  readonly content?: string
  readonly releases?: string
}): void {
  const isNamed = (values.releases ?? process.env['SVC_RELEASES_DIR'] ?? '') !== ''
  if (values.content === undefined || isNamed) return
  throw new UsageError('expected --releases DIR (or SVC_RELEASES_DIR) beside --content')
}

/** Publishes into the releases folder of the options. Rejects with a CommandFailure. */
export async function runPublication(
  values: PublicationValues,
  publish: (publication: ReleaseOptions) => Promise<PublishResult>,
): Promise<CommandResult> {
  const note = requireText('note', values.note)
  const { folder, store } = openReleasesFolder(values.releases)
  const { readVersions } = await import('../publishing/append-version.ts')
  const { checkLog, findOrigin } = await import('../publishing/log/published-log.ts')
  const hasLog = await withLogErrors(async () => {
    if (findOrigin(folder) === undefined) return false
    const versions = await withPublishErrors(async () => readVersions(store))
    return checkLog(logPublication(folder), versions)
  }, 'nothing was published')
  const result = await withPublishErrors(
    () => publish({ store, nowMs: Date.now(), registryVersion: REGISTRY_VERSION, note }),
    'nothing was published',
  )
  const lines = formatResult(result, folder)
  if (!hasLog) return { json: { folder, ...result }, lines }
  const log = await extendLog(folder, store, !values['no-witnesses'])
  return { json: { folder, ...result, log }, lines: [...lines, ...cosignLines(log)] }
}

export const command = createCommand({
  usage: 'publish --note TEXT [options]',
  about: `Checks the content folder and publishes it as the next version: an entry of the
hash chain and one file for each changed resource. Nothing is written if the
content has a mistake, contains text that looks like a secret, or equals the
newest version. Use svc diff to see the changes before you publish.`,
  options: {
    note: textOption('TEXT: one line for readers of the history; required'),
    content: textOption(`DIR: folder with the content files (default: content); requires a named
      releases folder`),
    releases: RELEASES_OPTION,
    'no-witnesses': NO_WITNESSES_OPTION,
  },
  exit: '0 done or nothing to publish, 1 mistakes or failure, 2 wrong usage',
  async run({ values }) {
    requireNamedReleases(values)
    const { publishRelease } = await import('../publishing/publish-release.ts')
    const contentDir = values.content ?? 'content'
    return runPublication(values, (publication) => publishRelease({ contentDir, ...publication }))
  },
})
