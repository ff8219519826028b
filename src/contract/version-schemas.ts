import {
  enumField,
  hexHash,
  list,
  named,
  record,
  snapshotId,
  text,
  timestamp,
  whole,
} from './fields.ts'
import { SHA256_BASE64URL_PATTERN } from './identifier-patterns.ts'
import { CHANGE_KINDS, GENESIS_PREVIOUS_HASH } from './version-chain.ts'

const digest = {
  type: 'string',
  pattern: SHA256_BASE64URL_PATTERN,
  description:
    'base64url SHA-256 of the canonical JSON (RFC 8785) of the resource’s data; the value between the quotes of its ETag.',
  example: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
} as const

const versionSummaryProperties = {
  snapshotId: snapshotId('ID of the version.'),
  sequence: whole('Position in the history, starting with 1.', 1),
  createdAt: timestamp('When it was published.'),
  previousHash: hexHash(
    'Hash of the previous version; 64 zeros for the first.',
    GENESIS_PREVIOUS_HASH,
  ),
  hash: hexHash('SHA-256 over a label line and the canonical JSON of this entry without its hash.'),
} as const

/** `data` of one version. */
export const VERSION_SNAPSHOT_SCHEMA = record('One entry of the version history.', {
  ...versionSummaryProperties,
  apiVersion: text('Major version of the API at the time.', 'v1'),
  registryVersion: text('Registry version at the time.', '1.0.0'),
  resources: {
    type: 'object',
    description: 'Digest of each published resource, by path below the base path.',
    example: { status: digest.example },
    additionalProperties: digest,
  },
  changes: list(
    'Changes from the previous version.',
    named('ResourceChange', 'One change.', {
      resource: text('The resource, by its path below the base path.', 'status'),
      kind: enumField(CHANGE_KINDS, 'Kind of the change.', 'changed'),
    }),
  ),
  note: text('Release note of the operator.', 'Opens the waitlist.'),
})

/** `data` of the version history. */
export const VERSION_HISTORY_SCHEMA = record('The hash-chained index of all versions.', {
  algorithm: text('How the hashes are computed.', 'SHA-256 over svc-version-v1 and RFC 8785 JSON'),
  count: whole('Number of versions in the whole history.', 1),
  head: named('VersionHead', 'The newest version.', {
    snapshotId: snapshotId('ID of the newest version.'),
    hash: hexHash('Hash of the newest version.'),
  }),
  entries: list(
    'Every version, or those of the requested page, newest first.',
    named('VersionEntry', 'One version.', versionSummaryProperties),
  ),
})
