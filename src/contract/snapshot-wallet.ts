import { SHA256_HEX_PATTERN } from './identifier-patterns.ts'
import { ARCHITECTURE_COMPONENT, ARCHITECTURE_FLOW, BOUNDARY } from './snapshot-architecture.ts'
import { urlField, dayField, idField, textField, UPDATED_AT, enumField } from './snapshot-fields.ts'
import { HORIZONS, QUEUE_STATES } from './snapshot-plans.ts'

// Each view describes a wallet that may be attached one day. Its lists are empty until then, so that attaching one
// only fills in fields and breaks no reader.

const WALLET_HEAD = {
  attached: {
    type: 'boolean',
    description: 'Whether a wallet is attached to this service. All wallet views agree on it.',
    example: false,
  },
  summary: textField('The view in a sentence or two.', 'No wallet is attached.'),
  updatedAt: UPDATED_AT,
} as const

const WALLET_HEAD_REQUIRED = ['attached', 'summary', 'updatedAt'] as const

/** `data` of `/wallet`. */
export const WALLET_SCHEMA = {
  type: 'object',
  title: 'Wallet overview',
  description:
    'Whether a wallet is attached, which networks it would cover and what these views never do.',
  required: [...WALLET_HEAD_REQUIRED, 'networks', 'views', 'boundaries'],
  properties: {
    ...WALLET_HEAD,
    networks: {
      type: 'array',
      description: 'Networks the attached wallet works on. Empty while none is attached.',
      items: {
        type: 'object',
        title: 'WalletNetwork',
        description: 'One network.',
        required: ['id', 'name', 'environment'],
        properties: {
          id: idField('Stable identifier of the network.', 'bitcoin'),
          name: textField('Name of the network.', 'Bitcoin', 'line'),
          environment: enumField(
            ['main', 'test'],
            'Whether its assets have value (main) or not (test).',
            'test',
          ),
        },
      },
    },
    views: {
      type: 'array',
      description: 'The other wallet views.',
      items: {
        type: 'object',
        title: 'WalletView',
        description: 'One view and its endpoint.',
        required: ['id', 'path', 'summary'],
        properties: {
          id: idField('Stable identifier of the view.', 'security'),
          path: {
            type: 'string',
            pattern: '^/api/v1/wallet/[a-z-]+$',
            maxLength: 64,
            description: 'Path of the endpoint.',
            example: '/api/v1/wallet/security',
          },
          summary: textField('What the view is about.', 'Custody, controls and reviews.'),
        },
      },
    },
    boundaries: {
      type: 'array',
      description: 'What these views never do, with or without a wallet.',
      items: BOUNDARY,
    },
  },
} as const

/** `data` of `/wallet/architecture`. */
export const WALLET_ARCHITECTURE_SCHEMA = {
  type: 'object',
  title: 'Wallet architecture',
  description: 'The components of the wallet and how they are isolated from this service.',
  required: [...WALLET_HEAD_REQUIRED, 'components', 'flows', 'boundaries'],
  properties: {
    ...WALLET_HEAD,
    components: {
      type: 'array',
      description:
        'The components that publish wallet views, and those of the wallet if one is attached.',
      items: ARCHITECTURE_COMPONENT,
    },
    flows: {
      type: 'array',
      description: 'Data flows between the components.',
      items: ARCHITECTURE_FLOW,
    },
    boundaries: {
      type: 'array',
      description: 'What no component does.',
      items: BOUNDARY,
    },
  },
} as const

/** `data` of `/wallet/security`. */
export const WALLET_SECURITY_SCHEMA = {
  type: 'object',
  title: 'Wallet security',
  description: 'Who holds the keys, which controls are in place, and who reviewed what.',
  required: [...WALLET_HEAD_REQUIRED, 'custody', 'controls', 'reviews', 'neverPublished'],
  properties: {
    ...WALLET_HEAD,
    custody: enumField(
      ['none', 'own', 'shared', 'third_party'],
      'Who holds the signing keys: none (no wallet), the organization, several parties together, or a third party.',
      'none',
    ),
    controls: {
      type: 'array',
      description: 'Controls that protect the wallet or, without one, these views.',
      items: {
        type: 'object',
        title: 'WalletControl',
        description: 'One control.',
        required: ['id', 'title', 'statement', 'state'],
        properties: {
          id: idField('Stable identifier of the control.', 'leak-guard'),
          title: textField('The control in a few words.', 'Leak guard', 'line'),
          statement: textField(
            'What it does.',
            'Refuses to publish content that looks like a secret.',
          ),
          state: enumField(
            ['in_place', 'planned', 'retired'],
            'Whether the control is in place, planned or retired.',
            'in_place',
          ),
        },
      },
    },
    reviews: {
      type: 'array',
      description: 'Independent reviews, newest first. Empty if there were none.',
      items: {
        type: 'object',
        title: 'WalletReview',
        description: 'One review.',
        required: ['id', 'title', 'reviewer', 'completedOn', 'scope'],
        properties: {
          id: idField('Stable identifier of the review.', 'key-ceremony-review'),
          title: textField('The review in a few words.', 'Review of the key ceremony', 'line'),
          reviewer: textField('The reviewer.', 'An independent auditor'),
          completedOn: dayField('When it was completed (UTC date).', '2027-03-01'),
          scope: textField('Scope of the review.', 'Creation and storage of the keys.'),
          reportUrl: urlField('URL of the report.', 'https://example.org/report'),
        },
      },
    },
    neverPublished: {
      type: 'array',
      description: 'What these views never contain.',
      items: {
        type: 'object',
        title: 'WithheldData',
        description: 'One kind of data that is never published.',
        required: ['id', 'title', 'reason'],
        properties: {
          id: idField('Stable identifier of the entry.', 'private-keys'),
          title: textField('What is never published.', 'Private keys and seed phrases', 'line'),
          reason: textField(
            'The reason, or what prevents it.',
            'Publishing refuses content that holds one.',
          ),
        },
      },
    },
  },
} as const

