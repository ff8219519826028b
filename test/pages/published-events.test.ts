import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  createRecorder,
  recordKey,
  type RecordedVersions,
} from '@public-api/contract/history/published-record'
import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { sha256Base64url } from '../../src/crypto/sha256.ts'
import { recordedVersions } from '../../src/publishing/releases/published-versions.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { chainedEntry } from '../support/made-entry.ts'
import { textIn, parsePage } from '../support/page-markup.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { readSitemap } from '../support/read-sitemap.ts'
import { runApp } from '../support/running-app.ts'
import { createSeededRandom, type RandomBelow, seedOf } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Status = SnapshotData<'status'>
type Incident = Status['incidents'][number]

const HISTORIES = 10
const VERSIONS = 14
const START_MS = Date.parse('2026-10-20T00:00:00Z')
const DAY_MS = 86_400_000
const at = (day: number): string => new Date(START_MS + day * DAY_MS).toISOString()

/** What one version publishes: the status, and the incidents of its year that are not in it. */
interface Published {
  readonly listed: readonly Incident[]
  readonly past: readonly Incident[]
}

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

/** One step of a history: open, resolve, edit by hand, move, remove, or roll back. */
function step(history: readonly Published[], day: number, random: RandomBelow): Published {
  const { listed, past } = history.at(-1) ?? { listed: [], past: [] }
  const pick = listed[random(Math.max(1, listed.length))]
  const replace = (now: readonly Incident[]) => ({ listed: now, past })
  const kind = random(8)
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
  if (kind === 5 && pick.state === 'resolved') return { listed: others, past: [pick, ...past] }
  if (kind === 6) return replace(others)
  return history[random(history.length)] ?? { listed, past }
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
    const { listed, past } = published
    const resources: { [name: string]: string } = Object.fromEntries(own)
    const write = (name: string, data: unknown): void => {
      const text = canonicalJson(data as JsonValue)
      resources[name] = sha256Base64url(text)
      store.writeResource(name, resources[name], text)
    }
    write('status', { ...status, incidents: listed, updatedAt: at(0), summary: `Day ${day}.` })
    if (past.length > 0) write('site/events/2026', { incidents: past })
    const changes = changesBetween(entries.at(-1)?.resources ?? {}, resources)
    const entry = chainedEntry(entries.at(-1), { ...base, createdAt: at(day), resources, changes })
    store.appendVersion(entry.snapshotId, canonicalJson({ ...entry }))
    entries.push(entry)
  }
  return { store, entries, history }
}

/** What the record must say, from all versions at once. */
function expectedRecord(history: readonly Published[]) {
  const items = new Map<string, { changes: number; changedDay: number; removedDay?: number }>()
  const texts = new Map<string, string>()
  for (const [index, { listed, past }] of history.entries()) {
    const day = index + 1
    const now = new Map([...listed, ...past].map((each) => [each.id, canonicalJson({ ...each })]))
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

test('every place says the same of the events of random histories, moved and removed ones included', async (t) => {
  const seed = seedOf('EVENTS_SEED')
  for (let nth = 0; nth < HISTORIES; nth += 1) {
    const random = createSeededRandom(seed + nth)
    const { store, entries, history } = writeHistory(t, random)
    const where = `EVENTS_SEED=${seed}, history ${nth}`
    const whole = createRecorder()
    const { items } = whole.read(recordedVersions(store, entries))
    for (const [id, { changes, changedDay, removedDay }] of expectedRecord(history)) {
      const found = items.get(recordKey('incidents', id))
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

    const { listed, past } = history.at(-1) ?? { listed: [], past: [] }
    const published = [...listed, ...past].map(({ id }) => id).toSorted()
    const removed = [...expectedRecord(history)]
      .filter(([, { removedDay }]) => removedDay !== undefined)
      .map(([id]) => id)
    store.writeRecord(kept ?? '')
    const clock = { nowMs: () => START_MS + (VERSIONS + 1) * DAY_MS }
    const app = await runApp(t, { releases: loadReleases(store), clock })
    const read = async (file: string) => (await app.fetch(file)).text()
    const idsIn = (text: string) =>
      [
        ...new Set([...text.matchAll(/status\/incidents\/(nth-\d+)/g)].map(([, id]) => id ?? '')),
      ].toSorted()
    const everyone = [...published, ...removed].toSorted()
    const months = await Promise.all(
      ['2026-10', '2026-11'].map((month) => read(`/en/status/${month}`)),
    )
    assert.deepEqual(idsIn(months.join('')), everyone, `${where}: months`)
    for (const feed of ['status.json', 'status.atom', 'status/components/read-api.json']) {
      assert.deepEqual(idsIn(await read(`/th/${feed}`)), everyone, `${where}: ${feed}`)
    }
    assert.deepEqual(idsIn(await read('/statuspage/api/v2/incidents.json')), published, where)
    assert.deepEqual(idsIn(await readSitemap(read)), published, `${where}: sitemap`)
    const page = parsePage(await read('/en/status'))
    const recent = page.all('.events li').map(textIn).join('\n')
    // All of them are of the last 14 days: what is neither open nor listed there would have vanished.
    for (const id of removed.slice(0, 5)) {
      assert.ok(recent.includes(`Number ${id.slice('nth-'.length)}`), `${where}: ${id} on the page`)
      assert.equal((await app.fetch(`/en/status/incidents/${id}`)).status, 410, `${where}: ${id}`)
    }
    for (const id of published) {
      assert.equal((await app.fetch(`/en/status/incidents/${id}`)).status, 200, `${where}: ${id}`)
    }
  }
})
