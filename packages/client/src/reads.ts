import { READ_PATHS } from '#contract/registry/read-paths'
import type { HttpResponse } from './http-response.ts'
import type { RateLimit } from './rate-limit.ts'
import type { DataByRead, Reads } from './resources.ts'

/** Name of an endpoint that is read with GET. */
export type ReadName = keyof DataByRead

/** Data of a read endpoint: `data` of its envelope. Never if every read is refused. */
export type ReadData<Name extends ReadName> = DataByRead[Name]

/** The read endpoint of a path without parameter. */
type NameOfPath<Path extends string> = {
  [Name in ReadName]: (typeof READ_PATHS)[Name] extends Path ? Name : never
}[ReadName]

/** Data of a target: typed by its path if that is a literal path of the API, else unknown. */
export type DataOfTarget<Target extends string> = string extends Target
  ? unknown
  : Target extends `${infer Path}?${string}`
    ? DataOfTarget<Path>
    : [NameOfPath<Target>] extends [never]
      ? unknown
      : ReadData<NameOfPath<Target>>

/** Options of a read. */
export interface ReadOptions {
  /** Ends the read with its reason. */
  readonly signal?: AbortSignal
  /**
   * Requests a response that was created for this call: a random query parameter bypasses every cache. The signature
   * covers the target, so an older response fails verification. A copy never replaces it.
   */
  readonly fresh?: boolean
  /** Whether a copy may replace the response of a service that is away. Default: true. */
  readonly copies?: boolean
}

/** Verified data with its proof. */
export interface Verified<Data> {
  /** `data` of the envelope, or the whole document if it has no envelope. */
  readonly data: Data
  /** The entity tag of `data`, computed from it. */
  readonly etag: string
  /** RFC 7638 ID of the signing key. */
  readonly keyId: string
  /** When the data was last signed as current: milliseconds since 1970. */
  readonly provedAtMs: number
  /** Id of the request, for questions to the operator. Undefined for openapi.json, which has no envelope. */
  readonly requestId: string | undefined
  /** Quota of the API key; undefined without a key. */
  readonly rateLimit: RateLimit | undefined
  /** The signed response. From a mirror, that of the newest version, which names the digest of the data. */
  readonly response: HttpResponse
  /** Where the data comes from: the service, a mirror, or the store of the last verified responses. */
  readonly source: 'origin' | 'mirror' | 'store'
  /** Whole seconds from `provedAtMs` to the read. */
  readonly ageSeconds: number
  /**
   * What does not match in header fields that are not signed, copies that were passed over, and what could not be stored:
   * `CODE: …`.
   */
  readonly warnings: readonly string[]
}

/** Does not compile while a read of the registry has no path in the table. */
const PATHS: { readonly [Name in ReadName]: string } = READ_PATHS

/** The one endpoint whose parameter is optional. */
const MAY_BE_EMPTY: ReadName = 'preview'

/** The target of a read. Throws a TypeError if a required parameter is missing. */
function readTarget(name: string, path: string, value: string | undefined): string {
  const gap = path.indexOf('/{')
  if (value === undefined && name !== MAY_BE_EMPTY) {
    throw new TypeError(`${name}: expected a value for ${path.slice(gap + 1)}`)
  }
  // Slashes separate segments; all other characters are encoded.
  const rest = value === undefined ? '' : `/${encodeURIComponent(value).replaceAll('%2F', '/')}`
  return path.slice(0, gap) + rest
}

/** Creates the read methods from one that requests any target. */
export function createReads(
  get: (target: string, options?: ReadOptions) => Promise<Verified<unknown>>,
): Reads {
  const reads = Object.entries(PATHS).map(([name, path]) => [
    name,
    path.includes('{')
      ? async (value?: string, options?: ReadOptions) => get(readTarget(name, path, value), options)
      : (options?: ReadOptions) => get(path, options),
  ])
  return Object.fromEntries(reads) as Reads
}
