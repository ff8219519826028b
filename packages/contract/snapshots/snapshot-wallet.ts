import {
  UPDATED_AT,
  dayField,
  enumField,
  bool,
  hexHash,
  idField,
  lineField,
  list,
  named,
  textField,
  urlField,
} from '../schemas/fields.ts'
import type { JsonSchema } from '../terms/schema-type.ts'
import {
  ARCHITECTURE_COMPONENT,
  ARCHITECTURE_FLOW,
  BOUNDARY,
  HORIZONS,
  QUEUE_STATES,
  lifecycleField,
} from './snapshot-parts.ts'

// Each view describes a wallet that may be attached one day. Its lists are empty until then, so that clients keep
// working when one is attached.

const WALLET_HEAD = {
  attached: bool(
    'Whether a wallet is attached to this service. The same in every wallet view.',
    false,
  ),
  summary: textField('The view in a sentence or two.', 'No wallet is attached.'),
  updatedAt: UPDATED_AT,
} as const

const walletView = <const Fields extends { readonly [name: string]: JsonSchema }>(
  title: string,
  description: string,
  fields: Fields,
) => named(title, description, { ...WALLET_HEAD, ...fields })

/** `data` of the wallet views, by the name of the resource. */
export const WALLET_SCHEMAS = {
  wallet: walletView(
    'Wallet overview',
    'Whether a wallet is attached, which networks it would cover and what these views never do.',
    {
      networks: list(
        'Networks that the attached wallet uses. Empty while no wallet is attached.',
        named('WalletNetwork', 'One network.', {
          id: idField('Stable identifier of the network.', 'bitcoin'),
          name: lineField('Name of the network.', 'Bitcoin'),
          environment: enumField(
            ['main', 'test'],
            'Whether its assets have value (`main`) or not (`test`).',
            'test',
          ),
        }),
      ),
      views: list(
        'The other wallet views.',
        named('WalletView', 'One view and its endpoint.', {
          id: idField('Stable identifier of the view.', 'security'),
          path: {
            type: 'string',
            pattern: '^/api/v1/wallet/[a-z-]+$',
            maxLength: 64,
            description: 'Path of the endpoint.',
            example: '/api/v1/wallet/security',
          },
          summary: textField('What the view is about.', 'Custody, controls and reviews.'),
        }),
      ),
      boundaries: list('What these views never do, with or without a wallet.', BOUNDARY),
    },
  ),
  'wallet/architecture': walletView(
    'Wallet architecture',
    'The components of the wallet and how they are isolated from this service.',
    {
      components: list(
        'The components that publish wallet views, and those of the wallet if one is attached.',
        ARCHITECTURE_COMPONENT,
      ),
      flows: list('Data flows between the components.', ARCHITECTURE_FLOW),
      boundaries: list('What no component does.', BOUNDARY),
    },
  ),
  'wallet/security': walletView(
    'Wallet security',
    'Who holds the keys, which controls are in place, and who reviewed what.',
    {
      custody: enumField(
        ['none', 'own', 'shared', 'third_party'],
        'Who holds the signing keys: `none` (no wallet), the organization, several parties together, or a third party.',
        'none',
      ),
      controls: list(
        'Controls that protect the wallet or, without one, these views.',
        named('WalletControl', 'One control.', {
          id: idField('Stable identifier of the control.', 'leak-guard'),
          title: lineField('The control in a few words.', 'Leak guard'),
          statement: textField(
            'What it does.',
            'Refuses to publish content that looks like a secret.',
          ),
          state: enumField(
            ['in_place', 'planned', 'retired'],
            'Whether the control is in place, planned or retired.',
            'in_place',
          ),
        }),
      ),
      reviews: list(
        'Independent reviews, newest first. Empty if there were none.',
        named('WalletReview', 'One review.', {
          id: idField('Stable identifier of the review.', 'key-ceremony-review'),
          title: lineField('The review in a few words.', 'Review of the key ceremony'),
          reviewer: textField('The reviewer.', 'An independent auditor'),
          completedOn: dayField('When it was completed (UTC date).', '2025-09-01'),
          scope: textField('Scope of the review.', 'Creation and storage of the keys.'),
          'reportUrl?': urlField('URL of the report.', 'https://example.org/report'),
        }),
      ),
      neverPublished: list(
        'What these views never contain.',
        named('WithheldData', 'One kind of data that is never published.', {
          id: idField('Stable identifier of the entry.', 'private-keys'),
          title: lineField('What is never published.', 'Private keys and seed phrases'),
          reason: textField(
            'The reason, or what prevents it.',
            'Publishing rejects content that contains one.',
          ),
        }),
      ),
    },
  ),
  'wallet/evidence': walletView(
    'Wallet evidence',
    'Published evidence about the wallet that anyone can verify.',
    {
      evidence: list(
        'Pieces of evidence, newest first. Empty while no wallet is attached.',
        named('WalletEvidenceItem', 'One piece of evidence.', {
          id: idField('Stable identifier of the evidence.', 'control-of-keys-2025-09'),
          title: lineField('The evidence in a few words.', 'Proof of control'),
          kind: enumField(
            ['signed_statement', 'audit_report', 'proof_of_reserves', 'test_report'],
            'Kind of evidence.',
            'signed_statement',
          ),
          statement: textField(
            'What it shows.',
            'The organization controlled the keys on that day.',
          ),
          producedOn: dayField('When it was produced (UTC date).', '2025-09-01'),
          verification: textField(
            'How anyone can verify it.',
            'Verify the signature in the document.',
          ),
          'documentUrl?': urlField('URL of the document.', 'https://example.org/proof'),
          'documentSha256?': hexHash('SHA-256 of the document, in lower-case hexadecimal.'),
        }),
      ),
    },
  ),
  'wallet/capabilities': walletView(
    'Wallet capabilities',
    'What the wallet views can do, what is planned, and what they will never do.',
    {
      capabilities: list(
        'The capabilities.',
        named('WalletCapability', 'One capability.', {
          id: idField('Stable identifier of the capability.', 'read-published-views'),
          title: lineField('The capability in a few words.', 'Read published views'),
          summary: textField('What it means.', 'Anyone can read what the operator published.'),
          state: enumField(
            ['available', 'planned', 'unavailable', 'never'],
            'Whether it is available, planned, unavailable, or excluded by design.',
            'available',
          ),
          needsWallet: bool('Whether it requires an attached wallet.', false),
        }),
      ),
    },
  ),
  'wallet/integration': walletView(
    'Wallet integration',
    'The interfaces between the wallet views and other systems, and the data they carry.',
    {
      interfaces: list(
        'The interfaces.',
        named('WalletInterface', 'One interface.', {
          id: idField('Stable identifier of the interface.', 'public-read-api'),
          title: lineField('The interface in a few words.', 'Public read API'),
          direction: enumField(
            ['outbound', 'inbound'],
            '`outbound`: this service sends data. `inbound`: it receives data.',
            'outbound',
          ),
          state: lifecycleField('Whether the interface is live, planned or retired.'),
          summary: textField('The data it carries.', 'Published snapshots as signed JSON.'),
        }),
      ),
    },
  ),
  'wallet/development': walletView(
    'Wallet development',
    'Work on the wallet views and on attaching a wallet.',
    {
      items: list(
        'The work, nearest horizon first.',
        named('WalletWorkItem', 'One piece of work.', {
          id: idField('Stable identifier of the item.', 'attachment-criteria'),
          title: lineField('The work in a few words.', 'Criteria for attaching a wallet'),
          summary: textField('What will be done.', 'Define the conditions for attaching a wallet.'),
          horizon: enumField(HORIZONS, 'Planned horizon.', 'later'),
          state: enumField(QUEUE_STATES, 'Progress of the work.', 'queued'),
          since: dayField('First day of this state, in UTC.', '2025-11-03'),
        }),
      ),
    },
  ),
} as const
