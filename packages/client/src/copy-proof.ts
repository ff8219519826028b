import { isVersionEntry } from '#contract/history/entry-shape'
import type { VersionEntry } from '#contract/history/version-chain'
import { CLIENT_HEADERS } from '#contract/http/client-headers'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { parseInstant } from '#contract/text/instant'
import { decodeBase64 } from './base64.ts'
import type { Client } from './client.ts'
import { readHeaders } from './header-fields.ts'
import { isPortable, type PortableResponse, toPortable } from './portable-response.ts'
import { verifyKeyDocument } from './signing-keys.ts'
import { VerificationError } from './verification-error.ts'
import { verifyResponse } from './verify-response.ts'

/** `schema` of `now.json`, the file at the root of a copy that proves how old the copy is. */
export const COPY_SCHEMA = 'svc.public.copy.v1'

/** Resources with larger bodies are not in `now.json`: the copy has them under the digest that the version names. */
const MAX_RESOURCE_BYTES = 65_536

/** `now.json`: responses of the service, which anyone can verify later. */
export interface CopyProof {
  readonly schema: typeof COPY_SCHEMA
  /** Origin of the service. */
  readonly origin: string
  /** Of `/api/v1/version`, then of the signing-key document, then of resources. */
  readonly responses: readonly PortableResponse[]
}

/**
 * Asks a service for what `now.json` holds: its newest version, its keys, and each resource of that version whose response
 * has at most 64 KiB. Every response is verified. Rejects as `client.get` does. A resource that another version replaced in
 * the meantime is left out.
 */
export async function fetchCopyProof(client: Client): Promise<CopyProof & { entry: VersionEntry }> {
  const version = await client.get(READ_PATHS.version)
  const entry = requireEntry(version.data)
  const keyDocument = await client.get(READ_PATHS.signingKey)
  const responses = [version, keyDocument].map(({ response }) => toPortable(response))
  for (const [name, digest] of Object.entries(entry.resources)) {
    if (name.includes('site/')) continue
    const { etag, response } = await client.get(`${READ_PATHS.index}/${name}`)
    const isSame = etag === `W/"${digest}"`
    if (isSame && response.body.length <= MAX_RESOURCE_BYTES) responses.push(toPortable(response))
  }
  return { schema: COPY_SCHEMA, origin: client.origin, responses, entry }
}

function requireEntry(data: unknown): VersionEntry {
  if (isVersionEntry(data)) return data
  throw new VerificationError('MALFORMED', 'the response to /api/v1/version is not a version entry')
}

/** What a copy proves. */
export interface VerifiedCopy {
  /** The version that was the newest. */
  readonly entry: VersionEntry
  /** When it was the newest: the time of its signature, in milliseconds since 1970. */
  readonly provedAtMs: number
  /** IDs of the keys that the copy's key document lists. */
  readonly keyIds: readonly string[]
}

function parseProof(text: string, origin: string): readonly PortableResponse[] {
  let proof: unknown
  try {
    proof = JSON.parse(text)
  } catch {
    throw new VerificationError('MALFORMED', 'now.json is not JSON')
  }
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

function responseIn(responses: readonly PortableResponse[], at: number, wanted: string) {
  const found = responses[at]
  if (found?.method !== 'GET' || found.target !== wanted || found.status !== 200) {
    throw new VerificationError(
      'MALFORMED',
      `now.json has no response to GET ${wanted} in its place`,
    )
  }
  const { bodyBase64, ...asked } = found
  try {
    return { ...asked, body: decodeBase64(bodyBase64) }
  } catch {
    throw new VerificationError('MALFORMED', 'bodyBase64 is not base64')
  }
}

/**
 * Verifies the text of `now.json`, at any age: the caller decides how old is too old. Without pinned key IDs it proves only
 * that the copy agrees with itself. Rejects with a VerificationError.
 */
export async function verifyCopyProof(
  text: string,
  { origin, pinnedKeyIds }: { readonly origin: string; readonly pinnedKeyIds: readonly string[] },
): Promise<VerifiedCopy> {
  const responses = parseProof(text, origin)
  const version = responseIn(responses, 0, READ_PATHS.version)
  const keyDocument = responseIn(responses, 1, READ_PATHS.signingKey)
  const signedAtMs = ({ headers }: typeof version): number =>
    parseInstant(readHeaders(headers)(CLIENT_HEADERS.signedAt) ?? '') ?? 0
  const pins = pinnedKeyIds.length === 0 ? {} : { pinnedKeyIds }
  const { keys } = await verifyKeyDocument({
    ...keyDocument,
    ...pins,
    nowMs: signedAtMs(keyDocument),
  })
  const { data, provedAtMs } = await verifyResponse({
    ...version,
    ...pins,
    keys,
    nowMs: signedAtMs(version),
  })
  return { entry: requireEntry(data), provedAtMs, keyIds: keys.map(({ keyId }) => keyId) }
}
