import { isDeepStrictEqual } from 'node:util'
import { CommandFailure } from '@public-api/cli-kit/command'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { COMPONENT_STATES } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  STATUSPAGE_COMPONENT_STATUS,
  STATUSPAGE_ID,
  STATUSPAGE_INDICATOR,
} from '@public-api/contract/snapshots/statuspage'
import { KEBAB_ID_PATTERN } from '@public-api/contract/terms/identifier-patterns'
import { formatInstant, parseInstant } from '@public-api/contract/text/instant'
import { parse, stringify } from 'yaml'
import { schemaLine } from '../../publishing/compile/editor-schemas.ts'
import { slugFrom } from '../../publishing/editing/edit-status.ts'
import { plainMarkdown } from '../../publishing/imports/markdown-text.ts'
import { bestOverallState, type ComponentState } from '../../publishing/rules/status-rules.ts'
import { PLACEHOLDER_MARK } from '../../publishing/rules/value-rules.ts'

/** A member that is one word; empty if it is another value. */
function wordOf(value: unknown, name: string): string {
  const word = propertyOf(value, name)
  return typeof word === 'string' ? word : ''
}

/** The documents are not those of a Statuspage. */
export class StatuspageError extends CommandFailure {
  constructor(reason: string) {
    super('STATUSPAGE', `not the documents of a Statuspage: ${reason}`)
  }
}

const ourStates = (theirs: { readonly [State in ComponentState]: string }) =>
  new Map(COMPONENT_STATES.map((state) => [theirs[state], state]))
const COMPONENT_STATE: ReadonlyMap<string, ComponentState> = ourStates(STATUSPAGE_COMPONENT_STATUS)
const OVERALL_STATE: ReadonlyMap<string, ComponentState> = ourStates(STATUSPAGE_INDICATOR)
/** States with another name here. All others have the same, or are mistakes that `svc check` names. */
const EVENT_STATE: ReadonlyMap<string, string> = new Map([
  ['postmortem', 'resolved'],
  ['verifying', 'in_progress'],
])

/** The members of each object that are read. Every other one with a value is reported. */
const READ = {
  document: 'page status components incidents scheduled_maintenances',
  page: 'updated_at',
  status: 'indicator description',
  // Groups list their components, and each component names its group.
  component:
    'id name description status updated_at position group group_id components only_show_if_degraded',
  incident: 'id name status impact started_at resolved_at updated_at incident_updates components',
  maintenance:
    'id name status updated_at scheduled_for scheduled_until incident_updates components',
  update: 'status body display_at',
} as const

/** The newest incidents that `/api/v2/incidents.json` has. */
const LISTED_INCIDENTS = 50

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

/** A text without the markup that some pages have in it. */
function plainText(markup: string): string {
  return markup
    .replaceAll(/<(?:br|\/p|\/li|\/div)\b[^<>]{0,300}>/gi, '\n')
    .replaceAll(/<\/?[a-z][^<>]{0,300}>/gi, '')
    .replaceAll(/&(?:#(\d{1,7})|([a-z]{2,4}));/gi, (whole, code?: string, name?: string) => {
      if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole
      return Number(code) <= 0x10_ff_ff ? String.fromCodePoint(Number(code)) : whole
    })
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
}

/** The text of status.yaml. */
export function formatStatus(status: JsonValue): string {
  const text = stringify(status, { lineWidth: 100 })
  // Some texts of white space change in block style.
  const isSame = isDeepStrictEqual(parse(text), status)
  const quoted = { defaultStringType: 'QUOTE_DOUBLE', lineWidth: 0 } as const
  return `${schemaLine('status.yaml')}\n${isSame ? text : stringify(status, quoted)}`
}

const idOf = (value: unknown): string => {
  const id = propertyOf(value, 'id')
  if (typeof id === 'string' && id !== '') return id
  throw new StatuspageError('an item has no id')
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = propertyOf(value, name) ?? []
  if (!Array.isArray(list)) throw new StatuspageError(`${name} is not a list`)
  const items = list as readonly unknown[]
  const wrong = items.findIndex((item) => typeof item !== 'object' || item === null)
  if (wrong === -1) return items
  throw new StatuspageError(`${name}[${wrong}] is not an object`)
}

