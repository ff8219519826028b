import {
  UPDATED_AT,
  dayField,
  enumField,
  groupField,
  idField,
  instantField,
  keysOf,
  lineField,
  list,
  named,
  textField,
} from '../schemas/fields.ts'
import type { JsonSchema, SchemaType } from '../terms/schema-type.ts'
import {
  ARCHITECTURE_COMPONENT,
  ARCHITECTURE_FLOW,
  BOUNDARY,
  HORIZONS,
  QUEUE_STATES,
} from './snapshot-parts.ts'
import { WALLET_SCHEMAS } from './snapshot-wallet.ts'

/** States of a component and of the whole, from best to worst. */
export const COMPONENT_STATES = [
  'operational',
  'maintenance',
  'degraded',
  'partial_outage',
  'major_outage',
] as const

/** States an incident passes through, in order. */
export const INCIDENT_STATES = ['investigating', 'identified', 'monitoring', 'resolved'] as const

/** How severely callers were affected, from least to most. */
export const INCIDENT_IMPACTS = ['none', 'minor', 'major', 'critical'] as const

/** States of a planned maintenance. The last two are final. */
const MAINTENANCE_STATES = ['scheduled', 'in_progress', 'completed', 'cancelled'] as const

/** Kinds of change from Keep a Changelog 1.1.0. */
export const CHANGELOG_KINDS = [
  'added',
  'changed',
  'deprecated',
  'removed',
  'fixed',
  'security',
] as const

const ENDPOINT = {
  type: 'string',
  // The second alternative accepts the first one's values too, which contract:check cannot know ("accepts more").
  pattern:
    '^(GET|POST|DELETE) /api/v\\d+(/[A-Za-z0-9._{}/-]+)?$|^(GET|POST|PUT|PATCH|DELETE) /[A-Za-z0-9._{}/-]+$',
  maxLength: 200,
} as const

const CHANGE = named('ChangelogChange', 'One change, as seen by callers of the API.', {
  kind: enumField(CHANGELOG_KINDS, 'Kind of change.', 'added'),
  text: textField(
    'What changed and what it means for a caller.',
    'Added an endpoint for the roadmap.',
  ),
  'endpoints?': list(
    'The affected endpoints, each as method and path.',
    {
      ...ENDPOINT,
      description: 'Method and path template, as in the OpenAPI document.',
      example: 'GET /api/v1/roadmap',
    },
    { minItems: 1, uniqueItems: true },
  ),
  'sunsetOn?': dayField(
    'For a deprecation: the last UTC date on which the endpoints work.',
    '2026-06-01',
  ),
  'replacement?': {
    ...ENDPOINT,
    description: 'For a deprecation: the endpoint to use instead.',
    example: 'GET /api/v2/roadmap',
  },
})

const AFFECTED = list(
  'Identifiers of the affected components.',
  idField('Identifier of a component of this snapshot.', 'read-api'),
  { uniqueItems: true },
)

/**
 * The published resources and the shape of each one's `data`. The name of a resource is its path below `/api/v1`, its
 * name in a version's `resources` and the path of its file in the content folder. The objects are open: optional fields
 * may be added inside v1 (spec 9.2). Publishing checks them closed.
 */
