import type { VersionEntry } from '#contract/history/version-chain'
import { formatEtag } from '#contract/http/signature'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { BASE_PATH } from '#contract/terms/api-version'
import { sha256Base64url } from '#crypto'
import { ConnectionError, createConnection, type Connection } from '../connection.ts'
import { isUnsignedOutage } from '../http-response.ts'
import { parseBody } from '../read-body.ts'
import { VerificationError } from '../verification-error.ts'
import { CopyError } from './copy-error.ts'
import { verifyCopyProof } from './copy-proof.ts'
import type { CopySettings } from './copy-settings.ts'

/** `now.json` is parsed before it is verified, so its size is limited. */
const MAX_PROOF_BYTES = 2_000_000

/** A copy at another URL. */
export type CopyMirror = ReturnType<typeof openMirror>
/** Its verified `now.json`. */
export type MirrorProof = Awaited<ReturnType<typeof verifyCopyProof>>

/** A resource of a copy. */
interface CopiedResource {
  /** Its data. */
  readonly data: unknown
  /** Its entity tag. */
  readonly etag: string
  /** Its text, which the store keeps; none for the version, which is in the proof itself. */
  readonly bytes?: Uint8Array
}

/** The digest that a version names for a target. Throws a CopyError (NO_COPY) if it names none. */
export function digestIn(entry: VersionEntry, target: string): string {
  const name = target.slice(BASE_PATH.length + 1)
  const digest = propertyOf(entry.resources, name)
  if (typeof digest === 'string') return digest
  throw new CopyError('NO_COPY', `${entry.snapshotId} has no ${name}`)
}

async function bytesOf(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const response = await connection.send(path, {}, signal)
  const { status, body } = response
  if (isUnsignedOutage(response)) throw new ConnectionError(connection.origin + path, status)
  if (status === 200) return body
  throw new VerificationError('MALFORMED', `${path}: status ${status}`)
}

/** Reads one mirror; `address` is valid (`isMirrorUrl`). Its methods throw errors of the connection, and what does not verify. */
export function openMirror(address: string | URL, settings: CopySettings) {
  const { origin, fetch, limits, now, trusted } = settings
  const { origin: mirrorOrigin, pathname } = new URL(address)
  const path = pathname.replace(/\/*$/, '/')
  const maxBodyBytes = Math.min(MAX_PROOF_BYTES, limits.maxBodyBytes ?? MAX_PROOF_BYTES)
  const proofs = createConnection(mirrorOrigin, fetch, { ...limits, maxBodyBytes })
  const files = createConnection(mirrorOrigin, fetch, limits)

  async function readArchived(
    name: string,
    digest: string,
    signal: AbortSignal | undefined,
  ): Promise<CopiedResource> {
    const file = `${path}archive/resources/${name}/${digest}.json`
    const bytes = await bytesOf(files, file, signal)
    const found = await sha256Base64url(bytes)
    if (found !== digest) {
      throw new VerificationError('DIGEST', `${file}: expected ${digest}, found ${found}`)
    }
    const data = parseBody(bytes)
    if (data === undefined) throw new VerificationError('MALFORMED', `${file} is not JSON`)
    return { data, etag: formatEtag(digest), bytes }
  }

  return {
    /** A resource of any version, whose digest is proved. */
    readArchived,

    /** Origin and path, the path with a slash at its end. */
    url: mirrorOrigin + path,

    /** The verified `now.json`, of any age. */
    async readProof(signal: AbortSignal | undefined): Promise<MirrorProof> {
      const bytes = await bytesOf(proofs, `${path}now.json`, signal)
      const pinnedKeyIds = trusted()
      if (pinnedKeyIds === undefined) {
        throw new VerificationError(
          'UNKNOWN_KEY',
          'no key is pinned, and none is known from the service',
        )
      }
      return verifyCopyProof(bytes, { origin, pinnedKeyIds, nowMs: now() })
    },

    /** A resource that the proof names. */
    async readResource(
      { entry, etag }: Pick<MirrorProof, 'entry' | 'etag'>,
      target: string,
      signal: AbortSignal | undefined,
    ): Promise<CopiedResource> {
      if (target === READ_PATHS.version) return { data: entry, etag }
      const name = target.slice(BASE_PATH.length + 1)
      return readArchived(name, digestIn(entry, target), signal)
    },
  }
}