/** The first of these members that is a time, in UTC. A value that is not a time is kept: `svc check` names it. */
function timeOf(value: unknown, ...names: readonly string[]): string | undefined {
  const text = names.map((name) => propertyOf(value, name)).find((each) => typeof each === 'string')
  if (typeof text !== 'string') return undefined
  // Date.parse reads 30 February as 2 March.
  const [, seconds] = /^(.{19})(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  const ms = parseInstant(`${seconds}Z`) === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(ms) ? text : formatInstant(ms).replace(/\.000Z$/, 'Z')
}

const newestFirst = <Item>(items: readonly Item[], timeOfItem: (item: Item) => string) =>
  items.toSorted((a, b) => Date.parse(timeOfItem(b)) - Date.parse(timeOfItem(a)))

/** Events of all documents, each once, in its newest state. */
function eventsIn(documents: readonly unknown[], name: string): readonly unknown[] {
  const byId = new Map<string, unknown>()
  for (const event of documents.flatMap((document) => listIn(document, name))) {
    const known = byId.get(idOf(event))
    const changedMs = (value: unknown) => Date.parse(timeOf(value, 'updated_at') ?? '') || 0
    if (known === undefined || changedMs(event) > changedMs(known)) byId.set(idOf(event), event)
  }
  return [...byId.values()]
}

const OUR_ID = new RegExp(KEBAB_ID_PATTERN)

/**
 * Reads members of the documents, and counts what is not imported as it is. The page of a service like this one has plain
 * texts and our ids, and its other members follow from those that are read.
 */
function createReader(isOurs: boolean) {
  const counts = new Map<string, number>()
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)

  function textOf(value: unknown, name: string): string | undefined {
    const text = propertyOf(value, name)
    if (typeof text !== 'string') return undefined
    const whole = text.replaceAll(/\r\n?/g, '\n').trim()
    const plain = isOurs ? whole : plainText(whole).trim()
    if (plain !== whole) count('texts with markup: imported without it')
    return plain === '' ? undefined : plain
  }

  return {
    isOurs,
    counts,
    count,
    textOf,

    /** The id of an item: its own on a page like ours, else one from its title. */
    claimId(
      taken: Set<string>,
      item: unknown,
      ...from: readonly [title: string, kind: string, instant?: string]
    ) {
      const own = idOf(item)
      const id = isOurs && OUR_ID.test(own) && !taken.has(own) ? own : slugFrom(taken, ...from)
      taken.add(id)
      return id
    },

    /** Counts the members with a value that are not read. */
    reportUnread(value: unknown, kind: keyof typeof READ, path: string, alsoRead?: string): void {
      if (isOurs) return
      for (const name of Object.keys(Object(value) as object)) {
        const member = propertyOf(value, name)
        const isEmpty =
          member === null || member === '' || (Array.isArray(member) && !member.length)
        if (isEmpty || name === alsoRead || READ[kind].split(' ').includes(name)) continue
        count(`${path}${name.replaceAll(/[^\w-]/g, '?').slice(0, 60)}: not imported`)
      }
    },

    /** A text that readers see; without one, a placeholder that `svc check` refuses. */
    requireText(value: unknown, name: string, what: string): string {
      const text = textOf(value, name)
      if (text !== undefined) return text
      count(`missing texts, each now ${JSON.stringify(`${PLACEHOLDER_MARK} ${what}`)}`)
      return `${PLACEHOLDER_MARK} ${what}`
    },
  }
}

type Reader = ReturnType<typeof createReader>

