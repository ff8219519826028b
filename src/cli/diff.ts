import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { flag } from '@public-api/cli-kit/options'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import type { ResourceName } from '@public-api/contract/registry/resource-names'
import { formatRemovedEvent } from '@public-api/contract/snapshots/removed-events'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import type { ReleaseStore } from '../releases/release-store.ts'
import { createMarks, formatField, formatResource } from './format-diff.ts'
import {
  CONTENT_OPTION,
  contentFolder,
  RELEASES_OPTION,
  openReadableReleases,
  openReleasesFolder,
} from './releases-folder.ts'

async function diffOfVersions(store: ReleaseStore, ids: readonly string[]) {
  const [from, to] = ids
  if (from === undefined || to === undefined || ids.length > 2) {
    throw new UsageError('expected two versions, such as VS-0001 VS-0002, or none')
  }
  const { readVersions, requireVersion } =
    await import('../publishing/releases/published-versions.ts')
  const { diffResources } = await import('../publishing/releases/release-diff.ts')
  const versions = readVersions(store)
  const [before, after] = [requireVersion(versions, from), requireVersion(versions, to)]
  const resources = diffResources(store, before.resources, after.resources)
  const readText = (resource: string) =>
    store.readResourceText(resource, after.resources[resource] ?? '')
  return { from, to, resources, notes: [], warnings: [], readText }
}

/** `from` is null if nothing is published. */
async function diffOfContent(store: ReleaseStore, contentDir: string) {
  const { contentMs, readVersions } = await import('../publishing/releases/published-versions.ts')
  const { requireContent } = await import('../publishing/releases/publish-release.ts')
  const { readKnownFiles } = await import('../publishing/releases/content-base.ts')
  const { diffResources } = await import('../publishing/releases/release-diff.ts')
  const head = readVersions(store).at(-1)
  const nowMs = contentMs(store, Date.now())
  const known = readKnownFiles(contentDir, store)
  const { resources: compiled, warnings } = await requireContent(contentDir, nowMs, { known })
  const digests = Object.fromEntries([...compiled].map(([name, { digest }]) => [name, digest]))
  const resources = diffResources(store, head?.resources ?? {}, digests, compiled)
  const { snapshotId = null, registryVersion = REGISTRY_VERSION } = head ?? {}
  const isSame = registryVersion === REGISTRY_VERSION
  const notes = isSame ? [] : [`registry version: ${registryVersion} -> ${REGISTRY_VERSION}`]
  const readText = (resource: string) => compiled.get(resource as ResourceName)?.text ?? 'null'
  return { from: snapshotId, to: contentDir, resources, notes, warnings, readText }
}

export const command = createCommand({
  usage: ['diff [--content DIR] [options]', 'diff VS-NNNN VS-NNNN [options]'],
  about: `Shows field by field what publishing the content folder would change, or what
changed between two versions: whole texts, and changed ones word by word, in
colors on a terminal and as [-removed-]{+added+} elsewhere. Translations whose
text changed after them are named. Nothing is written.`,
  options: {
    content: CONTENT_OPTION,
    releases: RELEASES_OPTION,
    all: flag('also show the texts of added resources, such as those of a first version'),
  },
  json: 'print the differences as one JSON object',
  exit: '0 with or without differences, 1 mistakes or failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    if (positionals.length > 0 && values.content !== undefined) {
      throw new UsageError('expected either two versions or --content')
    }
    const { store } =
      positionals.length > 0
        ? openReadableReleases(values.releases)
        : openReleasesFolder(values.releases)
    const { readText, ...result } = await (positionals.length > 0
      ? diffOfVersions(store, positionals)
      : diffOfContent(store, contentFolder(values.content)))
    const { from, to, resources, notes, warnings } = result
    const marks = createMarks(process.stdout.isTTY, process.env)
    const textsOf = (resource: string) =>
      formatResource(JSON.parse(readText(resource)) as JsonValue, marks)
    const lines = [
      ...notes,
      ...resources.flatMap(({ resource, kind, fields, removedEvents = [], failure }) => [
        kind === 'changed' ? resource : `${resource}: ${kind}`,
        ...removedEvents.map((event) => `  ${formatRemovedEvent(event)}`),
        ...(kind === 'added' && values.all ? textsOf(resource) : [])
          .concat(fields.flatMap((field) => formatField(resource, field, marks)))
          .map((line) => `  ${line}`),
        ...(failure === undefined ? [] : [`  cannot be compared: ${failure}`]),
      ]),
    ]
    const title =
      lines.length === 0
        ? `No differences between ${from} and ${to}.`
        : `From ${from ?? 'nothing'} to ${to}:`
    return {
      json: result,
      lines: [title, ...lines, ...warnings.map((warning) => `Warning: ${warning}`)],
    }
  },
})
