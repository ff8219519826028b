import { formatEtag } from '#contract/http/signature'
import { propertyOf } from '#contract/json/property-of'
import { COPIED_PATHS, READ_PATHS } from '#contract/registry/read-paths'
import { BASE_PATH } from '#contract/terms/api-version'
import { sha256Base64url } from '#crypto'
import {
  ConnectionError,
  createConnection,
  type ConnectionLimits,
  type Fetch,
} from '../connection.ts'
import { isUnsignedOutage, type HttpResponse } from '../http-response.ts'
import { fromPortable, isPortable, toPortable } from '../portable-response.ts'
import { parseBody } from '../read-body.ts'
import { verifyKeyDocument } from '../signing-keys.ts'
import { VerificationError } from '../verification-error.ts'
import type { Verified } from '../verified.ts'
import { verifyResponse } from '../verify-response.ts'
import { CopyError } from './copy-error.ts'
import { verifyCopyProof } from './copy-proof.ts'

/** Stores texts by name. `createFileResponseStore` of `@public-api/client/node` has one for Node. */
export interface ResponseStore {
  /** The text that was saved last under a name, or undefined. */
  load(name: string): Promise<string | undefined>
  /** Replaces the text of a name. */
  save(name: string, text: string): Promise<void>
}

/** What reading copies needs of the client. */
export interface CopySettings {
  /** Origin of the service. */
  readonly origin: string
  /** URLs of copies, in their order. */
  readonly mirrors: readonly (string | URL)[]
  /** Maximum age of a copy. */
  readonly maxAgeSeconds: number
  /** Has the last verified responses. */
  readonly store: ResponseStore | undefined
  /** Sends the requests. */
  readonly fetch: Fetch
  /** Limits of a response. */
  readonly limits: ConnectionLimits
  /** The clock: milliseconds since 1970. */
  readonly now: () => number
  /** IDs of the keys to trust; undefined while none is known. */
  readonly trusted: () => readonly string[] | undefined
}

/** `now.json` is parsed before it is verified, so its size is limited. */
const MAX_PROOF_BYTES = 2_000_000

