import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { CommandTable } from '@public-api/cli-kit/command'
import { loadCommand } from '@public-api/cli-kit/run-program'
import { COMMANDS } from '../../src/cli/program.ts'
import { makeContent } from '../publishing/content-fixture.ts'
import { svcIn } from '../support/run-svc.ts'
import { makeDeployment } from './waitlist/deployment-fixture.ts'
import { sealedRegistrations } from './waitlist/waitlist-fixture.ts'

/** A place on this machine that a command acts on. */
type Place = 'content' | 'releases' | 'secrets' | 'database' | 'folder'

/** Commands in an order in which each can work, with the places that they print. `*` is the id of what was opened. */
const STEPS: readonly (readonly [words: string, ...places: readonly Place[]])[] = [
  ['init folder/new', 'folder'],
  ['check', 'content'],
  ['diff', 'content'],
  ['publish -m N. --create --no-cards', 'content', 'releases'],
  ['translations', 'content'],
  ['incident list', 'content'],
  [
    'incident open --title A --impact minor --component read-api=degraded --text B. --summary C. --publish --no-cards',
    'content',
    'releases',
  ],
  ['incident update * --text D. --publish --no-cards', 'content', 'releases'],
  ['incident resolve * --text E. --publish --no-cards', 'content', 'releases'],
  [
    'incident reopen * --component read-api=degraded --summary F. --text G. --publish --no-cards',
    'content',
    'releases',
  ],
  ['incident templates', 'content'],
  ['maintenance list', 'content'],
  [
    'maintenance schedule --title A --from 2099-01-01T00:00:00Z --to 2099-01-02T00:00:00Z --component read-api --text B.',
    'content',
  ],
  ['maintenance reschedule * --to 2099-01-03T00:00:00Z --text B.', 'content'],
  ['maintenance start * --text C. --summary D.', 'content'],
  ['maintenance complete * --text C.', 'content'],
  ['discard --yes', 'content'],
  [
    'maintenance schedule --title B --from 2099-01-01T00:00:00Z --to 2099-01-02T00:00:00Z --component read-api --text B.',
    'content',
  ],
  ['maintenance cancel * --text C. --publish --no-cards', 'content', 'releases'],
  ['rollback VS-0002 -m N. --no-cards', 'content', 'releases'],
  ['redact VS-0003 status --reason Why --yes', 'releases'],
  ['find Answers', 'releases'],
  ['audit folder/releases', 'releases'],
  ['tlog init --origin api.example.org/log', 'releases', 'secrets'],
  ['tlog status', 'releases'],
  ['tlog cosign', 'releases'],
  ['tlog new-key', 'releases', 'secrets'],
  ['tlog retire-key *', 'releases'],
  ['site folder/site --now http://127.0.0.1:1', 'folder'],
  ['signing-key list', 'secrets'],
  ['signing-key new', 'secrets'],
  ['signing-key new', 'secrets'],
  ['signing-key retire *', 'secrets'],
  ['signing-key new', 'secrets'],
  ['signing-key promote', 'secrets'],
  ['waitlist count', 'database'],
  ['waitlist export --out folder/list.csv', 'database', 'folder'],
  ['waitlist rotate-recipient --new-identity folder/new.txt', 'database', 'secrets', 'folder'],
  ['waitlist erase person2@example.org', 'database'],
  ['waitlist expire --older-than 1', 'database'],
  ['waitlist erase --all --yes', 'database'],
  ['api-keys list', 'database'],
  ['api-keys purge-expired', 'database'],
  ['api-keys revoke 0123456789abcdef', 'database'],
  ['db check', 'database'],
  ['db backup folder/backup', 'database', 'folder'],
  ['db restore folder/backup --force', 'database'],
]

/** The other commands. */
const OTHERS: { readonly [words: string]: string } = {
  preview: 'test/preview expects its folder; it serves until it is stopped',
  'import statuspage': 'test/cli/import-statuspage.test.ts expects its file',
  versions: 'prints what the releases have, and their folder if that is nothing',
  show: 'prints what a version has',
  'tlog prove': 'names the file that it writes and the log',
  verify: 'acts on a URL',
  watch: 'acts on a URL',
  mirror: 'names the folder that it was given',
  doctor: 'acts on a URL; what it finds on the machine of the service has its place',
  'waitlist join': 'acts on a URL',
  'waitlist show': 'prints what is stored about a person',
  'db copy': 'test/storage/postgres.process.test.ts expects both databases',
  'signing-key record': 'prints a record',
  completion: 'prints a script',
}

/** The names of all commands of a table, with their actions. */
async function namesIn(table: CommandTable, start = ''): Promise<readonly string[]> {
  const names: string[] = []
  for (const [name, [, entry]] of Object.entries(table)) {
    const command = await loadCommand(entry)
    const whole = start + name
    if ('actions' in command) names.push(...(await namesIn(command.actions, `${whole} `)))
    else names.push(whole)
  }
  return names
}

test('every command that changes something prints the places that it acts on', async (t) => {
  const { folder, database, secretsDir } = await makeDeployment(t, (keys) =>
    sealedRegistrations(3, keys),
  )
  const places = {
    content: makeContent(t),
    releases: path.join(folder, 'releases'),
    secrets: secretsDir,
    database,
    folder,
  }
  const env = { SVC_CONTENT_DIR: places.content, SVC_RELEASES_DIR: places.releases }
  const idIn = (text: string) =>
    /\(([\w-]+)\):$/m.exec(text)?.[1] ??
    /^log \S+\+([0-9a-f]{8})\+/m.exec(text)?.[1] ??
    /^A\w+ signing key (\S+)/m.exec(text)?.[1]
  let id = ''
  for (const [words, ...named] of STEPS) {
    const args = words
      .split(' ')
      .map((word) => (word === '*' ? id : word.replace(/^folder\//, `${folder}/`)))
    const { status, out, error } = await svcIn(folder, args, { env })
    const text = out + error
    // No service responds to svc site, and the database has no key.
    assert.equal(
      status,
      words.startsWith('site') ? 3 : words.includes('revoke') ? 1 : 0,
      `${words}: ${text}`,
    )
    for (const place of named) assert.ok(text.includes(places[place]), `${words}: ${text}`)
    if (words !== 'tlog new-key') id = idIn(text) ?? id
  }
  const known = new Set([...STEPS.map(([words]) => words), ...Object.keys(OTHERS)])
  const isKnown = (name: string) =>
    [...known].some((words) => words === name || words.startsWith(`${name} `))
  assert.deepEqual(
    (await namesIn(COMMANDS)).filter((name) => !isKnown(name)),
    [],
  )
})
