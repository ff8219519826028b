import { mkdirSync } from 'node:fs'
import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { pastEventsResource } from '@public-api/contract/snapshots/past-events'
import type { PastEvents } from '@public-api/contract/snapshots/past-events-schema'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  TRANSLATION_LOCALES,
  translationResource,
} from '@public-api/contract/snapshots/translations'
import { DAY_MS } from '@public-api/contract/text/instant'
import { sha256Base64url } from '../src/crypto/sha256.ts'
import { agedEvents } from '../src/publishing/editing/move-aged-events.ts'
import { keepRecord } from '../src/publishing/releases/published-versions.ts'
import { openReleaseStore } from '../src/releases/release-store.ts'
import { chainedEntry } from '../test/support/made-entry.ts'

type Status = SnapshotData<'status'>
type Incident = Status['incidents'][number]

export const COMPONENTS = 40
const YEARS_MS = 5 * 365 * DAY_MS
const WORDS =
  'Answers of the read endpoints are slow for some readers while a full disk is cleared today'

const at = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '')

/** The size of an organization's history. */
export interface OrganizationSize {
  readonly versions: number
  readonly incidents: number
}

type Store = ReturnType<typeof openReleaseStore>

function newestEntry(store: Store): VersionEntry | undefined {
  const id = store.readVersionIds().at(-1)
  return id === undefined ? undefined : (JSON.parse(store.readVersionText(id)) as VersionEntry)
}

/** An incident after one to three of its updates of 16 words. */
function incidentAt(nth: number, startMs: number, updates: number, component: string): Incident {
  const states = ['investigating', 'identified', 'resolved'] as const
  const shown = states.slice(0, updates).map((state, index) => ({
    at: at(startMs + index * 1_200_000),
    state,
    text: `${WORDS}.`,
  }))
  const end = shown[2]?.at
  return {
    id: `slow-answers-${nth}`,
    title: `Slow answers of ${component} (${nth})`,
    state: states[updates - 1] ?? 'resolved',
    impact: 'minor',
    startedAt: at(startMs),
    ...(end === undefined ? {} : { resolvedAt: end }),
    components: [component],
    updates: shown.toReversed(),
  }
}

/**
 * Writes the releases of an organization of five years: each incident is opened, updated and resolved in versions of their
 * own, as far as there are versions, and moves to its year as publishing moves it. Other versions change the queue. The
 * newest version has translations of every incident.
 */
export function writeOrganization(
  fromDir: string,
  releasesDir: string,
  { versions, incidents }: OrganizationSize,
): void {
  const endMs = Date.now()
  mkdirSync(releasesDir, { recursive: true })
  const [template, store] = [openReleaseStore(fromDir), openReleaseStore(releasesDir)]
  const base = newestEntry(template)
  if (base === undefined) throw new RangeError('expected releases with a version')
  const read = (name: string) => template.readResourceText(name, base.resources[name] ?? '')
  for (const [name, digest] of Object.entries(base.resources)) {
    store.writeResource(name, digest, read(name))
  }
  const entries: VersionEntry[] = []
  let resources = { ...base.resources }
  const write = (name: string, data: unknown): void => {
    const text = canonicalJson(data as JsonValue)
    const digest = sha256Base64url(text)
    store.writeResource(name, digest, text)
    resources = { ...resources, [name]: digest }
  }
  const first = (JSON.parse(read('status')) as Status).components[0]
  const all = Array.from({ length: COMPONENTS }, (_, index) => ({
    ...first,
    id: `component-${index}`,
    name: `Component ${index}`,
    group: `Group ${index % 8}`,
    state: 'operational' as const,
    since: at(endMs - YEARS_MS),
  })) as unknown as Status['components']
  const calm: Status = {
    ...(JSON.parse(read('status')) as Status),
    state: 'operational',
    components: all,
    incidents: [],
    maintenances: [],
  }
  let listed: readonly Incident[] = []
  const queue = JSON.parse(read('development-queue')) as { readonly summary: string }
  const years = new Map<string, PastEvents>()
  const steps = Math.min(3, Math.max(1, Math.floor((versions - 1) / Math.max(1, incidents))))
  const every = (versions - 1) / Math.max(1, incidents * steps)
  let done = 0
  for (let nth = 0; nth < versions; nth += 1) {
    const nowMs = endMs - YEARS_MS + (YEARS_MS * (nth + 1)) / versions
    const before = done
    while (done < incidents * steps && done * every < nth) {
      const number = Math.floor(done / steps)
      const updates = steps === 1 ? 3 : (done % steps) + 1
      const open = listed.find(({ id }) => id === `slow-answers-${number}`)
      const startMs = open === undefined ? nowMs - 3_600_000 : Date.parse(open.startedAt)
      const incident = incidentAt(
        number,
        startMs,
        updates === steps ? 3 : updates,
        `component-${number % COMPONENTS}`,
      )
      const others = listed.filter(({ id }) => id !== incident.id)
      listed = [incident, ...others]
      done += 1
    }
    if (done === before)
      write('development-queue', { ...queue, summary: `${queue.summary} ${nth}` })
    else {
      const status = { ...calm, updatedAt: at(nowMs), incidents: listed }
      const aged = agedEvents(status, nowMs)
      const ids = new Set(aged.map(({ id }) => id))
      for (const { id, year } of aged.toReversed()) {
        const known = years.get(year)?.incidents ?? []
        years.set(year, {
          incidents: [...status.incidents.filter((each) => each.id === id), ...known],
        })
      }
      for (const year of new Set(aged.map((each) => each.year))) {
        write(pastEventsResource(year), years.get(year))
      }
      listed = listed.filter(({ id }) => !ids.has(id))
      write('status', { ...status, incidents: listed })
    }
    if (nth === versions - 1) {
      const overlay = (list: readonly Incident[]) => ({
        incidents: Object.fromEntries(
          list.map(({ id, updates }) => [
            id,
            {
              title: `คำตอบช้า ${id}`,
              updates: Object.fromEntries(
                updates.map((each) => [
                  each.at,
                  { text: 'คำตอบของการอ่านช้าสำหรับผู้อ่านบางคน '.repeat(2).trim() },
                ]),
              ),
            },
          ]),
        ),
      })
      for (const locale of TRANSLATION_LOCALES) {
        write(translationResource(locale), {
          locale,
          resources: { status: overlay(listed) },
        })
        for (const [year, { incidents: list = [] }] of years) {
          write(`site/translations/${locale}/events/${year}`, {
            locale,
            resources: { [pastEventsResource(year)]: overlay(list) },
          })
        }
      }
    }
    const changes = changesBetween(entries.at(-1)?.resources ?? {}, resources)
    const entry = chainedEntry(entries.at(-1), {
      ...base,
      createdAt: new Date(nowMs).toISOString(),
      resources,
      changes,
    })
    store.appendVersion(entry.snapshotId, canonicalJson({ ...entry }))
    entries.push(entry)
  }
  keepRecord(store, entries)
}

// npx node bench/organization.ts FOLDER VERSIONS INCIDENTS
if (import.meta.main) {
  const [folder = '', versions, incidents] = process.argv.slice(2)
  const size = { versions: Number(versions), incidents: Number(incidents) }
  writeOrganization(`${import.meta.dirname}/../releases`, folder, size)
}
