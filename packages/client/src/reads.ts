import type { ENDPOINTS, EndpointName } from '../../../src/contract/endpoints.ts'
import { READ_PATHS } from '../../../src/contract/read-paths.ts'
import type { DataOf, DataSchemaName } from '../../../src/contract/schemas.ts'
import type { RateLimit } from './rate-limit.ts'
import type { HttpResponse } from './verify-response.ts'

/** Name of an endpoint that is read with GET. */
export type ReadName = {
  [Name in EndpointName]: (typeof ENDPOINTS)[Name]['method'] extends 'GET' ? Name : never
}[EndpointName]

/** What an endpoint gives: `data` of its envelope. Never, where every read is refused. */
export type ReadData<Name extends ReadName> = (typeof ENDPOINTS)[Name] extends {
  readonly success: { readonly data: infer Schema extends DataSchemaName }
}
  ? DataOf<Schema>
  : never

/** Options of a read. */
export interface ReadOptions {
  readonly signal?: AbortSignal
  /**
   * Asks for a response that was made for this call: a random query parameter passes every cache over, and since the
   * target is signed, a response with it cannot be an older one.
   */
  readonly fresh?: boolean
}

/** Verified data, with what proves it. */
export interface Verified<Data> {
  readonly data: Data
  /** The entity tag of `data`, computed from it. */
  readonly etag: string
  /** RFC 7638 id of the key that signed. */
  readonly keyId: string
  /** When it was last signed to be current: milliseconds since 1970. */
  readonly provedAtMs: number
  /** Id of the request, for questions to the operator. Undefined for openapi.json, which has no envelope. */
  readonly requestId: string | undefined
  /** Quota of the API key; undefined without a key. */
  readonly rateLimit: RateLimit | undefined
  /** The signed response as it came. */
  readonly response: HttpResponse
}

type Read<Name extends ReadName> = (typeof ENDPOINTS)[Name] extends {
  readonly parameter: { readonly mayBeEmpty: infer MayBeEmpty }
}
  ? MayBeEmpty extends true
    ? (value?: string, options?: ReadOptions) => Promise<Verified<ReadData<Name>>>
    : (value: string, options?: ReadOptions) => Promise<Verified<ReadData<Name>>>
  : (options?: ReadOptions) => Promise<Verified<ReadData<Name>>>

/** One method for each read endpoint, by its name in the registry. */
export type Reads = { readonly [Name in ReadName]: Read<Name> }

/** Does not compile while a read of the registry has no path in the table. */
const PATHS: { readonly [Name in ReadName]: string } = READ_PATHS

/** The one path that is an endpoint without its parameter too. */
const MAY_BE_EMPTY: ReadName = 'preview'

/** The target of a read. Throws a TypeError where its path has a gap and there is nothing to fill it with. */
function readTarget(name: string, path: string, value: string | undefined): string {
  const gap = path.indexOf('/{')
  if (value === undefined && name !== MAY_BE_EMPTY) {
    throw new TypeError(`${name}: expected a value for ${path.slice(gap + 1)}`)
  }
  // A slash parts the value, and anything else in it stays within its part.
  const rest = value === undefined ? '' : `/${encodeURIComponent(value).replaceAll('%2F', '/')}`
  return path.slice(0, gap) + rest
}

/** Makes the methods over one that gets any target. */
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
