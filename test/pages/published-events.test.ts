import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  createRecorder,
  recordKey,
  type PublishedRecord,
  type RecordedVersions,
} from '@public-api/contract/history/published-record'
import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { sha256Base64url } from '../../src/crypto/sha256.ts'
import { componentFeed } from '../../src/pages/addresses.ts'
import { keepRecord, recordedVersions } from '../../src/publishing/releases/published-versions.ts'
import { openReleaseStore, type ReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { chainedEntry } from '../support/made-entry.ts'
import { connectTools, mcpMissing } from '../support/mcp-client.ts'
import { textIn, parsePage } from '../support/page-markup.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { readSitemap } from '../support/read-sitemap.ts'
import { runApp } from '../support/running-app.ts'
import { createSeededRandom, type RandomBelow, seedOf } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Status = SnapshotData<'status'>
type Incident = Status['incidents'][number]
type Maintenance = NonNullable<Status['maintenances']>[number]

const HISTORIES = 8
const VERSIONS = 14
const START_MS = Date.parse('2026-10-20T00:00:00Z')
const DAY_MS = 86_400_000
const at = (day: number): string => new Date(START_MS + day * DAY_MS).toISOString()

/** What one version publishes: the status, and the incidents of its year that are not in it. */
interface Published {
  readonly listed: readonly Incident[]
  readonly past: readonly Incident[]
  readonly maintenances: readonly Maintenance[]
  /** Whether a component is there that comes and goes. */
  readonly hasExtra: boolean
}

const NOTHING: Published = { listed: [], past: [], maintenances: [], hasExtra: false }
const EXTRA = 'extra'

function incident(nth: number, day: number): Incident {
  const update = { at: at(day), state: 'investigating', text: 'We look.' } as const
  const components = ['read-api']
  const shared = { impact: 'minor', startedAt: at(day), components } as const
  return {
    id: `nth-${nth}`,
    title: `Number ${nth}`,
    state: update.state,
    ...shared,
    updates: [update],
  }
}

const resolved = (each: Incident, day: number): Incident => ({
  ...each,
  state: 'resolved',
  resolvedAt: at(day),
  updates: [{ at: at(day), state: 'resolved', text: 'Over.' }, ...each.updates],
})

function maintenance(nth: number, day: number): Maintenance {
  return {
    id: `work-${nth}`,
    title: `Work ${nth}`,
    state: 'scheduled',
    startsAt: at(day + 1),
    endsAt: at(day + 2),
    components: ['read-api'],
    updates: [{ at: at(day), state: 'scheduled', text: 'Planned.' }],
  }
}

const cancelled = (each: Maintenance, day: number): Maintenance => ({
  ...each,
  state: 'cancelled',
  updates: [{ at: at(day), state: 'cancelled', text: 'Not now.' }, ...each.updates],
})

/** What becomes of the maintenances: one is planned, cancelled or removed. */
function nextMaintenances(
  { maintenances }: Published,
  day: number,
  random: RandomBelow,
): readonly Maintenance[] {
  const pick = maintenances[random(Math.max(1, maintenances.length))]
  const kind = random(4)
  if (kind === 0 || pick === undefined) return [maintenance(day, day), ...maintenances]
  if (kind === 1) return maintenances.filter((each) => each !== pick)
  if (pick.state === 'cancelled') return maintenances
  return maintenances.map((each) => (each === pick ? cancelled(each, day) : each))
}

/**
 * One step of a history: open, resolve, edit by hand, move, remove, or roll back; maintenances change, and a component comes
 * or goes.
 */
function step(history: readonly Published[], day: number, random: RandomBelow): Published {
  const last = history.at(-1) ?? NOTHING
  const { listed, past } = last
  const pick = listed[random(Math.max(1, listed.length))]
  const replace = (now: readonly Incident[]) => ({ ...last, listed: now })
  const kind = random(11)
  if (kind === 8 || kind === 9) {
    return { ...last, maintenances: nextMaintenances(last, day, random) }
  }
  if (kind === 10) return { ...last, hasExtra: !last.hasExtra }
  if (kind < 3 || pick === undefined) return replace([incident(day, day), ...listed])
  const others = listed.filter((each) => each !== pick)
  if (kind === 3 && pick.state !== 'resolved') {
    return replace(listed.map((each) => (each === pick ? resolved(each, day) : each)))
  }
  if (kind === 4) {
    return replace(
      listed.map((each) => (each === pick ? { ...each, title: `${each.title}!` } : each)),
    )
  }
  if (kind === 5 && pick.state === 'resolved')
    return { ...last, listed: others, past: [pick, ...past] }
  if (kind === 6) return replace(others)
  return history[random(history.length)] ?? last
}

function writeHistory(t: TestContext, random: RandomBelow) {
  const store = openReleaseStore(path.join(temporaryFolder(t), 'releases'))
  const template = publishedReleases()
  const base = JSON.parse(template.head.json) as VersionEntry
  const own = Object.entries(base.resources).filter(([name]) => !name.startsWith('site/'))
  for (const [name, digest] of own) {
    store.writeResource(name, digest, template.readResource(name, digest)?.json ?? '')
  }
  const status = JSON.parse(template.resource('status')?.json ?? '') as Status
  const entries: VersionEntry[] = []
  const history: Published[] = []
  for (let day = 1; day <= VERSIONS; day += 1) {
    const published = step(history, day, random)
    history.push(published)
    const { listed, past, maintenances, hasExtra } = published
    const resources: { [name: string]: string } = Object.fromEntries(own)
    const write = (name: string, data: unknown): void => {
      const text = canonicalJson(data as JsonValue)
      resources[name] = sha256Base64url(text)
      store.writeResource(name, resources[name], text)
    }
    const [first] = status.components
    const components = hasExtra
      ? [...status.components, { ...first, id: EXTRA, name: 'Extra' }]
      : status.components
    const now = { components, incidents: listed, maintenances }
    write('status', { ...status, ...now, updatedAt: at(0), summary: `Day ${day}.` })
    if (past.length > 0) write('site/events/2026', { incidents: past })
    const changes = changesBetween(entries.at(-1)?.resources ?? {}, resources)
    const entry = chainedEntry(entries.at(-1), { ...base, createdAt: at(day), resources, changes })
    store.appendVersion(entry.snapshotId, canonicalJson({ ...entry }))
    entries.push(entry)
  }
  return { store, entries, history }
}

/** What the record must say of each item, from all versions at once. */
function expectedRecord(history: readonly Published[]) {
  const items = new Map<string, { changes: number; changedDay: number; removedDay?: number }>()
  const texts = new Map<string, string>()
  for (const [index, { listed, past, maintenances }] of history.entries()) {
    const day = index + 1
    const now = new Map<string, string>()
    for (const each of [...listed, ...past])
      now.set(recordKey('incidents', each.id), canonicalJson({ ...each }))
    for (const each of maintenances)
      now.set(recordKey('maintenances', each.id), canonicalJson({ ...each }))
    for (const [id, text] of now) {
      const known = items.get(id)
      if (texts.get(id) === text) continue
      items.set(id, { changes: (known?.changes ?? -1) + 1, changedDay: day })
    }
    for (const id of texts.keys()) {
      const known = items.get(id)
      if (known !== undefined && !now.has(id)) items.set(id, { ...known, removedDay: day })
    }
    texts.clear()
    for (const [id, text] of now) texts.set(id, text)
  }
  return items
}

interface ToolResult {
  readonly data: {
    readonly incidents: readonly { readonly id: string }[]
    readonly years?: readonly string[]
  }
}

interface Compared extends Pick<ReturnType<typeof writeHistory>, 'store' | 'history'> {
  readonly record: PublishedRecord
  readonly where: string
}

/** The incidents that an agent's tools give, those of the years included. */
async function incidentsOfTools(t: TestContext, store: ReleaseStore): Promise<readonly string[]> {
  // The tools have the clock of the machine.
  const app = await runApp(t, { releases: loadReleases(store), clock: { nowMs: Date.now } })
  const tools = await connectTools(t, app.origin)
  const read = async (args: object) => {
    const { text } = await tools.call('get_incidents', { ...args })
    return (JSON.parse(text) as ToolResult).data
  }
  const now = await read({})
  const past = await Promise.all((now.years ?? []).map((year) => read({ year })))
  await tools.close()
  return [now, ...past].flatMap(({ incidents }) => incidents.map(({ id }) => id)).toSorted()
}

/** Compares what every place says of the events with the record of all versions and with the newest one. */
async function comparePlaces(
  t: TestContext,
  { store, history, record: { items, components }, where }: Compared,
): Promise<void> {
  const { listed, past, maintenances, hasExtra } = history.at(-1) ?? NOTHING
  const published = [...listed, ...past].map(({ id }) => id).toSorted()
  const removedOf = (list: 'incidents' | 'maintenances') =>
    [...items]
      .filter(([key, { removedIn }]) => removedIn !== undefined && key.startsWith(list))
      .map(([key]) => key.slice(list.length + 1))
  const removed = removedOf('incidents')
  const planned = maintenances.map(({ id }) => id).toSorted()
  const withdrawn = removedOf('maintenances')
  const clock = { nowMs: () => START_MS + (VERSIONS + 1) * DAY_MS }
  const app = await runApp(t, { releases: loadReleases(store), clock })
  const read = async (file: string) => (await app.fetch(file)).text()
  const idsOf = (form: RegExp, text: string) =>
    [...new Set([...text.matchAll(form)].map(([, id]) => id ?? ''))].toSorted()
  const idsIn = (text: string) => idsOf(/status\/incidents\/(nth-\d+)/g, text)
  const workIn = (text: string) => idsOf(/status\/maintenances\/(work-\d+)/g, text)
  const everyone = [...published, ...removed].toSorted()
  const everyWork = [...planned, ...withdrawn].toSorted()
  const months = await Promise.all(
    ['2026-10', '2026-11'].map((month) => read(`/en/status/${month}`)),
  )
  assert.deepEqual(idsIn(months.join('')), everyone, `${where}: months`)
  assert.deepEqual(workIn(months.join('')), everyWork, `${where}: months`)
  const rows = months.flatMap((month) => parsePage(month).all('.events li'))
  const running = rows.filter((row) => row.querySelector('[data-elapsed]') !== null)
  const open = [...listed, ...past].filter(({ state }) => state !== 'resolved')
  // What was removed while it was open does not go on.
  assert.deepEqual(
    [...new Set(running.map((row) => /Number (\d+)/.exec(textIn(row))?.[1] ?? ''))].toSorted(),
    open.map(({ id }) => id.slice('nth-'.length)).toSorted(),
    `${where}: durations that go on`,
  )
  for (const feed of ['status.json', 'status.atom', 'status/components/read-api.json']) {
    const text = await read(`/th/${feed}`)
    assert.deepEqual(idsIn(text), everyone, `${where}: ${feed}`)
    assert.deepEqual(workIn(text), everyWork, `${where}: ${feed}`)
  }
  const calendar = (await read('/th/maintenance.ics')).replaceAll('\r\n ', '')
  const off = calendar.split('BEGIN:VEVENT').filter((each) => each.includes('STATUS:CANCELLED'))
  const isOff = ({ state }: Maintenance) => state === 'cancelled'
  const gone = [...maintenances.filter(isOff).map(({ id }) => id), ...withdrawn].toSorted()
  assert.deepEqual(workIn(calendar), everyWork, `${where}: calendar`)
  assert.deepEqual(workIn(off.join('')), gone, `${where}: calendar`)
  const hadExtra = components.has(EXTRA)
  const extra = await app.fetch(`/en/${componentFeed(EXTRA)}.atom`)
  assert.equal(extra.status, hasExtra ? 200 : hadExtra ? 410 : 404, where)
  if (extra.status === 410) {
    const { items: feedItems } = (await (
      await app.fetch(`/zh-CN/${componentFeed(EXTRA)}.json`)
    ).json()) as { items: readonly { title: string }[] }
    assert.deepEqual(
      feedItems.map(({ title }) => title),
      [`组件 ${EXTRA} 已移除`],
    )
  }
  const upstream = await read('/statuspage/api/v2/scheduled-maintenances.json')
  // The format has no word for a cancelled maintenance.
  const stands = maintenances.filter((each) => !isOff(each)).map(({ id }) => id)
  assert.deepEqual(workIn(upstream), stands.toSorted(), where)
  assert.deepEqual(idsIn(await read('/statuspage/api/v2/incidents.json')), published, where)
  if (mcpMissing === undefined) {
    assert.deepEqual(await incidentsOfTools(t, store), published, `${where}: tools of agents`)
  }
  const sitemap = await readSitemap(read)
  assert.deepEqual(idsIn(sitemap), published, `${where}: sitemap`)
  assert.deepEqual(workIn(sitemap), planned, `${where}: sitemap`)
  const page = parsePage(await read('/en/status'))
  const recent = page.all('.events li').map(textIn).join('\n')
  // All of them are of the last 14 days: what is neither open nor listed there would have vanished.
  for (const id of removed.slice(0, 5)) {
    assert.ok(recent.includes(`Number ${id.slice('nth-'.length)}`), `${where}: ${id} on the page`)
    assert.equal((await app.fetch(`/en/status/incidents/${id}`)).status, 410, `${where}: ${id}`)
  }
  const paths = [
    ...published.map((id) => [`incidents/${id}`, 200] as const),
    ...planned.map((id) => [`maintenances/${id}`, 200] as const),
    ...withdrawn.map((id) => [`maintenances/${id}`, 410] as const),
  ]
  for (const [below, expected] of paths) {
    const { status } = await app.fetch(`/en/status/${below}`)
    assert.equal(status, expected, `${where}: ${below}`)
  }
}

test('every place says the same of the events of random histories, moved and removed ones included', async (t) => {
  const seed = seedOf('EVENTS_SEED')
  for (let nth = 0; nth < HISTORIES; nth += 1) {
    const random = createSeededRandom(seed + nth)
    const { store, entries, history } = writeHistory(t, random)
    const where = `EVENTS_SEED=${seed}, history ${nth}`
    const whole = createRecorder()
    const record = whole.read(recordedVersions(store, entries))
    for (const [id, { changes, changedDay, removedDay }] of expectedRecord(history)) {
      const found = record.items.get(id)
      assert.deepEqual(
        [found?.changes, found?.changedAt, found?.removedAt],
        [changes, at(changedDay), removedDay === undefined ? undefined : at(removedDay)],
        `${where}: ${id}`,
      )
    }
    // Continued by other processes from what each kept, it is the same.
    let kept: string | undefined
    for (let end = 1; end <= VERSIONS; end += 1 + random(3)) {
      const versions: RecordedVersions = recordedVersions(store, entries.slice(0, end), () => kept)
      const next = createRecorder()
      next.read(versions)
      kept = next.format()
    }
    const last = createRecorder()
    last.read(recordedVersions(store, entries, () => kept))
    assert.equal(last.format(), whole.format(), where)

    store.writeRecord(kept ?? '')
    await comparePlaces(t, { store, history, record, where })

    // What a redaction removes is gone from each place, also where only it said that there had been such an item.
    const newest = entries.at(-1)?.resources['status']
    const old = [...new Set(entries.map(({ resources }) => resources['status'] ?? ''))]
    const some = old.filter((digest) => digest !== newest && random(3) === 0)
    for (const digest of some) {
      store.redactResource('status', digest, { redactedAt: at(VERSIONS), reason: 'A name' })
    }
    if (some.length === 0) continue
    keepRecord(store, entries)
    const left = createRecorder().read(recordedVersions(store, entries))
    const again = createRecorder()
    again.read(recordedVersions(store, entries, () => store.readRecord()))
    assert.equal(again.format(), store.readRecord(), where)
    await comparePlaces(t, {
      store,
      history,
      record: left,
      where: `${where}, ${some.length} redacted`,
    })
  }
})
