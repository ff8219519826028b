import { READ_PATHS } from '#contract/registry/read-paths'
import type { Reads } from './resources.ts'
import type { ReadOptions, Verified } from './verified.ts'

/** Name of an endpoint that is read with GET. */
export type ReadName = keyof Reads

/** Data of a read endpoint: `data` of its envelope. Never if every read is refused. */
export type ReadData<Name extends ReadName> = Awaited<ReturnType<Reads[Name]>>['data']

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
