import { isVersionEntry } from '#contract/history/entry-shape'
import type { VersionEntry } from '#contract/history/version-chain'
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
import { parseBody } from '../read-body.ts'
import { VerificationError } from '../verification-error.ts'
import type { Verified } from '../verified.ts'
import { CopyError } from './copy-error.ts'
import { verifyCopyProof } from './copy-proof.ts'
import { openCopyStore } from './copy-store.ts'
import { createReaderMemory, isAfter } from './reader-memory.ts'

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

/** Origin and path of a copy, the path with a slash at its end. */
function mirrorOf(mirror: string | URL) {
  const { origin, pathname } = new URL(mirror)
  return { origin, path: pathname.replace(/\/*$/, '/') }
}

/** A result of a copy, and its place. */
export type CopyResult = Verified<unknown> & {
  /** URL of the mirror; undefined for the store. */
  readonly mirror: string | undefined
}

/** What reads the copies of a service. */
export type Copies = ReturnType<typeof openCopies>

/** Opens the copies of a service. The URLs of mirrors are valid (`isMirrorUrl`). */
export function openCopies(settings: CopySettings) {
  const { origin, maxAgeSeconds, now, trusted } = settings
  const memory = createReaderMemory()
  const stored = openCopyStore(settings)
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

  /** The verified `now.json` of a mirror. */
  async function readProof({ path, proofs }: Mirror, signal: AbortSignal | undefined) {
    const bytes = await bytesOf(proofs, `${path}now.json`, signal)
    const pinnedKeyIds = trusted()
    if (pinnedKeyIds === undefined) {
      throw new VerificationError(
        'UNKNOWN_KEY',
        'no key is pinned, and none is known from the service',
      )
    }
    const proof = await verifyCopyProof(bytes, { origin, pinnedKeyIds, nowMs: now() })
    memory.requireSameHistory(proof.entry)
    const ageSeconds = ageOf(proof.provedAtMs)
    return { ...proof, ageSeconds }
  }
  type MirrorProof = Awaited<ReturnType<typeof readProof>>
  type Copy = MirrorProof & { readonly mirror: Mirror; readonly url: string }

  /** The digest that a version names for a target. Throws a CopyError if it names none. */
  function digestIn(entry: VersionEntry, target: string): string {
    const name = target.slice(BASE_PATH.length + 1)
    const digest = propertyOf(entry.resources, name)
    if (typeof digest === 'string') return digest
    throw new CopyError('NO_COPY', `${entry.snapshotId} has no ${name}`)
  }

  /** A resource of a mirror, with its bytes; none for the version, which is in the proof itself. */
  async function readResource(
    { path, files }: Mirror,
    { entry, etag }: MirrorProof,
    target: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly data: unknown; readonly etag: string; readonly bytes?: Uint8Array }> {
    if (target === READ_PATHS.version) return { data: entry, etag }
    const digest = digestIn(entry, target)
    const file = `${path}archive/resources/${target.slice(BASE_PATH.length + 1)}/${digest}.json`
    const bytes = await bytesOf(files, file, signal)
    const found = await sha256Base64url(bytes)
    if (found !== digest) {
      throw new VerificationError('DIGEST', `${file}: expected ${digest}, found ${found}`)
    }
    const data = parseBody(bytes)
    if (data === undefined) throw new VerificationError('MALFORMED', `${file} is not JSON`)
    return { data, etag: formatEtag(digest), bytes }
  }

  /** What the store has of the newest version and of a target, remembered, and why the latter is refused. */
  async function recall(target: string) {
    const load = async (name: string) => {
      try {
        return { result: await stored.load(name), refused: undefined }
      } catch (error) {
        return { result: undefined, refused: error }
      }
    }
    const version = await load(READ_PATHS.version)
    const entry = version.result?.entry
    if (entry !== undefined) memory.learnVersion(entry, false)
    const wanted = target === READ_PATHS.version ? version : await load(target)
    if (wanted.result !== undefined) memory.learnProof(target, wanted.result)
    return { version: version.result, last: wanted.result, refused: wanted.refused }
  }

  return {
    /**
     * The newest copy of a published resource, and never one that is older than what this reader verified without a warning
     * that says so. Throws a CopyError, the VerificationError of the first copy that responded, or `outage`, the error of the
     * service.
     */
    async read(
      target: string,
      outage: unknown,
      signal: AbortSignal | undefined,
    ): Promise<CopyResult> {
      if (!COPIED_PATHS.has(target)) {
        throw new CopyError('NO_COPY', `${target} is not a published resource`, outage)
      }
      const warnings: string[] = []
      let failure: unknown
      const passOver = (url: string, error: unknown): void => {
        if (error instanceof ConnectionError) {
          warnings.push(`CONNECTION: ${url}: ${error.message}`)
        } else if (error instanceof VerificationError || error instanceof CopyError) {
          failure ??= error
          warnings.push(error.message.replace(': ', `: ${url}: `))
        } else throw error
      }
      const { version, last, refused } = await recall(target)
      const copies: Copy[] = []
      for (const mirror of mirrors) {
        const url = mirror.origin + mirror.path
        try {
          const proof = await readProof(mirror, signal)
          const isVersion = target === READ_PATHS.version
          const etag = isVersion ? proof.etag : formatEtag(digestIn(proof.entry, target))
          memory.learnVersion(proof.entry, false)
          copies.push({ ...proof, etag, mirror, url })
        } catch (error) {
          passOver(url, error)
        }
      }
      // Of one version, the first.
      copies.sort((one, other) => other.entry.sequence - one.entry.sequence)
      // The next process must know of it, too.
      const [newest] = copies
      if (newest !== undefined && isAfter(newest, version)) {
        const proofs = [newest.response, newest.keyDocument]
        warnings.push(...(await stored.save(READ_PATHS.version, proofs)))
      }

      async function resultOf(copy: Copy): Promise<CopyResult> {
        const { bytes, ...resource } = await readResource(copy.mirror, copy, target, signal)
        const { keyId, provedAtMs, ageSeconds, response, keyDocument, entry } = copy
        const isNewest = memory.ageOf(target, copy) === undefined
        memory.learnProof(target, { etag: resource.etag, provedAtMs, entry })
        const proofs = [response, keyDocument]
        if (isNewest && bytes !== undefined && isAfter(copy, last)) {
          warnings.push(...(await stored.save(target, proofs, bytes)))
        }
        const about = { requestId: undefined, rateLimit: undefined, source: 'mirror' } as const
        const proof = { keyId, provedAtMs, ageSeconds, response, mirror: copy.url }
        return { ...about, ...proof, ...resource, warnings }
      }

      const older = []
      for (const copy of copies) {
        const reason = memory.ageOf(target, copy)
        if (reason === undefined) {
          try {
            return await resultOf(copy)
          } catch (error) {
            passOver(copy.url, error)
          }
        } else {
          warnings.push(`OLDER_COPY: ${copy.url}: ${reason}`)
          older.push(copy)
        }
      }
      for (const copy of older) {
        if (!isAfter(copy, last)) break
        try {
          return await resultOf(copy)
        } catch (error) {
          passOver(copy.url, error)
        }
      }
      if (last !== undefined) {
        const reason = memory.ageOf(target, last)
        if (reason !== undefined) warnings.push(`OLDER_COPY: store: ${reason}`)
        const { data, etag, keyId, provedAtMs, response } = last
        const about = { requestId: undefined, rateLimit: undefined, mirror: undefined } as const
        const ageSeconds = ageOf(provedAtMs)
        const proof = { data, etag, keyId, provedAtMs, ageSeconds, response }
        return { ...about, ...proof, source: 'store', warnings }
      }
      throw failure ?? refused ?? outage
    },

    /** Remembers a result of the service, and stores what proves it. Resolves with a warning if that failed. */
    async save(
      target: string,
      { data, etag, provedAtMs }: Pick<Verified<unknown>, 'data' | 'etag' | 'provedAtMs'>,
      responses: readonly HttpResponse[],
    ): Promise<readonly string[]> {
      // Another process may have stored a newer one.
      if (target === READ_PATHS.version) await recall(target)
      if (target.startsWith(READ_PATHS.version) && isVersionEntry(data)) {
        memory.learnVersion(data, true)
      }
      if (!COPIED_PATHS.has(target)) return []
      const proof = { etag, provedAtMs, entry: isVersionEntry(data) ? data : undefined }
      // A node of the service may be behind the others.
      if (memory.ageOf(target, proof) !== undefined) return []
      memory.learnProof(target, proof)
      return settings.store === undefined ? [] : stored.save(target, responses)
    },
  }
}
