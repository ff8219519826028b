import { propertyOf } from '#contract/json/property-of'
import type { Client } from '../client.ts'
import { ConnectionError } from '../connection.ts'
import { parseBody } from '../read-body.ts'

/** A published resource whose bytes the operator permanently removed. The chain keeps its digest and stays valid. */
export interface Redaction {
  /** Name of the resource, such as `status`. */
  readonly resource: string
  /** Digest of the removed bytes, as the chain records it: base64url SHA-256. */
  readonly digest: string
  /** As the operator states it. */
  readonly reason: string
  /** ISO 8601 UTC. */
  readonly redactedAt: string
}

/** More than a real service has. The list is not signed, so an attacker in between can lengthen it. */
const MAX_REDACTIONS = 10_000

function isRedaction(value: unknown): value is Redaction {
  return ['resource', 'digest', 'reason', 'redactedAt'].every(
    (name) => typeof propertyOf(value, name) === 'string',
  )
}

/**
 * The redactions that the archive lists; empty if the service has no archive. The list is information for a person: it is not
 * signed, and no check depends on it. `path` leads to the list of a copy that is not at the root of its host.
 */
export async function readRedactions(
  client: Client,
  signal: AbortSignal | undefined,
  path = '/archive/versions.json',
): Promise<readonly Redaction[]> {
  try {
    const options = signal === undefined ? {} : { signal }
    const { status, body } = await client.getUnverified(path, options)
    const listed = status === 200 ? propertyOf(parseBody(body), 'redactions') : undefined
    return Array.isArray(listed) ? listed.filter(isRedaction).slice(0, MAX_REDACTIONS) : []
  } catch (error) {
    if (error instanceof ConnectionError) return []
    throw error
  }
}
