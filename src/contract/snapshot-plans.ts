import { dayField, idField, textField, UPDATED_AT, wordField } from './snapshot-fields.ts'

/** Horizons of the roadmap, nearest first. */
export const HORIZONS = ['now', 'next', 'later'] as const

/** States of a queue item. */
export const QUEUE_STATES = ['queued', 'in_progress', 'in_review', 'blocked', 'done'] as const

/** `data` of `/roadmap`: plans by horizon, without dates. */
export const ROADMAP_SCHEMA = {
  type: 'object',
  title: 'Roadmap',
  description: 'What is meant to come: now, next and later. An intention, not a promise.',
  required: ['summary', 'updatedAt', 'items'],
  properties: {
    summary: textField(
      'What the roadmap is about and how firm it is.',
      'The order is decided; the dates are not.',
    ),
    updatedAt: UPDATED_AT,
    items: {
      type: 'array',
      description: 'The items, nearest horizon first, then in order of intent.',
      items: {
        type: 'object',
        title: 'RoadmapItem',
        description: 'One outcome that is meant to be reached.',
        required: ['id', 'title', 'summary', 'horizon'],
        properties: {
          id: idField(
            'Stable identifier of the item; it stays when the item moves.',
            'client-library',
          ),
          title: textField('The item in a few words.', 'Verifying client library', 'line'),
          summary: textField(
            'What will be different for a reader once it is there.',
            'Programs can fetch and verify in one call.',
          ),
          horizon: wordField(
            HORIZONS,
            'now: being worked on. next: comes after that. later: intended, not started.',
            'next',
          ),
          dependsOn: {
            type: 'array',
            description: 'Identifiers of roadmap items that must come first.',
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
  description: 'The work in hand and waiting, in order of priority.',
  required: ['summary', 'updatedAt', 'items'],
  properties: {
    summary: textField(
      'What the queue holds at the moment.',
      'One item is in work, six are waiting.',
    ),
    updatedAt: UPDATED_AT,
    items: {
      type: 'array',
      description: 'The items, most urgent first.',
      items: {
        type: 'object',
        title: 'QueueItem',
        description: 'One piece of work.',
        required: ['id', 'title', 'summary', 'kind', 'state', 'priority', 'since'],
        properties: {
          id: idField('Stable identifier of the item.', 'waitlist-registration'),
          title: textField('The work in a few words.', 'Waitlist registration', 'line'),
          summary: textField('What will be done.', 'Accept registrations and store them sealed.'),
          kind: wordField(
            ['feature', 'fix', 'security', 'performance', 'documentation', 'maintenance'],
            'What sort of work it is.',
            'feature',
          ),
          state: wordField(QUEUE_STATES, 'How far it has come.', 'queued'),
          priority: {
            type: 'integer',
            minimum: 1,
            description: 'Place in the order of work: 1 is first. No two items share a number.',
            example: 2,
          },
          since: dayField('Since when it has been in this state (a day in UTC).', '2026-11-21'),
          roadmapItem: idField(
            'Identifier of the roadmap item that this work belongs to.',
            'waitlist-registration',
          ),
          blockedBy: {
            type: 'array',
            description: 'Identifiers of queue items that must be done first.',
            uniqueItems: true,
            items: idField('Identifier of another item of this queue.', 'read-side'),
          },
        },
      },
    },
  },
} as const
