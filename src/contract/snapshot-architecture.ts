import { idField, textField, UPDATED_AT, enumField } from './snapshot-fields.ts'

/** A part of a described system. Shared by the service's own architecture and the wallet's. */
export const ARCHITECTURE_COMPONENT = {
  type: 'object',
  title: 'ArchitectureComponent',
  description: 'One component of the system.',
  required: ['id', 'name', 'kind', 'state', 'role'],
  properties: {
    id: idField('Stable identifier of the component.', 'read-side'),
    name: textField('Name of the component.', 'Read side', 'line'),
    kind: enumField(
      ['person', 'program', 'library', 'store', 'external'],
      'Kind of component: a person, a running program, a library inside one, a data store, or an external system.',
      'program',
    ),
    state: enumField(
      ['live', 'planned', 'retired'],
      'Whether it is live, planned or retired.',
      'live',
    ),
    role: textField('Purpose of the component.', 'Serves requests from a published release.'),
  },
} as const

/** A flow of data between two components. */
export const ARCHITECTURE_FLOW = {
  type: 'object',
  title: 'ArchitectureFlow',
  description: 'Data that one component sends to another.',
  required: ['id', 'from', 'to', 'data', 'state'],
  properties: {
    id: idField('Stable identifier of the flow.', 'release-to-read-side'),
    from: idField('Identifier of the component that sends.', 'release-store'),
    to: idField('Identifier of the component that receives.', 'read-side'),
    data: textField('The data that is sent.', 'Version entries and the resources they name.'),
    means: textField('How the data is sent.', 'Files on disk, read once at start.'),
    state: enumField(
      ['live', 'planned', 'retired'],
      'Whether the flow is live, planned or retired.',
      'live',
    ),
  },
} as const

/** A line that the system does not cross. */
export const BOUNDARY = {
  type: 'object',
  title: 'Boundary',
  description: 'Something the system does not do, and what ensures it.',
  required: ['id', 'title', 'statement'],
  properties: {
    id: idField('Stable identifier of the boundary.', 'no-internal-systems'),
    title: textField('The boundary in a few words.', 'No way to internal systems', 'line'),
    statement: textField(
      'What does not happen, and what ensures it.',
      'The server holds no address or credential of an internal system.',
    ),
  },
} as const

/** `data` of `/architecture`: components, data flows, guarantees and boundaries of the service. */
export const ARCHITECTURE_SCHEMA = {
  type: 'object',
  title: 'Architecture',
  description:
    'The components of the service, the data flows between them, its guarantees and its boundaries.',
  required: ['summary', 'updatedAt', 'components', 'flows', 'guarantees', 'boundaries'],
  properties: {
    summary: textField(
      'The architecture in a few sentences.',
      'An operator publishes files; a server signs and serves them.',
    ),
    updatedAt: UPDATED_AT,
    components: {
      type: 'array',
      description: 'The components, in reading order.',
      minItems: 1,
      items: ARCHITECTURE_COMPONENT,
    },
    flows: {
      type: 'array',
      description: 'Data flows between the components.',
      items: ARCHITECTURE_FLOW,
    },
    guarantees: {
      type: 'array',
      description: 'Guarantees of the service, each with a way to verify it.',
      items: {
        type: 'object',
        title: 'Guarantee',
        description: 'One guarantee.',
        required: ['id', 'title', 'statement', 'verification'],
        properties: {
          id: idField('Stable identifier of the guarantee.', 'signed-responses'),
          title: textField('The guarantee in a few words.', 'Every response is signed', 'line'),
          statement: textField(
            'What exactly is guaranteed.',
            'Every JSON body carries an Ed25519 signature over its digest.',
          ),
          verification: textField(
            'How anyone can verify it without trusting the operator.',
            'Verify the signature with the key from the signing-key document.',
          ),
        },
      },
    },
    boundaries: {
      type: 'array',
      description: 'What the service does not do.',
      items: BOUNDARY,
    },
  },
} as const
