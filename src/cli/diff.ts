import { REGISTRY_VERSION } from '../contract/endpoints.ts'
import type { FieldChange } from '../contract/field-changes.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import type { ResourceDiff } from '../publishing/release-diff.ts'
import type { ReleaseStore } from '../storage/release-store.ts'
import { createCommand, UsageError } from '../../packages/cli/src/command/command.ts'
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

interface Diff {
  /** The older version; null if nothing is published. */
  readonly from: string | null
  readonly to: string
  readonly resources: readonly ResourceDiff[]
  /** Further differences, one line each. */
  readonly notes: readonly string[]
}

async function diffOfVersions(store: ReleaseStore, ids: readonly string[]): Promise<Diff> {
  const [from, to] = ids
  if (from === undefined || to === undefined || ids.length > 2) {
    throw new UsageError('expected two versions, such as VS-0001 VS-0002, or none')
  }
  const { readVersions, requireVersion } = await import('../publishing/append-version.ts')
  const { diffVersions } = await import('../publishing/release-diff.ts')
  const versions = readVersions(store)
  const [before, after] = [requireVersion(versions, from), requireVersion(versions, to)]
  return { from, to, resources: diffVersions(store, before, after), notes: [] }
}

function registryNote(head: VersionEntry | undefined): readonly string[] {
  return head === undefined || head.registryVersion === REGISTRY_VERSION
    ? []
    : [`registry version: ${head.registryVersion} -> ${REGISTRY_VERSION}`]
}

async function diffOfContent(store: ReleaseStore, contentDir: string): Promise<Diff> {
  const { readVersions } = await import('../publishing/append-version.ts')
  const { requireContent } = await import('../publishing/publish-release.ts')
  const { diffContent } = await import('../publishing/release-diff.ts')
  const head = readVersions(store).at(-1)
  const compiled = await requireContent(contentDir, Date.now())
  return {
    from: head?.snapshotId ?? null,
    to: contentDir,
    resources: diffContent(store, head, compiled),
    notes: registryNote(head),
  }
}

function formatDiff({ from, to, resources, notes }: Diff): readonly string[] {
  if (resources.length === 0 && notes.length === 0) {
    return [`No differences between ${from} and ${to}.`]
  }
  return [
    `From ${from ?? 'nothing'} to ${to}:`,
    ...notes,
    ...resources.flatMap(({ resource, kind, fields, problem }) => [
      kind === 'changed' ? resource : `${resource}: ${kind}`,
      ...fields.map((field) => `  ${formatField(field)}`),
      ...(problem === undefined ? [] : [`  cannot be compared: ${problem}`]),
    ]),
  ]
}

/** `svc diff`: what a publish would change, or what changed between two versions. */
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
    return { json: diff, lines: formatDiff(diff) }
  },
})
