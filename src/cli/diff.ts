import { REGISTRY_VERSION } from '@public-api/contract/registry/endpoints'
import type { FieldChange } from '@public-api/contract/snapshots/field-changes'
import type { ReleaseStore } from '../storage/release-store.ts'
import { createCommand, UsageError } from '@public-api/command/command'
import {
  CONTENT_OPTION,
  RELEASES_OPTION,
  openReleasesFolder,
  withPublishErrors,
} from './releases-folder.ts'

const MAX_SHOWN = 160

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

function formatField({ path, kind, before, after }: FieldChange): string {
  if (kind === 'added') return `${path}: added ${show(after)}`
  if (kind === 'removed') return `${path}: removed ${show(before)}`
  if (kind === 'reordered') return `${path}: reordered, now ${show(after)}`
  return `${path}: ${show(before)} -> ${show(after)}`
}

async function diffOfVersions(store: ReleaseStore, ids: readonly string[]) {
  const [from, to] = ids
  if (from === undefined || to === undefined || ids.length > 2) {
    throw new UsageError('expected two versions, such as VS-0001 VS-0002, or none')
  }
  const { readVersions, requireVersion } = await import('../publishing/append-version.ts')
  const { diffResources } = await import('../publishing/release-diff.ts')
  const versions = readVersions(store)
  const [before, after] = [requireVersion(versions, from), requireVersion(versions, to)]
  const resources = diffResources(store, before.resources, after.resources)
  return { from, to, resources, notes: [] }
}

/** `from` is null if nothing is published. */
async function diffOfContent(store: ReleaseStore, contentDir: string) {
  const { readVersions } = await import('../publishing/append-version.ts')
  const { requireContent } = await import('../publishing/publish-release.ts')
  const { diffResources } = await import('../publishing/release-diff.ts')
  const head = readVersions(store).at(-1)
  const { resources: compiled } = await requireContent(contentDir, Date.now())
  const digests = Object.fromEntries([...compiled].map(([name, { digest }]) => [name, digest]))
  const resources = diffResources(store, head?.resources ?? {}, digests, compiled)
  const { snapshotId = null, registryVersion = REGISTRY_VERSION } = head ?? {}
  const isSame = registryVersion === REGISTRY_VERSION
  const notes = isSame ? [] : [`registry version: ${registryVersion} -> ${REGISTRY_VERSION}`]
  return { from: snapshotId, to: contentDir, resources, notes }
}

export const command = createCommand({
  usage: ['diff [--content DIR] [options]', 'diff VS-NNNN VS-NNNN [options]'],
  about: `Shows field by field what publishing the content folder would change, or what
changed between two versions. Nothing is written.`,
  options: {
    content: CONTENT_OPTION,
    releases: RELEASES_OPTION,
  },
  json: 'print the differences as one JSON object',
  exit: '0 with or without differences, 1 mistakes or failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    if (positionals.length > 0 && values.content !== undefined) {
      throw new UsageError('expected either two versions or --content')
    }
    const { store } = openReleasesFolder(values.releases)
    const diff = await withPublishErrors(() =>
      positionals.length > 0
        ? diffOfVersions(store, positionals)
        : diffOfContent(store, values.content ?? 'content'),
    )
    const { from, to, resources, notes } = diff
    const lines = [
      ...notes,
      ...resources.flatMap(({ resource, kind, fields, problem }) => [
        kind === 'changed' ? resource : `${resource}: ${kind}`,
        ...fields.map((field) => `  ${formatField(field)}`),
        ...(problem === undefined ? [] : [`  cannot be compared: ${problem}`]),
      ]),
    ]
    const title =
      lines.length === 0
        ? `No differences between ${from} and ${to}.`
        : `From ${from ?? 'nothing'} to ${to}:`
    return { json: diff, lines: [title, ...lines] }
  },
})
