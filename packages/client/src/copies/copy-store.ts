import { isVersionEntry } from '#contract/history/entry-shape'
import { formatEtag } from '#contract/http/signature'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { BASE_PATH } from '#contract/terms/api-version'
import { sha256Base64url } from '#crypto'
import { decodeBase64, encodeBase64 } from '../base64.ts'
import type { HttpResponse } from '../http-response.ts'
import { fromPortable, isPortable, toPortable } from '../portable-response.ts'
import { parseBody } from '../read-body.ts'
import { verifyKeyDocument } from '../signing-keys.ts'
import { VerificationError } from '../verification-error.ts'
import { verifyResponse } from '../verify-response.ts'
import type { CopySettings } from './copy-settings.ts'
import type { DataProof } from './reader-memory.ts'

/** A stored result with the response that proves it. */
export interface StoredResult extends DataProof {
  /** Its data. */
  readonly data: unknown
  /** The key that signed the newest proof. */
  readonly keyId: string
  /** The response as it was stored. */
  readonly response: HttpResponse
}

/** Reads and writes the results of a reader, each with all that verifies it. */
export function openCopyStore({ origin, store, now, trusted }: CopySettings) {
  async function verifyRecord(target: string, text: string): Promise<StoredResult | undefined> {
    const record = parseBody(new TextEncoder().encode(text))
    const listed = propertyOf(record, 'responses')
    if (!Array.isArray(listed) || !listed.every(isPortable)) return undefined
    const [response, document, renewal] = listed.map(fromPortable)
    if (response === undefined || document === undefined) return undefined
    const keyIds = propertyOf(record, 'keyIds')
    const pinnedKeyIds = trusted() ?? (Array.isArray(keyIds) ? keyIds.map(String) : [])
    if (pinnedKeyIds.length === 0) {
      throw new VerificationError('UNKNOWN_KEY', 'no key is pinned, and the store names none')
    }
    const expected = { pinnedKeyIds, nowMs: now(), maxAgeSeconds: Infinity }
    const { keys } = await verifyKeyDocument({ ...document, ...expected })
    const { data, etag, ...first } = await verifyResponse({ ...response, ...expected, keys })
    if (etag === undefined || data === undefined) return undefined
    const { keyId, provedAtMs } =
      renewal === undefined
        ? first
        : await verifyResponse({ ...renewal, ...expected, keys, ifNoneMatch: etag })
    const proof = { keyId, provedAtMs, response }
    const isVersion = response.target === READ_PATHS.version
    const entry = isVersion && isVersionEntry(data) ? data : undefined
    if (response.target === target) {
      return isVersion && entry === undefined ? undefined : { ...proof, data, etag, entry }
    }
    // The version of a copy, with the bytes of a resource that it names.
    const bytes = decodeBase64(String(propertyOf(record, 'bodyBase64')))
    const digest = await sha256Base64url(bytes)
    const named = entry && propertyOf(entry.resources, target.slice(BASE_PATH.length + 1))
    return named === digest
      ? { ...proof, data: parseBody(bytes), etag: formatEtag(digest), entry }
      : undefined
  }

  return {
    /**
     * The stored result; undefined if it is missing or damaged. Throws a VerificationError (UNKNOWN_KEY) if no trusted key
     * signed it: without pins, those that the client had when it wrote the record.
     */
    async load(target: string): Promise<StoredResult | undefined> {
      try {
        const text = await store?.load(`${origin}\n${target}`)
        return text === undefined ? undefined : await verifyRecord(target, text)
      } catch (error) {
        if (error instanceof VerificationError && error.code === 'UNKNOWN_KEY') throw error
        // Damaged, or not readable: as if it were not there.
        return undefined
      }
    },

    /** Stores what proves a result; from a copy, also the bytes of the resource. Resolves with a warning if that failed. */
    async save(
      target: string,
      responses: readonly HttpResponse[],
      body?: Uint8Array,
    ): Promise<readonly string[]> {
      const record = {
        origin,
        keyIds: trusted(),
        responses: responses.map(toPortable),
        ...(body === undefined ? {} : { bodyBase64: encodeBase64(body) }),
      }
      try {
        await store?.save(`${origin}\n${target}`, JSON.stringify(record))
        return []
      } catch (error) {
        return [`STORE: not saved: ${String(error)}`]
      }
    },
  }
}
