import type { VersionSummary } from '#contract/history/version-chain'
import type { Client } from '../client.ts'
import type { HeadStore } from './head-store.ts'

/** The progress of an audit, in order. The steps start again if a version is published during the audit. */
export type AuditProgress =
  /** The newest version is signed, and its hash matches its entry. */
  | {
      /** The newest version was verified. */
      readonly step: 'head'
      /** The newest version. */
      readonly head: VersionSummary
      /** RFC 7638 ID of the key that signed it. */
      readonly keyId: string
    }
  /** The index is signed, forms a chain, ends with that head and continues the head of the last audit. */
  | {
      /** The index of the history was verified. */
      readonly step: 'index'
      /** All versions, newest first. */
      readonly versions: readonly VersionSummary[]
      /** The head of the last audit; undefined on the first audit. */
      readonly previousHead: VersionSummary | undefined
      /** Number of versions that will be read. */
      readonly toRead: number
      /** Number of resources that will be requested. */
      readonly resources: number
    }
  /** The hash and the changes of a version match its entry. */
  | {
      /** One version was recomputed. */
      readonly step: 'version'
      /** The version. */
      readonly version: VersionSummary
    }
  /** A served resource matches the newest version, or the service reports it as unavailable. */
  | {
      /** One resource was compared with the newest version. */
      readonly step: 'resource'
      /** Name of the resource, such as `status`. */
      readonly name: string
      /** Whether the service serves it. */
      readonly isAvailable: boolean
    }

/** Options of `auditHistory`. */
export interface AuditOptions {
  /** Reads and verifies the responses. */
  readonly client: Client
  /** Stores the head between audits. Without a store, the history is not compared with an earlier one. */
  readonly store?: HeadStore
  /** Accepts a head that was saved for another origin, if a key that it announces signs here. */
  readonly moved?: boolean
  /** Reads every version, including those that an earlier audit read. */
  readonly everyVersion?: boolean
  /** Number of concurrent requests. Default: 24. */
  readonly concurrency?: number
  /** Ends the audit with its reason. */
  readonly signal?: AbortSignal
  /** Called after each step until the audit ends. An exception ends the audit. */
  readonly onProgress?: (progress: AuditProgress) => void
}
