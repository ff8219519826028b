import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeReleases } from './made-releases.ts'
import { type Outcome, svcIn } from './run-svc.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { TestScope } from './test-scope.ts'

/** The origin of the logs of tests. */
export const LOG_ORIGIN = 'api.example.org/log'

/** A folder with `releases` of some versions. */
export function folderWithReleases(t: TestScope, versions = 3): string {
  const folder = temporaryFolder(t)
  const made = makeReleases(versions)
  mkdirSync(path.join(folder, 'releases', 'versions'), { recursive: true })
  for (const [id, text] of made.versions) {
    writeFileSync(path.join(folder, 'releases', 'versions', `${id}.json`), text)
  }
  for (const [key, text] of made.resources) {
    const [name = '', digest = ''] = key.split(' ')
    const file = path.join(folder, 'releases', 'resources', name, `${digest}.json`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder
}

/** A folder with releases and their log, and the line of the log for policies. */
export async function folderWithLog(t: TestScope, versions = 3) {
  const folder = folderWithReleases(t, versions)
  const { status, out, error } = await svcIn(folder, [
    'tlog',
    'init',
    '--origin',
    LOG_ORIGIN,
    '--json',
  ])
  if (status !== 0) throw new Error(error)
  const { vkey } = JSON.parse(out) as { readonly vkey: string }
  return { folder, vkey, releases: path.join(folder, 'releases') }
}

/** The releases folder of another history of the same log, signed with the same key: its third version differs. */
export async function forkOfLog(t: TestScope, folder: string, versions: 3 | 4): Promise<string> {
  const other = folderWithReleases(t, 2)
  await rollBackTo(other, 'VS-0001', 'Another history')
  cpSync(path.join(folder, 'secrets', 'log-key.pem'), path.join(other, 'secrets', 'log-key.pem'))
  const { status, error } = await svcIn(other, ['tlog', 'init', '--origin', LOG_ORIGIN])
  if (status !== 0) throw new Error(error)
  if (versions === 4) await rollBackTo(other, 'VS-0002', 'And a fourth')
  return path.join(other, 'releases')
}

/** Publishes the content of an older version again. Its cards are not drawn, which would take most of the time. */
export function rollBackTo(
  folder: string,
  id: string,
  note: string,
  ...more: readonly string[]
): Promise<Outcome> {
  return svcIn(folder, ['rollback', id, '--note', note, '--no-cards', ...more])
}
