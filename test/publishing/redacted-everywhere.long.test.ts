import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { filesBelow, findNeedles, needlesOfText } from '../support/leak-search.ts'
import { connectTools, mcpMissing } from '../support/mcp-client.ts'
import { succeeded, svc, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeContent, ORGANIZATION, writeContent } from './content-fixture.ts'

const MARK = 'Zanzibarov'
const NEEDLES = needlesOfText('the mark', MARK)
const SERVICE = { SVC_BASE_URL: 'https://api.example.org' }
const TEXT_FIELD = /(["']?(?:title|summary|text|role|data|note|description)["']?: ?"?)(?=[A-Z])/g

function filesWithMark(folder: string): readonly string[] {
  return [...filesBelow(folder)].flatMap(([file, bytes]) =>
    findNeedles(Buffer.concat([bytes, Buffer.from(file)]), NEEDLES).length === 0
      ? []
      : [path.relative(folder, file)],
  )
}

/** No tool of an agent finds the mark, in whichever place. */
async function assertToolsWithout(t: TestContext, origin: string): Promise<void> {
  const client = await connectTools(t, origin)
  const names = ['status', 'incidents', 'roadmap', 'queue', 'changelog', 'architecture']
  for (const [name, given] of [
    ...names.map((each) => [`get_${each}`, {}] as const),
    ['get_history_entry', { snapshotId: 'VS-0002' }] as const,
    ['audit', {}] as const,
  ]) {
    const { isError, text } = await client.call(name, given)
    assert.equal(isError, false, `${name}: ${text}`)
    assert.deepEqual(findNeedles(Buffer.from(text), NEEDLES), [], name)
  }
  const { text } = await client.call('search', { query: MARK })
  assert.equal((JSON.parse(text) as { data: { count: number } }).data.count, 0)
}

interface Redacted {
  readonly places: readonly { readonly kind: string; readonly place: string }[]
}

test('what is removed stands nowhere but where svc redact said', async (t) => {
  const folder = temporaryFolder(t)
  const content = makeContent(t)
  const [releases, copy, clean] = ['releases', 'copy', 'clean'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string]
  const publication = ['--content', content, '--releases', releases, '--no-cards']
  const publish = async (...args: readonly string[]) =>
    succeeded(await svc(...args, ...publication))
  const site = async () => succeeded(await svcIn(folder, ['site', 'copy'], { env: SERVICE }))

  // Few languages and pages: drawing takes most of the time.
  writeContent(content, 'organization.yaml', `${ORGANIZATION}site: { languages: [en] }\n`)
  const cardsOf = () => new Set(readdirSync(path.join(releases, 'cards')))
  succeeded(await svc('publish', '--auto-note', '--create', ...publication.slice(0, -1)))
  const first = cardsOf()
  cpSync(content, clean, { recursive: true })

  // A mark in every text of every resource, in a translation, in an incident by command, and in an edit that is discarded.
  for (const [file, bytes] of filesBelow(content, (each) => path.basename(each).startsWith('.'))) {
    writeFileSync(file, bytes.toString().replaceAll(TEXT_FIELD, `$1${MARK} `))
  }
  const organization = path.join(content, 'organization.yaml')
  const named = readFileSync(organization, 'utf8').replaceAll('Meridian', MARK)
  writeFileSync(organization, named)
  succeeded(await svc('publish', '--auto-note', ...publication.slice(0, -1)))
  const drawn = cardsOf().difference(first)
  assert.ok(drawn.size > 3, 'cards are pictures of the name')
  await publish(
    'incident',
    'open',
    '--title',
    `Ask ${MARK}`,
    '--impact',
    'minor',
    '--publish',
    '--text',
    `${MARK} of berth nine answers.`,
    '--summary',
    `${MARK} looks.`,
    '--component',
    'read-api=degraded',
  )
  const [, id = ''] =
    /id: (ask-zanzibarov-\S+)/.exec(readFileSync(path.join(content, 'status.yaml'), 'utf8')) ?? []
  assert.notEqual(id, '')
  writeContent(content, 'th/status.yaml', `incidents:\n  ${id}:\n    title: ถาม ${MARK}\n`)
  await publish('publish', '--auto-note')
  await publish(
    'maintenance',
    'schedule',
    '--title',
    `By ${MARK}`,
    '--text',
    `${MARK} replaces a disk.`,
    '--from',
    '2099-02-03T04:05:06Z',
    '--to',
    '2099-02-03T05:05:06Z',
    '--component',
    'read-api',
    '--publish',
  )
  await site()
  assert.ok(filesWithMark(copy).length > 20)
  rmSync(path.join(content, 'th', 'status.yaml'))
  succeeded(await svc('discard', '--yes', '--content', content, '--releases', releases))
  writeFileSync(
    path.join(content, 'roadmap.yaml'),
    readFileSync(path.join(content, 'roadmap.yaml'), 'utf8').replace('Writing', `${MARK} two`),
  )
  succeeded(await svc('discard', '--yes', '--content', content, '--releases', releases))

  // Everything is taken back, and redacted.
  rmSync(path.join(content, 'th'), { recursive: true })
  for (const [file, bytes] of filesBelow(clean, (each) => path.basename(each).startsWith('.'))) {
    writeFileSync(path.join(content, path.relative(clean, file)), bytes)
  }
  await publish('publish', '--auto-note')
  const store = openReleaseStore(releases)
  const read = (snapshotId: string) =>
    JSON.parse(store.readVersionText(snapshotId)) as { resources: { [name: string]: string } }
  const ids = store.readVersionIds()
  const newest = read(ids.at(-1) ?? '').resources
  const where = ['--content', content, '--releases', releases]
  const redacted = new Set<string>()
  const said: Redacted['places'][number][] = []
  for (const snapshotId of ids) {
    for (const [name, digest] of Object.entries(read(snapshotId).resources)) {
      if (newest[name] === digest || redacted.has(digest)) continue
      if (!store.readResourceText(name, digest).includes(MARK)) continue
      const args = ['redact', snapshotId, name, '--reason', 'A name', '--yes', '--json']
      // Reading the copy takes a while.
      const folders = name === 'status' ? [...where, '--copy', copy] : where
      const outcome = await svc(...args, ...folders)
      said.push(...(JSON.parse(succeeded(outcome)) as Redacted).places)
      redacted.add(digest)
    }
  }
  assert.ok(redacted.size > 8, `${redacted.size} resources`)
  await site()

  for (const folderWithCards of [path.join(releases, 'cards'), path.join(copy, 'cards')]) {
    const left = existsSync(folderWithCards) ? readdirSync(folderWithCards) : []
    assert.deepEqual(
      left.filter((each) => drawn.has(each)),
      [],
      folderWithCards,
    )
  }
  assert.deepEqual(filesWithMark(releases), [])
  assert.deepEqual(filesWithMark(copy), [])
  const left = filesWithMark(content)
  assert.ok(left.length > 0)
  const places = new Set(said.map(({ place }) => place))
  for (const file of left) {
    assert.match(file, /^\.discarded/)
    assert.ok(places.has(path.join(content, file)), file)
  }
  assert.ok(said.some(({ kind, place }) => kind === 'file' && place.startsWith(copy)))
  assert.ok(said.every(({ kind }) => kind !== 'note'))
  assert.equal((await svc('find', MARK, '--releases', releases)).status, 1)

  const app = await runApp(t, {
    releases: loadReleases(store),
    clock: { nowMs: Date.now },
  })
  for (const { method, path: target } of Object.values(ENDPOINTS).filter(
    (each) => each.method === 'GET',
  )) {
    const response = await app.fetch(target)
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.deepEqual(findNeedles(bytes, NEEDLES), [], `${method} ${target}`)
  }
  assert.deepEqual(findNeedles(Buffer.from(JSON.stringify(app.log)), NEEDLES), [])
  if (mcpMissing === undefined) await assertToolsWithout(t, app.origin)
})