export const SNAPSHOT_SCHEMAS = {
  status: named(
    'Status',
    'State of the service and its components, as the operator last published it.',
    {
      state: enumField(
        COMPONENT_STATES,
        'State of the whole service. Never better than the worst component.',
        'operational',
      ),
      summary: textField(
        'What the overall state means for callers, in a sentence or two.',
        'All read endpoints are available, and responses are signed.',
      ),
      updatedAt: UPDATED_AT,
      components: list(
        'The components of the service, in display order.',
        named('StatusComponent', 'One component of the service and its state.', {
          id: idField('Stable identifier of the component.', 'read-api'),
          name: lineField('Name of the component.', 'Read API'),
          'group?': groupField(
            'Name of the group that the component belongs to. Pages show the components of a group together.',
            'Reading',
          ),
          summary: textField('What the component does.', 'Serves every read endpoint.'),
          state: enumField(COMPONENT_STATES, 'State of this component.', 'operational'),
          since: instantField('Start of this state, in UTC.', '2025-11-03T00:00:00Z'),
          'note?': textField(
            'Further details of this state.',
            'Responses are delayed by a few seconds.',
          ),
        }),
        { minItems: 1 },
      ),
      incidents: list(
        'Incidents, newest first. Empty if there were none.',
        named('Incident', 'One incident, from its start to its end.', {
          id: idField('Stable identifier of the incident.', 'slow-responses-2025-10-30'),
          title: lineField(
            'What happened, in a few words.',
            'Slow responses on all read endpoints',
          ),
          state: enumField(INCIDENT_STATES, 'Progress of the incident.', 'resolved'),
          impact: enumField(INCIDENT_IMPACTS, 'How severely callers were affected.', 'minor'),
          startedAt: instantField('When the incident began, in UTC.', '2025-10-30T08:12:00Z'),
          'resolvedAt?': instantField(
            'When the incident ended, in UTC. Present only if the state is `resolved`.',
            '2025-10-30T08:40:00Z',
          ),
          components: AFFECTED,
          updates: list(
            'Updates during the incident, newest first.',
            named('IncidentUpdate', 'One update during the incident.', {
              at: instantField('When the update was published, in UTC.', '2025-10-30T08:20:00Z'),
              state: enumField(
                INCIDENT_STATES,
                'State of the incident at that time.',
                'identified',
              ),
              text: textField('Text of the update.', 'A full disk was found and is being cleared.'),
            }),
            { minItems: 1 },
          ),
        }),
      ),
      'maintenances?': list(
        'Planned maintenance, newest start first.',
        named('Maintenance', 'One planned maintenance, from its announcement to its end.', {
          id: idField('Stable identifier of the maintenance.', 'storage-upgrade-2025-11-17'),
          title: lineField('The work in a few words.', 'Storage upgrade'),
          state: enumField(
            MAINTENANCE_STATES,
            'Progress of the maintenance. It changes only when the operator publishes it.',
            'scheduled',
          ),
          startsAt: instantField('Planned start, in UTC.', '2025-11-17T06:00:00Z'),
          endsAt: instantField('Planned end, in UTC. After the start.', '2025-11-17T08:00:00Z'),
          components: AFFECTED,
          updates: list(
            'Updates on the maintenance, newest first.',
            named('MaintenanceUpdate', 'One update on the maintenance.', {
              at: instantField('When the update was published, in UTC.', '2025-11-03T08:20:00Z'),
              state: enumField(
                MAINTENANCE_STATES,
                'State of the maintenance at that time.',
                'scheduled',
              ),
              text: textField(
                'Text of the update.',
                'Reads may fail for a few minutes while the storage is replaced.',
              ),
            }),
            { minItems: 1 },
          ),
        }),
      ),
    },
  ),
  architecture: named(
    'Architecture',
    'The components of the service, the data flows between them, its guarantees and its boundaries.',
    {
      summary: textField(
        'The architecture in a few sentences.',
        'An operator publishes files; a server signs and serves them.',
      ),
      updatedAt: UPDATED_AT,
      components: list('The components, in reading order.', ARCHITECTURE_COMPONENT, {
        minItems: 1,
      }),
      flows: list('Data flows between the components.', ARCHITECTURE_FLOW),
      guarantees: list(
        'Guarantees of the service, each with a way to verify it.',
        named('Guarantee', 'One guarantee.', {
          id: idField('Stable identifier of the guarantee.', 'signed-responses'),
          title: lineField('The guarantee in a few words.', 'Every response is signed'),
          statement: textField(
            'What exactly is guaranteed.',
            'Every JSON body carries an Ed25519 signature over its digest.',
          ),
          verification: textField(
            'How anyone can verify it without trusting the operator.',
            'Verify the signature with the key from the signing-key document.',
          ),
        }),
      ),
      boundaries: list('What the service does not do.', BOUNDARY),
    },
  ),
  'development-queue': named(
    'Development queue',
    'Work in progress and queued work, in order of priority.',
    {
      summary: textField(
        'The queue in a few sentences.',
        'One item is in progress and six are queued.',
      ),
      updatedAt: UPDATED_AT,
      items: list(
        'The items, by priority.',
        named('QueueItem', 'One piece of work.', {
          id: idField('Stable identifier of the item.', 'waitlist-registration'),
          title: lineField('The work in a few words.', 'Waitlist registration'),
          summary: textField(
            'What will be done.',
            'Accept registrations and store them encrypted.',
          ),
          kind: enumField(
            ['feature', 'fix', 'security', 'performance', 'documentation', 'maintenance'],
            'Kind of work.',
            'feature',
          ),
          state: enumField(QUEUE_STATES, 'Progress of the work.', 'queued'),
          priority: {
            type: 'integer',
            minimum: 1,
            description: 'Priority: 1 is highest. Each item has a different one.',
            example: 2,
          },
          since: dayField('First day of this state, in UTC.', '2025-11-03'),
          'roadmapItem?': idField(
            'Identifier of the roadmap item that this work implements.',
            'waitlist-registration',
          ),
          'blockedBy?': list(
            'Identifiers of the queue items that must be done first.',
            idField('Identifier of another item of this queue.', 'read-side'),
            { uniqueItems: true },
          ),
        }),
      ),
    },
  ),
  roadmap: named('Roadmap', 'Plans for now, next and later. Intentions, not commitments.', {
    summary: textField(
      'What the roadmap covers and how binding it is.',
      'The order is decided; the dates are not.',
    ),
    updatedAt: UPDATED_AT,
    items: list(
      'The items, nearest horizon first, in the intended order.',
      named('RoadmapItem', 'One planned outcome.', {
        id: idField(
          'Stable identifier of the item. It does not change when the item moves.',
          'client-library',
        ),
        title: lineField('The item in a few words.', 'Verifying client library'),
        summary: textField(
          'What will change for users when it is done.',
          'Programs can fetch and verify in one call.',
        ),
        horizon: enumField(
          HORIZONS,
          '`now`: in progress. `next`: follows. `later`: intended, not started.',
          'next',
        ),
        'dependsOn?': list(
          'Identifiers of the roadmap items that must be done first.',
          idField('Identifier of another item of this roadmap.', 'read-side'),
          { uniqueItems: true },
        ),
      }),
    ),
  }),
  changelog: named('Changelog', 'What changed for callers of the API, by released version.', {
    summary: textField(
      'What the changelog covers.',
      'Changes that a caller of the API can notice.',
    ),
    updatedAt: UPDATED_AT,
    unreleased: list('Changes that are decided but not released yet.', CHANGE),
    releases: list(
      'Released versions, newest first.',
      named('ChangelogRelease', 'One released version.', {
        version: {
          type: 'string',
          pattern:
            '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$',
          maxLength: 64,
          description: 'Version of the service software (Semantic Versioning).',
          example: '0.1.0',
        },
        date: dayField('UTC date of the release.', '2025-11-03'),
        'summary?': textField(
          'The release in a sentence.',
          'The first version, with all read endpoints.',
        ),
        changes: list('The changes, grouped by kind in the order `added` to `security`.', CHANGE, {
          minItems: 1,
        }),
      }),
    ),
  }),
  ...WALLET_SCHEMAS,
} as const satisfies {
  readonly [name: string]: JsonSchema & { readonly title: string }
}

/** The name of a published resource. */
export type SnapshotName = keyof typeof SNAPSHOT_SCHEMAS

/** The `data` of a resource, as TypeScript sees it. */
export type SnapshotData<N extends SnapshotName> = SchemaType<(typeof SNAPSHOT_SCHEMAS)[N]>

export function isSnapshotName(name: string): name is SnapshotName {
  return Object.hasOwn(SNAPSHOT_SCHEMAS, name)
}

/** The names of all published resources, in the order the API lists them. */
export const SNAPSHOT_NAMES: readonly SnapshotName[] = keysOf(SNAPSHOT_SCHEMAS)
