import { idField, momentField, textField, UPDATED_AT, wordField } from './snapshot-fields.ts'

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

/** `data` of `/status`: how the parts of the service are doing, as the operator states it. */
export const STATUS_SCHEMA = {
  type: 'object',
  title: 'Status',
  description: 'How the service and its parts are doing, as the operator last stated it.',
  required: ['state', 'summary', 'updatedAt', 'components', 'incidents'],
  properties: {
    state: wordField(
      COMPONENT_STATES,
      'State of the service as a whole. Never better than its components allow.',
      'operational',
    ),
    summary: textField(
      'What the overall state means for a reader, in a sentence or two.',
      'All read endpoints are available, and responses are signed.',
    ),
    updatedAt: UPDATED_AT,
    components: {
      type: 'array',
      description: 'The parts of the service, in the order a reader should see them.',
      minItems: 1,
      items: {
        type: 'object',
        title: 'StatusComponent',
        description: 'One part of the service and its state.',
        required: ['id', 'name', 'summary', 'state', 'since'],
        properties: {
          id: idField('Stable identifier of the component.', 'read-api'),
          name: textField('Name of the component.', 'Read API', 'line'),
          summary: textField('What the component does.', 'Serves every read endpoint.'),
          state: wordField(COMPONENT_STATES, 'State of this component.', 'operational'),
          since: momentField(
            'Since when it has been in this state, in UTC.',
            '2026-11-21T00:00:00Z',
          ),
          note: textField(
            'What a reader should know about this state, where the word alone does not say it.',
            'Responses are delayed by a few seconds.',
          ),
        },
      },
    },
    incidents: {
      type: 'array',
      description: 'Incidents, newest first. Empty if there were none.',
      items: {
        type: 'object',
        title: 'Incident',
        description: 'One incident, from its start to its end.',
        required: ['id', 'title', 'state', 'impact', 'startedAt', 'components', 'updates'],
        properties: {
          id: idField('Stable identifier of the incident.', 'slow-responses-2026-11-30'),
          title: textField(
            'What happened, in a few words.',
            'Slow responses on all read endpoints',
            'line',
          ),
          state: wordField(INCIDENT_STATES, 'How far the incident has come.', 'resolved'),
          impact: wordField(
            ['none', 'minor', 'major', 'critical'],
            'How badly readers were affected.',
            'minor',
          ),
          startedAt: momentField('When it began, in UTC.', '2026-11-30T08:12:00Z'),
          resolvedAt: momentField(
            'When it ended, in UTC. Present exactly when the state is resolved.',
            '2026-11-30T08:40:00Z',
          ),
          components: {
            type: 'array',
            description: 'Identifiers of the components that were affected.',
            uniqueItems: true,
            items: idField('Identifier of a component of this snapshot.', 'read-api'),
          },
          updates: {
            type: 'array',
            description: 'Updates during the incident, newest first.',
            minItems: 1,
            items: {
              type: 'object',
              title: 'IncidentUpdate',
              description: 'One statement about the incident.',
              required: ['at', 'state', 'text'],
              properties: {
                at: momentField('When the update was published, in UTC.', '2026-11-30T08:20:00Z'),
                state: wordField(
                  INCIDENT_STATES,
                  'State of the incident at that time.',
                  'identified',
                ),
                text: textField(
                  'Text of the update.',
                  'A full disk was found and is being cleared.',
                ),
              },
            },
          },
        },
      },
    },
  },
} as const
