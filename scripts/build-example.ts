import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createExample } from '@public-api/contract/documents/examples'
import { SNAPSHOT_NAMES, SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { parse } from 'yaml'
import { publishRelease } from '../src/publishing/releases/publish-release.ts'
import { redactResource } from '../src/publishing/releases/redact-resource.ts'
import { rollBackRelease } from '../src/publishing/releases/roll-back-release.ts'
import { formatMistake } from '../src/publishing/rules/content-mistake.ts'
import { PublishError } from '../src/publishing/rules/publish-error.ts'
import { openReleaseStore } from '../src/releases/release-store.ts'

const EXAMPLE_DIR = path.join(import.meta.dirname, '..', 'examples', 'tide-observatory')

/** One step of examples/tide-observatory/history.yaml. */
interface Step {
  readonly at: string
  readonly note?: string
  readonly edits?: readonly {
    readonly file: string
    readonly find: string
    readonly replace: string
  }[]
  readonly rollback?: string
  readonly redact?: { readonly version: string; readonly resource: string; readonly reason: string }
}

/** Replaces a text that occurs once in a content file. */
function edit(
  contentDir: string,
  { file, find, replace }: NonNullable<Step['edits']>[number],
): void {
  const name = path.join(contentDir, file)
  const text = readFileSync(name, 'utf8')
  const count = text.split(find).length - 1
  if (count !== 1)
    throw new Error(`${file} contains ${JSON.stringify(find)} ${count} times; expected once`)
  writeFileSync(
    name,
    text.replace(find, () => replace),
  )
}

/** Gives each snapshot that the example has no file for the example of its schema, so that a new endpoint needs no file here. */
function fillContent(contentDir: string, updatedAt: string): void {
  for (const name of SNAPSHOT_NAMES) {
    const file = path.join(contentDir, `${name}.yaml`)
    if (existsSync(file)) continue
    const example = createExample(SNAPSHOT_SCHEMAS[name]) as object
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ ...example, updatedAt }))
  }
}

/** Publishes the history of the example organization. The same input gives the same releases, byte for byte. */
export async function buildExample(contentDir: string, releasesDir: string): Promise<void> {
  cpSync(path.join(EXAMPLE_DIR, 'content'), contentDir, { recursive: true })
  const store = openReleaseStore(releasesDir)
  const steps = parse(
    readFileSync(path.join(EXAMPLE_DIR, 'history.yaml'), 'utf8'),
  ) as readonly Step[]
  fillContent(contentDir, steps[0]?.at ?? '')
  /** The rollback that the next version replaces. */
  let over: string | undefined
  for (const { at, note = '', edits = [], rollback, redact } of steps) {
    const common = { store, nowMs: Date.parse(at), registryVersion: REGISTRY_VERSION, note }
    for (const each of edits) edit(contentDir, each)
    try {
      if (redact !== undefined) {
        const { version: snapshotId, resource, reason } = redact
        await redactResource({ ...common, snapshotId, resource, reason })
      } else if (rollback === undefined) {
        await publishRelease({ ...common, contentDir, over })
        over = undefined
      } else {
        const { entry } = await rollBackRelease({ ...common, snapshotId: rollback })
        over = entry.snapshotId
      }
    } catch (error) {
      if (!(error instanceof PublishError)) throw error
      const details = error.mistakes.map(formatMistake)
      throw new Error([`${at}: ${error.message}`, ...details].join('\n'), { cause: error })
    }
  }
}
