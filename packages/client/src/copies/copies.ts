import { isVersionEntry } from '#contract/history/entry-shape'
import { formatEtag } from '#contract/http/signature'
import { COPIED_PATHS, READ_PATHS } from '#contract/registry/read-paths'
import { ConnectionError } from '../connection.ts'
import type { HttpResponse } from '../http-response.ts'
import { VerificationError } from '../verification-error.ts'
import type { Verified } from '../verified.ts'
import { CopyError } from './copy-error.ts'
import { digestIn, openMirror, type CopyMirror, type MirrorProof } from './copy-mirror.ts'
import type { CopySettings } from './copy-settings.ts'
import { openCopyStore, type StoredResult } from './copy-store.ts'
import { createReaderMemory, isAfter } from './reader-memory.ts'

/** A result of a copy, and its place. */
export type CopyResult = Verified<unknown> & {
  /** URL of the mirror; undefined for the store. */
  readonly mirror: string | undefined
}

/** What reads the copies of a service. */
export type Copies = ReturnType<typeof openCopies>

/** The proof of a mirror that may answer a read; `etag` is that of the target. */
type Candidate = MirrorProof & { readonly mirror: CopyMirror; readonly ageSeconds: number }

/** What one read passes over: a warning for each copy, and the first error of one that responded. */
function startPassing() {
  let failure: unknown
  const warnings: string[] = []
  return {
    warnings,
    failure: () => failure,
    /** Throws errors that are not the copy's own. */
    over(url: string, error: unknown): void {
      if (error instanceof ConnectionError) {
        warnings.push(`CONNECTION: ${url}: ${error.message}`)
      } else if (error instanceof VerificationError || error instanceof CopyError) {
        failure ??= error
        warnings.push(error.message.replace(': ', `: ${url}: `))
      } else throw error
    },
  }
}
type Passing = ReturnType<typeof startPassing>

