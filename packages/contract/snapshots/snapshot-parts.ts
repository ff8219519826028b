import { enumField, idField, lineField, named, textField } from '../schemas/fields.ts'

// Parts that the snapshots of the service and those of the wallet share.

/** Horizons of the roadmap, nearest first. */
export const HORIZONS = ['now', 'next', 'later'] as const

export const QUEUE_STATES = ['queued', 'in_progress', 'in_review', 'blocked', 'done'] as const

/** Whether a part of a described system is in use. */
export const lifecycleField = (description: string) =>
  enumField(['live', 'planned', 'retired'], description, 'live')

export const ARCHITECTURE_COMPONENT = named(
  'ArchitectureComponent',
  'One component of the system.',
  {
    id: idField('Stable identifier of the component.', 'read-side'),
    name: lineField('Name of the component.', 'Read side'),
    kind: enumField(
      ['person', 'program', 'library', 'store', 'external'],
      'Kind of component: a person, a running program, a library inside one, a data store, or an external system.',
      'program',
    ),
    state: lifecycleField('Whether it is live, planned or retired.'),
    role: textField('Purpose of the component.', 'Serves requests from a published release.'),
  },
)

export const ARCHITECTURE_FLOW = named(
  'ArchitectureFlow',
  'Data that one component sends to another.',
  {
    id: idField('Stable identifier of the flow.', 'release-to-read-side'),
    from: idField('Identifier of the component that sends.', 'release-store'),
    to: idField('Identifier of the component that receives.', 'read-side'),
    data: textField('The data that is sent.', 'Version entries and the resources they name.'),
    'means?': textField('How the data is sent.', 'Files on disk, read once at start.'),
    state: lifecycleField('Whether the flow is live, planned or retired.'),
  },
)

export const BOUNDARY = named(
  'Boundary',
  'Something the system does not do, and what ensures it.',
  {
    id: idField('Stable identifier of the boundary.', 'no-internal-systems'),
    title: lineField('The boundary in a few words.', 'No access to internal systems'),
    statement: textField(
      'What does not happen, and what ensures it.',
      'The server has no URL and no credentials of an internal system.',
    ),
  },
)