/** Origin and path of a copy, the path with a slash at its end. Throws a TypeError. */
function mirrorOf(mirror: string | URL) {
  const { origin, pathname, href } = new URL(mirror)
  if (!/^https?:/.test(href) || href !== origin + pathname) {
    throw new TypeError('mirrors: expected URLs such as https://copy.example.net/status/')
  }
  return { origin, path: pathname.replace(/\/*$/, '/') }
}

/** Opens the copies of a service. Throws a TypeError for the URL of a copy that is not valid. */
export function openCopies(settings: CopySettings) {
  const { origin, maxAgeSeconds, store, now, trusted } = settings
  const maxBodyBytes = Math.min(MAX_PROOF_BYTES, settings.limits.maxBodyBytes ?? MAX_PROOF_BYTES)
  const mirrors = settings.mirrors.map(mirrorOf).map((mirror) => {
    const connect = (limits: ConnectionLimits) =>
      createConnection(mirror.origin, settings.fetch, limits)
    const proofs = connect({ ...settings.limits, maxBodyBytes })
    return { ...mirror, proofs, files: connect(settings.limits) }
  })
  type Mirror = (typeof mirrors)[number]

  function ageOf(provedAtMs: number): number {
    const ageSeconds = Math.floor(Math.max(0, now() - provedAtMs) / 1000)
    if (ageSeconds <= maxAgeSeconds) return ageSeconds
    const detail = `signed ${ageSeconds} s ago; expected at most ${maxAgeSeconds} s`
    throw new CopyError('STALE_COPY', detail)
  }

  async function bytesOf(
    connection: Mirror['files'],
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const response = await connection.send(path, {}, signal)
    const { status, body } = response
    if (isUnsignedOutage(response)) throw new ConnectionError(connection.origin + path, status)
    if (status === 200) return body
    throw new VerificationError('MALFORMED', `${path}: status ${status}`)
  }

  async function readMirror(
    { origin: site, path, proofs, files }: Mirror,
    target: string,
    signal: AbortSignal | undefined,
  ): Promise<Omit<Verified<unknown>, 'warnings'>> {
    const proof = await bytesOf(proofs, `${path}now.json`, signal)
    const pinnedKeyIds = trusted()
    if (pinnedKeyIds === undefined) {
      throw new VerificationError(
        'UNKNOWN_KEY',
        'no key is pinned, and none is known from the service',
      )
    }
    const newest = await verifyCopyProof(proof, { origin, pinnedKeyIds, nowMs: now() })
    const { entry, etag, keyId, provedAtMs, response } = newest
    const about = {
      keyId,
      provedAtMs,
      ageSeconds: ageOf(provedAtMs),
      source: 'mirror',
      requestId: undefined,
      rateLimit: undefined,
      response,
    } as const
    if (target === READ_PATHS.version) return { ...about, data: entry, etag }
    const name = target.slice(BASE_PATH.length + 1)
    const digest = propertyOf(entry.resources, name)
    if (typeof digest !== 'string') {
      throw new CopyError('NO_COPY', `${entry.snapshotId} of ${site} has no ${name}`)
    }
    const file = `${path}archive/resources/${name}/${digest}.json`
    const body = await bytesOf(files, file, signal)
    const found = await sha256Base64url(body)
    if (found !== digest) {
      throw new VerificationError('DIGEST', `${file}: expected ${digest}, found ${found}`)
    }
    const data = parseBody(body)
    if (data === undefined) throw new VerificationError('MALFORMED', `${file} is not JSON`)
    return { ...about, data, etag: formatEtag(digest) }
  }

  /** The stored response; undefined if it is missing or does not verify. */
  async function readStored(target: string) {
    try {
      const text = await store?.load(`${origin}\n${target}`)
      const listed = propertyOf(parseBody(new TextEncoder().encode(text ?? '')), 'responses')
      if (!Array.isArray(listed) || !listed.every(isPortable)) return undefined
      const [response, document, renewal] = listed.map(fromPortable)
      if (response?.target !== target || document === undefined) return undefined
      const expected = { pinnedKeyIds: trusted(), nowMs: now(), maxAgeSeconds: Infinity }
      const { keys } = await verifyKeyDocument({ ...document, ...expected })
      const { data, etag, ...first } = await verifyResponse({ ...response, ...expected, keys })
      if (etag === undefined || data === undefined) return undefined
      const { keyId, provedAtMs } =
        renewal === undefined
          ? first
          : await verifyResponse({ ...renewal, ...expected, keys, ifNoneMatch: etag })
      return { data, etag, keyId, provedAtMs, response }
    } catch {
      // Damaged, or not readable: as if it were not there.
      return undefined
    }
  }

  return {
    /**
     * The newest copy of a published resource. Throws a CopyError, the VerificationError of the first copy that responded, or
     * `outage`, the error of the service.
     */
    async read(
      target: string,
      outage: unknown,
      signal: AbortSignal | undefined,
    ): Promise<Verified<unknown>> {
      if (!COPIED_PATHS.has(target)) {
        throw new CopyError('NO_COPY', `${target} is not a published resource`, outage)
      }
      const warnings: string[] = []
      let failure: unknown
      for (const mirror of mirrors) {
        try {
          return { ...(await readMirror(mirror, target, signal)), warnings }
        } catch (error) {
          const url = mirror.origin + mirror.path
          if (error instanceof ConnectionError) {
            warnings.push(`CONNECTION: ${url}: ${error.message}`)
          } else if (error instanceof VerificationError || error instanceof CopyError) {
            failure ??= error
            warnings.push(error.message.replace(': ', `: ${url}: `))
          } else throw error
        }
      }
      const stored = await readStored(target)
      if (stored === undefined) throw failure ?? outage
      const ageSeconds = ageOf(stored.provedAtMs)
      const none = { requestId: undefined, rateLimit: undefined }
      return { ...stored, ...none, ageSeconds, source: 'store', warnings }
    },

    /** Stores what proves a result. Resolves with a warning if that failed. */
    async save(target: string, responses: readonly HttpResponse[]): Promise<readonly string[]> {
      if (store === undefined || !COPIED_PATHS.has(target)) return []
      try {
        const text = JSON.stringify({ origin, responses: responses.map(toPortable) })
        await store.save(`${origin}\n${target}`, text)
        return []
      } catch (error) {
        return [`STORE: not saved: ${String(error)}`]
      }
    },
  }
}
