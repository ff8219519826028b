import { propertyOf } from '../json/property-of.ts'
import {
  RESOURCE_NAME_PATTERN,
  SHA256_BASE64URL_PATTERN,
  SHA256_HEX_PATTERN,
  SNAPSHOT_ID_PATTERN,
} from '../terms/identifier-patterns.ts'
import { parseInstant } from '../text/instant.ts'
import type { VersionEntry, VersionSummary } from './version-chain.ts'

/** A member of a version entry that does not have the form that every entry has. */
export interface ShapeFault {
  /** Name of the member; empty for the entry itself. */
  readonly member: string
  /** The expected form, in words. */
  readonly expected: string
  /** The member. */
  readonly value: unknown
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'

const matches = (source: string): Check => {
  const pattern = new RegExp(source)
  return (value) => typeof value === 'string' && pattern.test(value)
}

const isDigest = matches(SHA256_BASE64URL_PATTERN)
const isResourceName = matches(RESOURCE_NAME_PATTERN)
const isHash = matches(SHA256_HEX_PATTERN)

const isResources: Check = (value) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, digest]) => isResourceName(name) && isDigest(digest))

const isChange: Check = (value) =>
  ['resource', 'kind'].every((name) => isText(propertyOf(value, name)))

type Shape = readonly (readonly [member: string, expected: string, check: Check])[]

const SUMMARY: Shape = [
  ['snapshotId', 'a version ID', matches(SNAPSHOT_ID_PATTERN)],
  ['sequence', 'a positive integer', (value) => Number.isSafeInteger(value) && Number(value) >= 1],
  [
    'createdAt',
    'a UTC time',
    (value) => typeof value === 'string' && parseInstant(value) !== undefined,
  ],
  ['previousHash', 'a SHA-256 in hex', isHash],
  ['hash', 'a SHA-256 in hex', isHash],
]

const ENTRY: Shape = [
  ...SUMMARY,
  ['apiVersion', 'text', isText],
  ['registryVersion', 'text', isText],
  ['resources', 'resource names with their digests', isResources],
  ['changes', 'a list of changes', (value) => Array.isArray(value) && value.every(isChange)],
  ['note', 'text', isText],
]

function findFault(value: unknown, shape: Shape): ShapeFault | undefined {
  if (typeof value !== 'object' || value === null) {
    return { member: '', expected: 'an object', value }
  }
  for (const [member, expected, check] of shape) {
    const found = propertyOf(value, member)
    if (!check(found)) return { member, expected, value: found }
  }
  return undefined
}

/** The first member of a version entry that is missing or malformed. Additional members are allowed. */
export function findEntryShapeFault(value: unknown): ShapeFault | undefined {
  return findFault(value, ENTRY)
}

/** The same for an entry of the index. */
export function findSummaryShapeFault(value: unknown): ShapeFault | undefined {
  return findFault(value, SUMMARY)
}

/** Whether a value has the form of an entry of the index; a whole entry has it too. */
export function isVersionSummary(value: unknown): value is VersionSummary {
  return findSummaryShapeFault(value) === undefined
}

/** Whether a value has the form of a version entry. */
export function isVersionEntry(value: unknown): value is VersionEntry {
  return findEntryShapeFault(value) === undefined
}