/** The components in the order of the page, and the id of each by its id there. */
function readComponents(reader: Reader, list: readonly unknown[], nowMs: number) {
  const ids = new Map<string, string>()
  const taken = new Set<string>()
  const isGroup = (value: unknown) => propertyOf(value, 'group') === true
  const groups = new Map(list.filter(isGroup).map((group) => [idOf(group), group]))
  const position = (value: unknown): number => {
    const place = propertyOf(value, 'position')
    return typeof place === 'number' ? place : 0
  }
  const groupOf = (value: unknown) => groups.get(wordOf(value, 'group_id'))
  for (const group of groups.values()) {
    if (reader.textOf(group, 'description') !== undefined)
      reader.count('components[].description of groups: not imported')
  }
  const placeOnPage = (value: unknown) =>
    position(reader.isOurs ? value : (groupOf(value) ?? value))
  const ordered = list
    .filter((each) => !isGroup(each))
    .toSorted((a, b) => placeOnPage(a) - placeOnPage(b) || position(a) - position(b))
  const components = ordered.map((component) => {
    if (propertyOf(component, 'only_show_if_degraded') === true)
      reader.count('components that are hidden while operational: imported, and always shown')
    const place = groupOf(component)
    const name = reader.requireText(component, 'name', 'The name of a component.')
    const group = place === undefined ? undefined : reader.textOf(place, 'name')
    const title = group === undefined ? name : `${group} ${name}`
    const id = reader.claimId(taken, component, title, 'component')
    ids.set(idOf(component), id)
    const status = wordOf(component, 'status')
    return {
      id,
      name,
      ...(group === undefined ? {} : { group }),
      summary: reader.requireText(component, 'description', 'What the component does.'),
      state: COMPONENT_STATE.get(status) ?? status,
      since: timeOf(component, 'updated_at') ?? formatInstant(nowMs),
    }
  })
  if (components.length > 0 && !reader.isOurs)
    reader.count('components[].since: the time of the last change of the component')
  return { components, ids }
}

/** What incidents and maintenances share. */
function readEvent(reader: Reader, event: unknown, ids: ReadonlyMap<string, string>, path: string) {
  const stateFrom = (text: string): string => {
    const state = EVENT_STATE.get(text)
    if (state !== undefined) reader.count(`the state ${text}: imported as ${state}`)
    return state ?? text
  }
  const updates = listIn(event, 'incident_updates').map((update) => {
    const isShown = typeof propertyOf(update, 'display_at') === 'string'
    const place = `${path}[].incident_updates[].`
    reader.reportUnread(update, 'update', place, isShown ? undefined : 'created_at')
    const [status, text] = [
      wordOf(update, 'status'),
      reader.requireText(update, 'body', 'The text of an update.'),
    ]
    return {
      at: timeOf(update, 'display_at', 'created_at') ?? '',
      state: stateFrom(status),
      // Statuspage shows reports as Markdown, and all other updates as they are.
      text: status === 'postmortem' ? plainMarkdown(text) : text,
    }
  })
  const affected = listIn(event, 'components').flatMap((component) => {
    const id = ids.get(idOf(component))
    if (id !== undefined) return [id]
    const isGroup = propertyOf(component, 'group') === true
    const name = JSON.stringify(reader.textOf(component, 'name') ?? 'without a name')
    reader.count(
      isGroup
        ? `${path}[].components: the group ${name} is not imported`
        : `${path}[].components: ${name} is not a component of the page any more`,
    )
    return []
  })
  return {
    title: reader.requireText(event, 'name', 'What happened, in a few words.'),
    state: stateFrom(wordOf(event, 'status')),
    components: [...new Set(affected)],
    updates: newestFirst(updates, ({ at }) => at),
  }
}

function readIncidents(
  reader: Reader,
  events: readonly unknown[],
  ids: ReadonlyMap<string, string>,
) {
  const taken = new Set<string>()
  const incidents = events.map((incident) => {
    const hasStart = typeof propertyOf(incident, 'started_at') === 'string'
    reader.reportUnread(incident, 'incident', 'incidents[].', hasStart ? undefined : 'created_at')
    const { title, state, components, updates } = readEvent(reader, incident, ids, 'incidents')
    const startedAt = timeOf(incident, 'started_at', 'created_at') ?? ''
    const end =
      timeOf(incident, 'resolved_at') ?? updates.find((each) => each.state === 'resolved')?.at
    return {
      id: reader.claimId(taken, incident, title, 'incident', startedAt),
      title,
      state,
      impact: wordOf(incident, 'impact'),
      startedAt,
      ...(state === 'resolved' && end !== undefined ? { resolvedAt: end } : {}),
      components,
      updates,
    }
  })
  return newestFirst(incidents, ({ startedAt }) => startedAt)
}

