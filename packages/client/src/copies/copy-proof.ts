import { isVersionEntry } from '#contract/history/entry-shape'
import {
  formatSnapshotId,
  versionHashText,
  type VersionEntry,
} from '#contract/history/version-chain'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { sha256Hex } from '#crypto'
import type { HttpResponse } from '../http-response.ts'
import { fromPortable, isPortable, type PortableResponse } from '../portable-response.ts'
import { parseBody } from '../read-body.ts'
import { verifyKeyDocument } from '../signing-keys.ts'
import { VerificationError } from '../verification-error.ts'
import { verifyResponse } from '../verify-response.ts'

/** `schema` of `now.json`, the file at the root of a copy that proves how old the copy is. */
export const COPY_SCHEMA = 'svc.public.copy.v1'

/** `now.json`: responses of the service, which anyone can verify later. */
export interface CopyProof {
  /** Names this format. */
  readonly schema: typeof COPY_SCHEMA
  /** Origin of the service. */
  readonly origin: string
  /** Of `/api/v1/version`, then of the signing-key document, then of resources. */
  readonly responses: readonly PortableResponse[]
}

/** Rejects with a VerificationError unless the data is a version entry with its own number and hash. */
export async function requireEntry(data: unknown): Promise<VersionEntry> {
  const isEntry = isVersionEntry(data) && formatSnapshotId(data.sequence) === data.snapshotId
  if (isEntry && (await sha256Hex(versionHashText(data))) === data.hash) return data
  throw new VerificationError(
    'MALFORMED',
    'the response to /api/v1/version is not a version entry with its number and hash',
  )
}

function parseProof(bytes: Uint8Array, origin: string): readonly PortableResponse[] {
  const proof = parseBody(bytes)
  const responses = propertyOf(proof, 'responses')
  if (propertyOf(proof, 'schema') !== COPY_SCHEMA || !Array.isArray(responses)) {
    throw new VerificationError('MALFORMED', `now.json does not have the schema ${COPY_SCHEMA}`)
  }
  if (propertyOf(proof, 'origin') !== origin) {
    throw new VerificationError('MALFORMED', `now.json is not a copy of ${origin}`)
  }
  if (!responses.every(isPortable)) {
    throw new VerificationError('MALFORMED', 'a response in now.json is incomplete')
  }
  return responses
}

function responseIn(
  responses: readonly PortableResponse[],
  at: number,
  wanted: string,
): HttpResponse {
  const found = responses[at]
  if (found?.method !== 'GET' || found.target !== wanted || found.status !== 200) {
    throw new VerificationError(
      'MALFORMED',
      `now.json has no response to GET ${wanted} in its place`,
    )
  }
  return fromPortable(found)
}

/**
 * Verifies the bytes of `now.json`, at any age: the caller decides how old is too old. Without pinned key IDs it proves only
 * that the copy agrees with itself. The responses with resources are verified apart, because no reader uses them. Rejects with a VerificationError.
 */
export async function verifyCopyProof(
  bytes: Uint8Array,
  trust: Pick<CopyProof, 'origin'> & {
    readonly pinnedKeyIds: readonly string[]
    readonly nowMs: number
  },
) {
  const { origin, pinnedKeyIds, nowMs } = trust
  const responses = parseProof(bytes, origin)
  const response = responseIn(responses, 0, READ_PATHS.version)
  const keyDocument = responseIn(responses, 1, READ_PATHS.signingKey)
  const pins = pinnedKeyIds.length === 0 ? {} : { pinnedKeyIds }
  const expected = { ...pins, nowMs, maxAgeSeconds: Infinity }
  const { keys } = await verifyKeyDocument({ ...keyDocument, ...expected })
  const verified = await verifyResponse({ ...response, ...expected, keys })
  const { data, etag = '', keyId, provedAtMs } = verified
  const keyIds = keys.map((key) => key.keyId)
  async function verifyResources(): Promise<void> {
    for (const each of responses.slice(2)) {
      await verifyResponse({ ...fromPortable(each), ...expected, keys })
    }
  }
  return {
    entry: await requireEntry(data),
    etag,
    keyId,
    provedAtMs,
    keyIds,
    response,
    keyDocument,
    verifyResources,
  }
}
