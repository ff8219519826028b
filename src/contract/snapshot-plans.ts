import {
  UPDATED_AT,
  dayField,
  enumField,
  idField,
  lineField,
  list,
  named,
  textField,
} from './fields.ts'
/** Horizons of the roadmap, nearest first. */
export const HORIZONS = ['now', 'next', 'later'] as const

/** States of a queue item. */
export const QUEUE_STATES = ['queued', 'in_progress', 'in_review', 'blocked', 'done'] as const

/** `data` of `/roadmap`: plans by horizon, without dates. */
export const ROADMAP_SCHEMA = named(
  'Roadmap',
  'Plans for now, next and later. Intentions, not commitments.',
  {
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
          'now: in progress. next: follows. later: intended, not started.',
          'next',
        ),
        'dependsOn?': list(
          'Identifiers of the roadmap items that must be done first.',
          idField('Identifier of another item of this roadmap.', 'read-side'),
          { uniqueItems: true },
        ),
      }),
    ),
  },
)

/** `data` of `/development-queue`: the work in progress and its order. */
export const DEVELOPMENT_QUEUE_SCHEMA = named(
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
        summary: textField('What will be done.', 'Accept registrations and store them encrypted.'),
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
)
