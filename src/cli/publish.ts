import { REGISTRY_VERSION } from '../contract/endpoints.ts'
import { formatMistake } from '../publishing/content-mistake.ts'
import type { PublishResult } from '../publishing/publish-release.ts'
import { openReleaseStore } from '../storage/release-store.ts'
import {
  type Command,
  createCommand,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from './command.ts'
import { CommandFailure } from './command-failure.ts'
import { readConfig } from './database.ts'
import { pluralOf } from './wording.ts'

const HELP = `Usage: svc publish [options]

Checks the content folder and publishes it as the next version: an entry of the
hash chain and one file per changed resource. Nothing is written when the
content has a mistake, looks like it holds a secret, or says what the newest
version says already.

Options:
  --content DIR    folder with the YAML files (default: content)
  --releases DIR   folder with the published releases
                   (default: SVC_RELEASES_DIR, else releases)
  --note TEXT      one line for readers of the history
  --dry-run        check and tell what would be published; write nothing
  --check          check the releases from end to end, and that the content
                   folder holds nothing unpublished; write nothing
  --json           print the result as one JSON object
  -h, --help       print this text

Exit code: 0 done, 1 mistakes, findings or failure, 2 wrong usage.`

const OPTIONS = {
  content: { type: 'string', default: 'content' },
  releases: { type: 'string' },
  note: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

interface Settings {
  readonly contentDir: string
  readonly releasesDir: string
  readonly note: string | undefined
  readonly dryRun: boolean
  readonly json: boolean
}

function tellResult({ outcome, entry, damaged }: PublishResult, output: CommandOutput): void {
  const { snapshotId, hash, changes, registryVersion } = entry
  if (outcome === 'published') {
    output.out(`Published ${snapshotId} (${hash}).`)
  } else if (outcome === 'would-publish') {
    output.out(`Would publish ${snapshotId}.`)
  } else {
    output.out(`Nothing to publish: ${snapshotId} says all of this already.`)
    if (outcome === 'unchanged') return
    const done = outcome === 'repaired' ? 'were written again' : 'would be written again'
    output.out(`Files missing or damaged that ${done}: ${damaged.join(', ')}`)
    return
  }
  for (const { resource, kind } of changes) output.out(`  ${kind}: ${resource}`)
  if (changes.length === 0) output.out(`  registry version ${registryVersion}, content unchanged`)
}

async function publish(settings: Settings, output: CommandOutput): Promise<ExitCode> {
  const { PublishError, publishRelease } = await import('../publishing/publish-release.ts')
  try {
    const result = await publishRelease({
      contentDir: settings.contentDir,
      store: openReleaseStore(settings.releasesDir),
      nowMs: Date.now(),
      registryVersion: REGISTRY_VERSION,
      dryRun: settings.dryRun,
      ...(settings.note === undefined ? {} : { note: settings.note }),
    })
    if (settings.json) output.out(JSON.stringify({ ok: true, ...result }))
    else tellResult(result, output)
    return EXIT_CODES.done
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const { code, message, mistakes } = error
    const details = mistakes.map(formatMistake)
    throw new CommandFailure(code, message, EXIT_CODES.failure, { details, members: { mistakes } })
  }
}

async function check(settings: Settings, output: CommandOutput): Promise<ExitCode> {
  const { checkRelease } = await import('../publishing/check-release.ts')
  const findings = await checkRelease({
    contentDir: settings.contentDir,
    store: openReleaseStore(settings.releasesDir),
    nowMs: Date.now(),
    registryVersion: REGISTRY_VERSION,
    publishCommand: 'npm run svc -- publish',
  })
  if (findings.length > 0) {
    throw new CommandFailure(
      'FINDINGS',
      `the check of ${settings.releasesDir} has ${pluralOf(findings.length, 'finding')}`,
      EXIT_CODES.failure,
      {
        details: findings.map(({ where, message }) => `${where}: ${message}`),
        members: { findings },
      },
    )
  }
  output.out(
    settings.json
      ? JSON.stringify({ ok: true, findings })
      : 'The releases are sound and say what the content says.',
  )
  return EXIT_CODES.done
}

/** `svc publish`: content folder to release, and the check of what was published. */
export const publishCommand: Command = createCommand({
  help: HELP,
  options: OPTIONS,
  async run({ values }, output) {
    if (values.check && (values['dry-run'] || values.note !== undefined)) {
      throw new UsageError('--check publishes nothing; leave out --dry-run and --note')
    }
    const settings: Settings = {
      contentDir: values.content,
      releasesDir: values.releases ?? readConfig(['SVC_RELEASES_DIR']).releasesDir,
      note: values.note,
      dryRun: values['dry-run'],
      json: values.json,
    }
    return values.check ? check(settings, output) : publish(settings, output)
  },
})
