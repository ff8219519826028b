import { dayField, idField, textField, UPDATED_AT, enumField } from './snapshot-fields.ts'

/** Horizons of the roadmap, nearest first. */
export const HORIZONS = ['now', 'next', 'later'] as const

/** States of a queue item. */
export const QUEUE_STATES = ['queued', 'in_progress', 'in_review', 'blocked', 'done'] as const

/** `data` of `/roadmap`: plans by horizon, without dates. */
export const ROADMAP_SCHEMA = {
  type: 'object',
  title: 'Roadmap',
  description: 'Plans for now, next and later. Intentions, not commitments.',
  required: ['summary', 'updatedAt', 'items'],
  properties: {
    summary: textField(
      'What the roadmap covers and how firm it is.',
      'The order is decided; the dates are not.',
    ),
    updatedAt: UPDATED_AT,
    items: {
      type: 'array',
      description: 'The items, nearest horizon first, in the intended order.',
      items: {
        type: 'object',
        title: 'RoadmapItem',
        description: 'One planned outcome.',
        required: ['id', 'title', 'summary', 'horizon'],
        properties: {
          id: idField(
            'Stable identifier of the item. It does not change when the item moves.',
            'client-library',
          ),
          title: textField('The item in a few words.', 'Verifying client library', 'line'),
          summary: textField(
            'What will change for users when it is done.',
            'Programs can fetch and verify in one call.',
          ),
          horizon: enumField(
            HORIZONS,
            'now: in progress. next: follows. later: intended, not started.',
            'next',
          ),
          dependsOn: {
            type: 'array',
            description: 'Identifiers of the roadmap items that must be done first.',
            uniqueItems: true,
            items: idField('Identifier of another item of this roadmap.', 'read-side'),
          },
        },
      },
    },
  },
} as const

/** `data` of `/development-queue`: the work in progress and its order. */
export const DEVELOPMENT_QUEUE_SCHEMA = {
  type: 'object',
  title: 'Development queue',
  description: 'Work in progress and queued work, in order of priority.',
  required: ['summary', 'updatedAt', 'items'],
  properties: {
    summary: textField('The queue in a few sentences.', 'One item is in work, six are waiting.'),
    updatedAt: UPDATED_AT,
    items: {
      type: 'array',
      description: 'The items, by priority.',
      items: {
        type: 'object',
        title: 'QueueItem',
        description: 'One piece of work.',
        required: ['id', 'title', 'summary', 'kind', 'state', 'priority', 'since'],
        properties: {
          id: idField('Stable identifier of the item.', 'waitlist-registration'),
          title: textField('The work in a few words.', 'Waitlist registration', 'line'),
          summary: textField('What will be done.', 'Accept registrations and store them sealed.'),
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
          since: dayField('First day of this state, in UTC.', '2026-11-21'),
          roadmapItem: idField(
            'Identifier of the roadmap item that this work implements.',
            'waitlist-registration',
          ),
          blockedBy: {
            type: 'array',
            description: 'Identifiers of the queue items that must be done first.',
            uniqueItems: true,
            items: idField('Identifier of another item of this queue.', 'read-side'),
          },
        },
      },
    },
  },
} as const