/** What the store has of the newest version and of a target, remembered, and why the latter is refused. */
async function recall(
  target: string,
  stored: ReturnType<typeof openCopyStore>,
  memory: ReturnType<typeof createReaderMemory>,
) {
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

/** Opens the copies of a service. The URLs of mirrors are valid (`isMirrorUrl`). */
export function openCopies(settings: CopySettings) {
  const { maxAgeSeconds, now } = settings
  const memory = createReaderMemory()
  const stored = openCopyStore(settings)
  const mirrors = settings.mirrors.map((address) => openMirror(address, settings))

  function ageOf(provedAtMs: number): number {
    const ageSeconds = Math.floor(Math.max(0, now() - provedAtMs) / 1000)
    if (ageSeconds <= maxAgeSeconds) return ageSeconds
    const detail = `signed ${ageSeconds} s ago; expected at most ${maxAgeSeconds} s`
    throw new CopyError('STALE_COPY', detail)
  }

  /** The proofs of the mirrors that may have a target, the newest first; of one version, the first mirror. */
  async function askMirrors(
    target: string,
    passing: Passing,
    signal: AbortSignal | undefined,
  ): Promise<readonly Candidate[]> {
    const candidates: Candidate[] = []
    for (const mirror of mirrors) {
      try {
        const proof = await mirror.readProof(signal)
        memory.requireSameHistory(proof.entry)
        const ageSeconds = ageOf(proof.provedAtMs)
        const isVersion = target === READ_PATHS.version
        const etag = isVersion ? proof.etag : formatEtag(digestIn(proof.entry, target))
        memory.learnVersion(proof.entry, false)
        candidates.push({ ...proof, ageSeconds, etag, mirror })
      } catch (error) {
        passing.over(mirror.url, error)
      }
    }
    return candidates.toSorted((one, other) => other.entry.sequence - one.entry.sequence)
  }

  /** The result of one mirror, kept if it is newer than `last`. */
  async function readMirror(
    candidate: Candidate,
    target: string,
    last: StoredResult | undefined,
    warnings: string[],
    signal: AbortSignal | undefined,
  ): Promise<CopyResult> {
    const { mirror, keyId, provedAtMs, ageSeconds, response, keyDocument, entry } = candidate
    const { bytes, ...resource } = await mirror.readResource(candidate, target, signal)
    const isNewest = memory.ageOf(target, candidate) === undefined
    memory.learnProof(target, { etag: resource.etag, provedAtMs, entry })
    if (isNewest && bytes !== undefined && isAfter(candidate, last)) {
      warnings.push(...(await stored.save(target, [response, keyDocument], bytes)))
    }
    const about = { requestId: undefined, rateLimit: undefined, source: 'mirror' } as const
    const proof = { keyId, provedAtMs, ageSeconds, response, mirror: mirror.url }
    return { ...about, ...proof, ...resource, warnings }
  }

  function resultOfStore(target: string, last: StoredResult, warnings: string[]): CopyResult {
    const reason = memory.ageOf(target, last)
    if (reason !== undefined) warnings.push(`OLDER_COPY: store: ${reason}`)
    const { data, etag, keyId, provedAtMs, response } = last
    const about = { requestId: undefined, rateLimit: undefined, mirror: undefined } as const
    const proof = { data, etag, keyId, provedAtMs, ageSeconds: ageOf(provedAtMs), response }
    return { ...about, ...proof, source: 'store', warnings }
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
      const passing = startPassing()
      const { warnings } = passing
      const { version, last, refused } = await recall(target, stored, memory)
      const candidates = await askMirrors(target, passing, signal)
      // The next process must know of it, too.
      const [newest] = candidates
      if (newest !== undefined && isAfter(newest, version)) {
        const proofs = [newest.response, newest.keyDocument]
        warnings.push(...(await stored.save(READ_PATHS.version, proofs)))
      }
      const attempt = async (candidate: Candidate): Promise<CopyResult | undefined> => {
        try {
          return await readMirror(candidate, target, last, warnings, signal)
        } catch (error) {
          passing.over(candidate.mirror.url, error)
          return undefined
        }
      }
      const older = []
      for (const candidate of candidates) {
        const reason = memory.ageOf(target, candidate)
        const result = reason === undefined ? await attempt(candidate) : undefined
        if (result !== undefined) return result
        if (reason === undefined) continue
        warnings.push(`OLDER_COPY: ${candidate.mirror.url}: ${reason}`)
        older.push(candidate)
      }
      for (const candidate of older) {
        if (!isAfter(candidate, last)) break
        const result = await attempt(candidate)
        if (result !== undefined) return result
      }
      if (last !== undefined) return resultOfStore(target, last, warnings)
      throw passing.failure() ?? refused ?? outage
    },

    /** A resource of any version, whose digest is proved, from the first mirror with its bytes; undefined without one. */
    async readArchived(
      name: string,
      digest: string,
      signal: AbortSignal | undefined,
    ): Promise<unknown> {
      const passing = startPassing()
      for (const mirror of mirrors) {
        try {
          return (await mirror.readArchived(name, digest, signal)).data
        } catch (error) {
          passing.over(mirror.url, error)
        }
      }
      return undefined
    },

    /** Remembers a result of the service, and stores what proves it. Resolves with a warning if that failed. */
    async save(
      target: string,
      { data, etag, provedAtMs }: Pick<Verified<unknown>, 'data' | 'etag' | 'provedAtMs'>,
      responses: Iterable<HttpResponse | undefined>,
    ): Promise<readonly string[]> {
      // Another process may have stored a newer one.
      if (target === READ_PATHS.version) await recall(target, stored, memory)
      if (target.startsWith(READ_PATHS.version) && isVersionEntry(data)) {
        memory.learnVersion(data, true)
      }
      if (!COPIED_PATHS.has(target)) return []
      const proof = { etag, provedAtMs, entry: isVersionEntry(data) ? data : undefined }
      // A node of the service may be behind the others.
      if (memory.ageOf(target, proof) !== undefined) return []
      memory.learnProof(target, proof)
      const proofs = [...responses].filter((each) => each !== undefined)
      return settings.store === undefined ? [] : stored.save(target, proofs)
    },
  }
}