function readMaintenances(
  reader: Reader,
  events: readonly unknown[],
  ids: ReadonlyMap<string, string>,
) {
  const taken = new Set<string>()
  const maintenances = events.map((maintenance) => {
    reader.reportUnread(maintenance, 'maintenance', 'scheduled_maintenances[].')
    const event = readEvent(reader, maintenance, ids, 'scheduled_maintenances')
    const { title, state, components, updates } = event
    const startsAt = timeOf(maintenance, 'scheduled_for') ?? ''
    const endsAt = timeOf(maintenance, 'scheduled_until') ?? ''
    const id = reader.claimId(taken, maintenance, title, 'maintenance', startsAt)
    return { id, title, state, startsAt, endsAt, components, updates }
  })
  return newestFirst(maintenances, ({ startsAt }) => startsAt)
}

/**
 * Reads the documents of a Statuspage: summary, incidents and scheduled maintenances, in any order. `status` is the data of
 * status.yaml, and `notes` has everything that did not map, one line each.
 */
export function importStatuspage(documents: readonly unknown[], nowMs: number) {
  const summary = documents.find((document) => propertyOf(document, 'components') !== undefined)
  if (summary === undefined) {
    throw new StatuspageError(
      'no document has the components; expected that of /api/v2/summary.json',
    )
  }
  const [page, status] = [propertyOf(summary, 'page'), propertyOf(summary, 'status')]
  const reader = createReader(propertyOf(page, 'id') === STATUSPAGE_ID)
  for (const document of documents) reader.reportUnread(document, 'document', '')
  reader.reportUnread(page, 'page', 'page.')
  reader.reportUnread(status, 'status', 'status.')
  const listed = listIn(summary, 'components')
  for (const component of listed) reader.reportUnread(component, 'component', 'components[].')
  const { components, ids } = readComponents(reader, listed, nowMs)
  const incidents = readIncidents(reader, eventsIn(documents, 'incidents'), ids)
  const planned = eventsIn(documents, 'scheduled_maintenances')
  const maintenances = readMaintenances(reader, planned, ids)
  const notes: string[] = []
  if (reader.isOurs) {
    notes.push(
      'the page of a service like this one: IDs are kept; notes of components, cancelled maintenances and translations are not in its documents',
    )
  }
  if (documents.some((each) => listIn(each, 'incidents').length >= LISTED_INCIDENTS)) {
    notes.push(
      `incidents: only the newest ${LISTED_INCIDENTS} are in the document; older ones are not imported`,
    )
  }
  const shown = OVERALL_STATE.get(wordOf(status, 'indicator'))
  if (shown === undefined)
    notes.push('status.indicator: unknown; the state follows from the components')
  const known = components.flatMap(({ state }) => COMPONENT_STATES.filter((each) => each === state))
  const best = bestOverallState(known.length === 0 ? ['operational'] : known)
  const rank = (state: ComponentState): number => COMPONENT_STATES.indexOf(state)
  const times = [
    timeOf(page, 'updated_at') ?? '',
    ...[...incidents, ...maintenances].flatMap(({ updates }) => updates.map(({ at }) => at)),
  ].filter((time) => !Number.isNaN(Date.parse(time)))
  return {
    status: {
      state: shown !== undefined && rank(shown) > rank(best) ? shown : best,
      summary: reader.requireText(
        status,
        'description',
        'What the overall state means for callers.',
      ),
      updatedAt: newestFirst(times, (time) => time)[0] ?? formatInstant(nowMs),
      components,
      ...(maintenances.length === 0 ? {} : { maintenances }),
      incidents,
    },
    counts: {
      components: components.length,
      incidents: incidents.length,
      maintenances: maintenances.length,
    },
    notes: [
      ...notes,
      ...Array.from(reader.counts, ([what, occurrences]) => `${what} (${occurrences})`),
    ],
  }
}
