import {
  UPDATED_AT,
  enumField,
  idField,
  instantField,
  lineField,
  list,
  named,
  textField,
} from './fields.ts'
/** States of a component and of the whole, from best to worst. */
export const COMPONENT_STATES = [
  'operational',
  'maintenance',
  'degraded',
  'partial_outage',
  'major_outage',
] as const

/** States an incident passes through, in order. */
const INCIDENT_STATES = ['investigating', 'identified', 'monitoring', 'resolved'] as const

/** `data` of `/status`: state of the service and its components, as the operator publishes it. */
export const STATUS_SCHEMA = named(
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
        summary: textField('What the component does.', 'Serves every read endpoint.'),
        state: enumField(COMPONENT_STATES, 'State of this component.', 'operational'),
        since: instantField('Start of this state, in UTC.', '2026-11-21T00:00:00Z'),
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
        id: idField('Stable identifier of the incident.', 'slow-responses-2026-11-30'),
        title: lineField('What happened, in a few words.', 'Slow responses on all read endpoints'),
        state: enumField(INCIDENT_STATES, 'Progress of the incident.', 'resolved'),
        impact: enumField(
          ['none', 'minor', 'major', 'critical'],
          'How severely callers were affected.',
          'minor',
        ),
        startedAt: instantField('When the incident began, in UTC.', '2026-11-30T08:12:00Z'),
        'resolvedAt?': instantField(
          'When the incident ended, in UTC. Present only if the state is resolved.',
          '2026-11-30T08:40:00Z',
        ),
        components: list(
          'Identifiers of the affected components.',
          idField('Identifier of a component of this snapshot.', 'read-api'),
          { uniqueItems: true },
        ),
        updates: list(
          'Updates during the incident, newest first.',
          named('IncidentUpdate', 'One update during the incident.', {
            at: instantField('When the update was published, in UTC.', '2026-11-30T08:20:00Z'),
            state: enumField(INCIDENT_STATES, 'State of the incident at that time.', 'identified'),
            text: textField('Text of the update.', 'A full disk was found and is being cleared.'),
          }),
          { minItems: 1 },
        ),
      }),
    ),
  },
)
