import { CommandFailure, type CommandResult } from '@public-api/cli-kit/command'
import { pluralOf } from '@public-api/cli-kit/wording'
import { messageOf } from '@public-api/contract/errors/error-message'
import { noticesOf } from '@public-api/contract/registry/release-notices'
import { ConfigError } from '../config-mistake.ts'
import {
  checkStart,
  warnAboutEnvironment,
  warnIfSigningKeyExpired,
} from '../process/start-check.ts'
import { openReleaseStore } from '../releases/release-store.ts'
import { inspectSecrets } from '../secrets.ts'
import { loadReleases } from '../service/releases/releases.ts'
import { releasesOwnerWarnings, sharedFolderWarnings } from './folder-owner.ts'
import { backupTimerWarnings, installedUnitWarnings } from './installed-units.ts'

/** What is to be said about the published versions. Throws a ConfigError if a start would refuse them. */
function releaseWarnings(releasesDir: string, nowMs: number): readonly string[] {
  try {
    const { served, faults } = loadReleases(openReleaseStore(releasesDir), undefined, 'unread')
    return [
      ...noticesOf(served.head, nowMs, served.unknownMembers).map(({ text }) => text),
      ...faults.map(({ snapshotId, resource, reason }) => {
        return `${resource} of ${snapshotId} is damaged and will not be served: ${reason}`
      }),
    ]
  } catch (error) {
    const found = `${releasesDir}: ${messageOf(error)}`
    throw new ConfigError([{ variable: 'SVC_RELEASES_DIR', expected: 'releases to serve', found }])
  }
}

/** Checks the environment, folders and secrets as a start would read them, and changes nothing. */
export function checkConfiguration(): CommandResult {
  const nowMs = Date.now()
  const warnings: string[] = []
  let folders: { readonly [name: string]: string } = {}
  const warn = (_fields: object, message: string) => {
    warnings.push(message)
  }
  try {
    const config = checkStart(process.env, process.cwd(), nowMs)
    folders = { releases: config.releasesDir, secrets: config.secretsDir, data: config.dataDir }
    const log = { debug() {}, info() {}, warn, error: warn }
    warnAboutEnvironment(config, log)
    const contentDir = process.env['SVC_CONTENT_DIR'] ?? ''
    warnings.push(
      ...releaseWarnings(config.releasesDir, nowMs),
      ...releasesOwnerWarnings(config.releasesDir),
      ...(contentDir === '' ? [] : sharedFolderWarnings(contentDir)),
      ...installedUnitWarnings(),
      ...backupTimerWarnings(config.database.kind),
    )
    const { publishedKeys, signingKey } = inspectSecrets(config, nowMs).secrets
    warnIfSigningKeyExpired(publishedKeys, nowMs, log)
    if (signingKey === undefined && config.runtime === 'production') {
      warnings.push('No signing key is configured; responses are unsigned')
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { message, lines } = error
    throw new CommandFailure('CONFIG', message, { details: lines, members: { mistakes: lines } })
  }
  const count = warnings.length === 0 ? '.' : `, with ${pluralOf(warnings.length, 'warning')}:`
  return {
    json: { folders, warnings },
    lines: [
      `The configuration is valid${count}`,
      ...warnings.map((warning) => `  ${warning}`),
      ...Object.entries(folders).map(([name, folder]) => `${name}: ${folder}`),
    ],
  }
}
