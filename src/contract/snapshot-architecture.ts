import { UPDATED_AT, enumField, idField, lineField, list, named, textField } from './fields.ts'
/** Whether a part of a described system is in use. */
export const lifecycleField = (description: string) =>
  enumField(['live', 'planned', 'retired'], description, 'live')

/** A part of a described system. Shared by the service's own architecture and the wallet's. */
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

/** A flow of data between two components. */
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

/** Something the system does not do. */
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

/** `data` of `/architecture`: components, data flows, guarantees and boundaries of the service. */
export const ARCHITECTURE_SCHEMA = named(
  'Architecture',
  'The components of the service, the data flows between them, its guarantees and its boundaries.',
  {
    summary: textField(
      'The architecture in a few sentences.',
      'An operator publishes files; a server signs and serves them.',
    ),
    updatedAt: UPDATED_AT,
    components: list('The components, in reading order.', ARCHITECTURE_COMPONENT, { minItems: 1 }),
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
)
