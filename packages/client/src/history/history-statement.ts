import { isVersionSummary } from '#contract/history/entry-shape'
import { parseHistoryPage } from '#contract/history/history-page'
import type { VersionSummary } from '#contract/history/version-chain'
import { pathOf } from '#contract/http/request-target'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { BASE_PATH } from '#contract/terms/api-version'
import { verifyPortable, type PortableResponse } from '../portable-response.ts'
import type { PublishedKey } from '../verification-key.ts'
import type { VerifiedResponse } from '../verify-response.ts'

/**
 * What a successful response to a request states, whatever the state of the service: the newest version, every version
 * (`index`), some versions (a `page` says nothing about the others), one version, the signing keys, or the current data of
 * a resource if a version names it.
 */
export interface Claim {
  /** What it is about. */
  readonly kind: 'newest' | 'index' | 'page' | 'entry' | 'keys' | 'resource'
  /** ID of the version, or name of the resource; empty otherwise. */
  readonly name: string
}

const ENTRY_PREFIX = `${READ_PATHS.versions}/`
const RESOURCE_PREFIX = `${BASE_PATH}/`

/**
 * What a response to this request states. The target is parsed as the server parses it: the path is compared as received,
 * and only the history index reads its query. Undefined if it states nothing about the history.
 */
function claimOf(method: string, target: string): Claim | undefined {
  if (method !== 'GET') return undefined
  const path = pathOf(target)
  if (path === READ_PATHS.version) return { kind: 'newest', name: '' }
  if (path === READ_PATHS.signingKey) return { kind: 'keys', name: '' }
  if (path === READ_PATHS.versions) {
    const { limit, before } = parseHistoryPage(target)
    // Whether an unknown `before` is ignored depends on the versions of the moment.
    return { kind: limit === undefined && before === undefined ? 'index' : 'page', name: '' }
  }
  if (path.startsWith(ENTRY_PREFIX)) {
    return { kind: 'entry', name: path.slice(ENTRY_PREFIX.length) }
  }
  return path.startsWith(RESOURCE_PREFIX)
    ? { kind: 'resource', name: path.slice(RESOURCE_PREFIX.length) }
    : undefined
}

/** A verified response with what it states. */
export interface Statement extends VerifiedResponse {
  /** Undefined for an error, and for a response that states nothing about the history. */
  readonly claim: Claim | undefined
}

/** Verifies portable responses, whatever their age. Throws a VerificationError for the first that is invalid. */
export async function verifyStatements(
  portable: readonly PortableResponse[],
  keys: readonly PublishedKey[],
  pinnedKeyIds?: readonly string[],
): Promise<readonly Statement[]> {
  const statements: Statement[] = []
  for (const each of portable) {
    const claim = each.status === 200 ? claimOf(each.method, each.target) : undefined
    statements.push({ ...(await verifyPortable(each, keys, pinnedKeyIds)), claim })
  }
  return statements
}

/**
 * The versions in data of `version`, `versions` or `versions/{id}`, newest first. Empty for other data, and if one of
 * them is malformed.
 */
export function entriesOf(data: unknown): readonly VersionSummary[] {
  const entries = propertyOf(data, 'entries') ?? [data]
  return Array.isArray(entries) && entries.every(isVersionSummary) ? entries : []
}

/** The versions that a statement names, newest first. */
export function versionsIn({ claim, data }: Statement): readonly VersionSummary[] {
  if (claim === undefined || claim.kind === 'keys' || claim.kind === 'resource') return []
  const isList = claim.kind === 'index' || claim.kind === 'page'
  return isList === (propertyOf(data, 'entries') !== undefined) ? entriesOf(data) : []
}