/** `data` of `/wallet/evidence`. */
export const WALLET_EVIDENCE_SCHEMA = {
  type: 'object',
  title: 'Wallet evidence',
  description: 'Published evidence about the wallet that anyone can verify.',
  required: [...WALLET_HEAD_REQUIRED, 'evidence'],
  properties: {
    ...WALLET_HEAD,
    evidence: {
      type: 'array',
      description: 'Pieces of evidence, newest first. Empty while no wallet is attached.',
      items: {
        type: 'object',
        title: 'WalletEvidenceItem',
        description: 'One piece of evidence.',
        required: ['id', 'title', 'kind', 'statement', 'producedOn', 'verification'],
        properties: {
          id: idField('Stable identifier of the evidence.', 'control-of-keys-2027-03'),
          title: textField('The evidence in a few words.', 'Proof of control', 'line'),
          kind: enumField(
            ['signed_statement', 'audit_report', 'proof_of_reserves', 'test_report'],
            'Kind of evidence.',
            'signed_statement',
          ),
          statement: textField(
            'What it shows.',
            'The organization controlled the keys on that day.',
          ),
          producedOn: dayField('When it was produced (UTC date).', '2027-03-01'),
          verification: textField(
            'How anyone can verify it.',
            'Verify the signature in the document.',
          ),
          documentUrl: urlField('URL of the document.', 'https://example.org/proof'),
          documentSha256: {
            type: 'string',
            pattern: SHA256_HEX_PATTERN,
            description: 'SHA-256 of the document, in lower-case hexadecimal.',
            example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
          },
        },
      },
    },
  },
} as const

/** `data` of `/wallet/capabilities`. */
export const WALLET_CAPABILITIES_SCHEMA = {
  type: 'object',
  title: 'Wallet capabilities',
  description: 'What the wallet views can do, what is planned, and what they will never do.',
  required: [...WALLET_HEAD_REQUIRED, 'capabilities'],
  properties: {
    ...WALLET_HEAD,
    capabilities: {
      type: 'array',
      description: 'The capabilities.',
      items: {
        type: 'object',
        title: 'WalletCapability',
        description: 'One capability.',
        required: ['id', 'title', 'summary', 'state', 'needsWallet'],
        properties: {
          id: idField('Stable identifier of the capability.', 'read-published-views'),
          title: textField('The capability in a few words.', 'Read published views', 'line'),
          summary: textField('What it means.', 'Anyone can read what the operator published.'),
          state: enumField(
            ['available', 'planned', 'unavailable', 'never'],
            'Whether it is available, planned, unavailable, or excluded by design.',
            'available',
          ),
          needsWallet: {
            type: 'boolean',
            description: 'Whether it requires an attached wallet.',
            example: false,
          },
        },
      },
    },
  },
} as const

/** `data` of `/wallet/integration`. */
export const WALLET_INTEGRATION_SCHEMA = {
  type: 'object',
  title: 'Wallet integration',
  description:
    'The interfaces between the wallet views and other systems, and the data they carry.',
  required: [...WALLET_HEAD_REQUIRED, 'interfaces'],
  properties: {
    ...WALLET_HEAD,
    interfaces: {
      type: 'array',
      description: 'The interfaces.',
      items: {
        type: 'object',
        title: 'WalletInterface',
        description: 'One interface.',
        required: ['id', 'title', 'direction', 'state', 'summary'],
        properties: {
          id: idField('Stable identifier of the interface.', 'public-read-api'),
          title: textField('The interface in a few words.', 'Public read API', 'line'),
          direction: enumField(
            ['outbound', 'inbound'],
            'outbound: this service sends data. inbound: it receives data.',
            'outbound',
          ),
          state: enumField(
            ['live', 'planned', 'retired'],
            'Whether the interface is live, planned or retired.',
            'live',
          ),
          summary: textField('The data it carries.', 'Published snapshots as signed JSON.'),
        },
      },
    },
  },
} as const

/** `data` of `/wallet/development`. */
export const WALLET_DEVELOPMENT_SCHEMA = {
  type: 'object',
  title: 'Wallet development',
  description: 'Work on the wallet views and on attaching a wallet.',
  required: [...WALLET_HEAD_REQUIRED, 'items'],
  properties: {
    ...WALLET_HEAD,
    items: {
      type: 'array',
      description: 'The work, nearest horizon first.',
      items: {
        type: 'object',
        title: 'WalletWorkItem',
        description: 'One piece of work.',
        required: ['id', 'title', 'summary', 'horizon', 'state', 'since'],
        properties: {
          id: idField('Stable identifier of the item.', 'attachment-criteria'),
          title: textField('The work in a few words.', 'Criteria for attaching a wallet', 'line'),
          summary: textField('What will be done.', 'State what must hold before one is attached.'),
          horizon: enumField(HORIZONS, 'Planned horizon.', 'later'),
          state: enumField(QUEUE_STATES, 'Progress of the work.', 'queued'),
          since: dayField('First day of this state, in UTC.', '2026-11-21'),
        },
      },
    },
  },
} as const
