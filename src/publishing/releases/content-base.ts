import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { sha256Base64url } from '../../crypto/sha256.ts'
import { readBelow, rewriteBelow } from '../../files/folder-files.ts'
import type { ReleaseStore } from '../../releases/release-store.ts'
import type { KnownFiles } from '../compile/parse-content.ts'
import { PublishError } from '../rules/publish-error.ts'
import { digestOfOwnRules } from './rules-digest.ts'

/**
 * The file of a content folder that states the version it was last published as. It belongs in version control. Its dot
 * excludes it from the content.
 */
const BASE_FILE = '.published.json'

const MAX_BASE_BYTES = 65_536

/** The version that a content folder was last published as. */
export type ContentBase = Pick<VersionEntry, 'snapshotId' | 'hash'> & {
  /**
   * The digests of the files with the status and the years before it that say what was published and nothing else, by their
   * paths in the folder, and of the records of the translations.
   */
  readonly files?: { readonly [file: string]: string } | undefined
}

/**
 * Binds the files to their version, because git can merge those of one version into the base of another, and to the rules
 * that they passed.
 */
const sealOf = ({ hash, files }: ContentBase): string =>
  sha256Base64url(JSON.stringify([hash, files, digestOfOwnRules()]))

/**
 * The base of a content folder; undefined if it was never published. A version that a killed command wrote before it could
 * record it (`next`) is the base if it exists. A damaged file stands for the newest version. Throws a PublishError for a
 * merge conflict: which side the content has is unknown.
 */
export function readBase(
  contentDir: string,
  versions: readonly VersionEntry[],
): ContentBase | undefined {
  const file = path.join(contentDir, BASE_FILE)
  try {
    const text = readBelow(contentDir, BASE_FILE, MAX_BASE_BYTES).toString('utf8')
    if (/^<{7}/m.test(text)) {
      const expected = 'expected { snapshotId, hash } of one side, the newer version'
      throw new PublishError('BASE', `${file} has a merge conflict; ${expected}`)
    }
    const value = parseJson(text)
    const next = versions.find(({ hash }) => hash === propertyOf(value, 'next'))
    const { snapshotId, hash, files, seal } = (value ?? {}) as { [name: string]: unknown }
    if (typeof snapshotId === 'string' && typeof hash === 'string') {
      const base = { snapshotId, hash, files: files as ContentBase['files'] }
      const isSealed = files !== undefined && seal === sealOf(base)
      return next ?? (isSealed ? base : { snapshotId, hash })
    }
    return next ?? (propertyOf(value, 'next') === undefined ? versions.at(-1) : undefined)
  } catch (error) {
    if (error instanceof PublishError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new PublishError('BASE', `${file} cannot be read: ${messageOf(error)}`)
  }
}

/**
 * Records the version that a content folder was published as, or, before `next` is written, that it is about to be.
 * Returns a warning if that is impossible.
 */
export function writeBase(
  contentDir: string,
  base: ContentBase | undefined,
  next?: ContentBase,
): string | undefined {
  const file = path.join(contentDir, BASE_FILE)
  try {
    const { snapshotId, hash, files = {} } = base ?? {}
    const of = Object.keys(files).length === 0 ? {} : { seal: base && sealOf(base), files }
    const text = `${JSON.stringify({ snapshotId, hash, ...of, next: next?.hash }, null, 2)}\n`
    rewriteBelow(contentDir, BASE_FILE, text)
    return undefined
  } catch (error) {
    const { snapshotId } = next ?? base ?? {}
    return `${file} could not be written (${messageOf(error)}); the next version from this folder needs --over ${snapshotId}`
  }
}

/**
 * The files of the status and of past years that are as the version of a content folder was made from. They passed every
 * check of this program, and what is published of them is what that version has, whatever the folder states.
 * Without a readable version, no file is known.
 */
export function readKnownFiles(contentDir: string, store: ReleaseStore): KnownFiles {
  const unlessDamaged = <Value>(read: () => Value): Value | undefined => {
    try {
      return read()
    } catch {
      // Who needs it names the damage.
      return undefined
    }
  }
  const known = unlessDamaged(() => {
    const { snapshotId = '', hash, files = {} } = readBase(contentDir, []) ?? {}
    const version = JSON.parse(store.readVersionText(snapshotId)) as VersionEntry
    const isSame = version.hash === hash && version.registryVersion === REGISTRY_VERSION
    return isSame ? { files, resources: version.resources } : undefined
  })
  /** Read once: a command compiles the content before it edits, publishes or moves it, and after. */
  const data = new Map<string, JsonValue | undefined>()
  const digestOf = (resource: string): string | undefined => {
    const digest = propertyOf(known?.resources, resource)
    return typeof digest === 'string' ? digest : undefined
  }
  return {
    isSame(file, text) {
      const digest = propertyOf(known?.files, file)
      return digest !== undefined && digest === sha256Base64url(text)
    },
    read(resource) {
      const digest = digestOf(resource)
      if (digest === undefined) return undefined
      // Published data is JSON.
      const value =
        data.get(resource) ??
        unlessDamaged(() => parseJson(store.readResourceText(resource, digest)) as JsonValue)
      data.set(resource, value)
      return value
    },
    digestOf,
  }
}

const namesOf = (changes: readonly { readonly resource: string }[]): string =>
  changes.map(({ resource }) => resource).join(', ') || 'no resource'

/**
 * Checks that content is based on the newest version, or that `over` names it. Returns the resources of the newest version
 * that publishing replaces by an older state. `only` are the resources that are published, if not all. Throws a PublishError (BASE) that lists what came in between.
 */
export function checkBase(
  versions: readonly VersionEntry[],
  base: ContentBase | undefined,
  resources: VersionEntry['resources'],
  over: string | undefined,
  only: ReadonlySet<string> | undefined,
): readonly string[] {
  const head = versions.at(-1)
  if (over !== undefined && over !== head?.snapshotId) {
    const newest =
      head === undefined ? 'nothing is published' : `the newest version is ${head.snapshotId}`
    throw new PublishError('BASE', `--over names ${JSON.stringify(over.slice(0, 30))}; ${newest}`)
  }
  if (head === undefined || base?.hash === head.hash) return []
  const replaced = changesBetween(head.resources, resources)
  if (replaced.length === 0) return []
  const known = versions.find(({ hash }) => hash === base?.hash)
  const changed = (
    known === undefined ? replaced : changesBetween(known.resources, head.resources)
  ).filter(
    ({ resource: name }) =>
      (only === undefined || only.has(name)) && resources[name] !== head.resources[name],
  )
  if (known !== undefined && changed.length === 0) return []
  const undone = changed
    .map(({ resource }) => resource)
    .filter((name) => resources[name] === known?.resources[name] || known === undefined)
  if (over !== undefined) return undone
  const since = versions.slice(known?.sequence ?? 0).map(({ snapshotId }) => snapshotId)
  const reason =
    base === undefined
      ? `the content folder does not state which version it was last published as (${BASE_FILE}), and it differs from ${head.snapshotId} in ${namesOf(replaced)}`
      : known === undefined
        ? `the content was last published as ${base.snapshotId} of another history`
        : `the content was last published as ${known.snapshotId}; ${since.join(', ')} came after it and changed ${namesOf(changed)}`
  throw new PublishError(
    'BASE',
    `${reason}; expected content with these changes, or --over ${head.snapshotId} to replace them`,
  )
}
