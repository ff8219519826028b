import type { READ_PATHS } from '../../../src/contract/read-paths.ts'
import type { ReadData, ReadName } from './reads.ts'

/** Data of `GET /api/v1`: the endpoints of the service. */
export type EndpointIndex = ReadData<'index'>
/** Data of `GET /api/v1/status`. */
export type Status = ReadData<'status'>
/** Data of `GET /api/v1/time`. */
export type Time = ReadData<'time'>
/** Data of `GET /api/v1/architecture`. */
export type Architecture = ReadData<'architecture'>
/** Data of `GET /api/v1/development-queue`. */
export type DevelopmentQueue = ReadData<'developmentQueue'>
/** Data of `GET /api/v1/roadmap`. */
export type Roadmap = ReadData<'roadmap'>
/** Data of `GET /api/v1/early-access`. */
export type EarlyAccess = ReadData<'earlyAccess'>
/** Data of `GET /api/v1/wallet`. */
export type Wallet = ReadData<'wallet'>
/** Data of `GET /api/v1/policy`. */
export type Policy = ReadData<'policy'>
/** Data of `GET /api/v1/changelog`. */
export type Changelog = ReadData<'changelog'>
/** Data of `GET /api/v1/version` and `GET /api/v1/versions/{snapshotId}`: one entry of the history. */
export type VersionEntry = ReadData<'version'>
/** Data of `GET /api/v1/versions`: the index of the history. */
export type VersionIndex = ReadData<'versions'>
/** Data of `GET /api/v1/keys/self`. */
export type KeyMetadata = ReadData<'keySelf'>
/** Data of `GET /api/v1/keys/signing-key`. */
export type SigningKeyDocument = ReadData<'signingKey'>

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
