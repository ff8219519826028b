// Written by `npm run generate` from the registry and the schemas of packages/contract.

import type { ReadOptions, Verified } from './verified.ts'

/** Data of `GET /api/v1`. The discovery index. */
export interface EndpointIndex {
  /** The major version. */
  readonly apiVersion: string
  /** Base path of every endpoint. */
  readonly basePath: string
  /** Semantic version of the endpoint registry. */
  readonly registryVersion: string
  /** Every endpoint this runtime serves. */
  readonly endpoints: readonly EndpointEntry[]
  /** Related documents, as paths on this origin. */
  readonly links: DocumentLinks
}

/** One endpoint. */
export interface EndpointEntry {
  /** Name of the endpoint; also its `operationId` in the OpenAPI document. */
  readonly name: string
  /** HTTP method. A `GET` endpoint also supports `HEAD` and `OPTIONS`. */
  readonly method: string
  /** Path template. */
  readonly path: string
  /** What it does. */
  readonly summary: string
  /** Stability level. */
  readonly stability: 'stable' | 'beta' | 'experimental'
  /** Registry status. */
  readonly status: 'active' | 'preview' | 'deprecated'
  /** Which runtimes serve it. */
  readonly runtime: 'all' | 'local'
  /** Cache class of its successful responses. */
  readonly cacheClass: 'static-snapshot' | 'short-lived' | 'none'
  /** Whether an API key is required. */
  readonly authentication: 'none' | 'api-key'
  /** When it was deprecated. Only on a deprecated endpoint. ISO 8601 UTC. */
  readonly deprecatedAt?: string
  /** The time until which it is available. Only on a deprecated endpoint. ISO 8601 UTC. */
  readonly sunsetAt?: string
  /** Path of the endpoint to use instead. Only on a deprecated endpoint. */
  readonly successor?: string
}

/** Related documents, as paths on this origin. */
export interface DocumentLinks {
  /** The discovery index. */
  readonly index: string
  /** The policy document. */
  readonly policy: string
  /** The OpenAPI document. */
  readonly openapi: string
  /** The reference documentation. */
  readonly docs: string
}

/** Data of `GET /api/v1/status`. State of the service and its components, as the operator last published it. */
export interface Status {
  /** State of the whole service. Never better than the worst component. */
  readonly state: 'operational' | 'maintenance' | 'degraded' | 'partial_outage' | 'major_outage'
  /** What the overall state means for callers, in a sentence or two. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** The components of the service, in display order. */
  readonly components: readonly StatusComponent[]
  /** Incidents, newest first. Empty if there were none. */
  readonly incidents: readonly Incident[]
  /** Planned maintenance, newest start first. */
  readonly maintenances?: readonly Maintenance[]
}

/** One component of the service and its state. */
export interface StatusComponent {
  /** Stable identifier of the component. */
  readonly id: string
  /** Name of the component. */
  readonly name: string
  /** Name of the group that the component belongs to. Pages show the components of a group together. */
  readonly group?: string
  /** What the component does. */
  readonly summary: string
  /** State of this component. */
  readonly state: 'operational' | 'maintenance' | 'degraded' | 'partial_outage' | 'major_outage'
  /** Start of this state, in UTC. */
  readonly since: string
  /** Further details of this state. */
  readonly note?: string
}

/** One incident, from its start to its end. */
export interface Incident {
  /** Stable identifier of the incident. */
  readonly id: string
  /** What happened, in a few words. */
  readonly title: string
  /** Progress of the incident. */
  readonly state: 'investigating' | 'identified' | 'monitoring' | 'resolved'
  /** How severely callers were affected. */
  readonly impact: 'none' | 'minor' | 'major' | 'critical'
  /** When the incident began, in UTC. */
  readonly startedAt: string
  /** When the incident ended, in UTC. Present only if the state is `resolved`. */
  readonly resolvedAt?: string
  /** Identifiers of the affected components. */
  readonly components: readonly string[]
  /** Updates during the incident, newest first. */
  readonly updates: readonly IncidentUpdate[]
}

/** One update during the incident. */
export interface IncidentUpdate {
  /** When the update was published, in UTC. */
  readonly at: string
  /** State of the incident at that time. */
  readonly state: 'investigating' | 'identified' | 'monitoring' | 'resolved'
  /** Text of the update. */
  readonly text: string
}

/** One planned maintenance, from its announcement to its end. */
export interface Maintenance {
  /** Stable identifier of the maintenance. */
  readonly id: string
  /** The work in a few words. */
  readonly title: string
  /** Progress of the maintenance. It changes only when the operator publishes it. */
  readonly state: 'scheduled' | 'in_progress' | 'completed' | 'cancelled'
  /** Planned start, in UTC. */
  readonly startsAt: string
  /** Planned end, in UTC. After the start. */
  readonly endsAt: string
  /** Identifiers of the affected components. */
  readonly components: readonly string[]
  /** Updates on the maintenance, newest first. */
  readonly updates: readonly MaintenanceUpdate[]
}

/** One update on the maintenance. */
export interface MaintenanceUpdate {
  /** When the update was published, in UTC. */
  readonly at: string
  /** State of the maintenance at that time. */
  readonly state: 'scheduled' | 'in_progress' | 'completed' | 'cancelled'
  /** Text of the update. */
  readonly text: string
}

/** Data of `GET /api/v1/time`. The UTC time of the server and its quality. */
export interface Time {
  /** The time. ISO 8601 UTC. */
  readonly utc: string
  /** The same time in milliseconds since 1970-01-01T00:00:00Z. */
  readonly epochMs: number
  /** Name of the clock: that of the server, in UTC. */
  readonly label: 'SERVER_UTC'
  /** Quality of the time. */
  readonly quality: TimeQuality
}

/** Quality of the time. */
export interface TimeQuality {
  /**
   * `SYNCHRONIZED`: measured, and the absolute offset plus maximum error is at most 500 ms. `UNSYNCHRONIZED`:
   * the sum is larger, or the source has not responded correctly for 180 s. `UNVERIFIED`: not measured.
   */
  readonly state: 'SYNCHRONIZED' | 'UNSYNCHRONIZED' | 'UNVERIFIED'
  /** The time source of the measurement; `null` if no source is configured. */
  readonly source: string | null
  /** Offset of this clock from the source, in milliseconds; `null` if not measured. */
  readonly offsetMs: number | null
  /** Maximum error of the offset, in milliseconds; `null` if not measured. */
  readonly maxErrorMs: number | null
  /** Time of the last measurement; `null` if never measured. ISO 8601 UTC. */
  readonly checkedAt: string | null
}

/**
 * Data of `GET /api/v1/architecture`. The components of the service, the data flows between them, its guarantees
 * and its boundaries.
 */
export interface Architecture {
  /** The architecture in a few sentences. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** The components, in reading order. */
  readonly components: readonly ArchitectureComponent[]
  /** Data flows between the components. */
  readonly flows: readonly ArchitectureFlow[]
  /** Guarantees of the service, each with a way to verify it. */
  readonly guarantees: readonly Guarantee[]
  /** What the service does not do. */
  readonly boundaries: readonly Boundary[]
}

/** One component of the system. */
export interface ArchitectureComponent {
  /** Stable identifier of the component. */
  readonly id: string
  /** Name of the component. */
  readonly name: string
  /** Kind of component: a person, a running program, a library inside one, a data store, or an external system. */
  readonly kind: 'person' | 'program' | 'library' | 'store' | 'external'
  /** Whether it is live, planned or retired. */
  readonly state: 'live' | 'planned' | 'retired'
  /** Purpose of the component. */
  readonly role: string
}

/** Data that one component sends to another. */
export interface ArchitectureFlow {
  /** Stable identifier of the flow. */
  readonly id: string
  /** Identifier of the component that sends. */
  readonly from: string
  /** Identifier of the component that receives. */
  readonly to: string
  /** The data that is sent. */
  readonly data: string
  /** How the data is sent. */
  readonly means?: string
  /** Whether the flow is live, planned or retired. */
  readonly state: 'live' | 'planned' | 'retired'
}

/** One guarantee. */
export interface Guarantee {
  /** Stable identifier of the guarantee. */
  readonly id: string
  /** The guarantee in a few words. */
  readonly title: string
  /** What exactly is guaranteed. */
  readonly statement: string
  /** How anyone can verify it without trusting the operator. */
  readonly verification: string
}

/** Something the system does not do, and what ensures it. */
export interface Boundary {
  /** Stable identifier of the boundary. */
  readonly id: string
  /** The boundary in a few words. */
  readonly title: string
  /** What does not happen, and what ensures it. */
  readonly statement: string
}

/** Data of `GET /api/v1/development-queue`. Work in progress and queued work, in order of priority. */
export interface DevelopmentQueue {
  /** The queue in a few sentences. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** The items, by priority. */
  readonly items: readonly QueueItem[]
}

/** One piece of work. */
export interface QueueItem {
  /** Stable identifier of the item. */
  readonly id: string
  /** The work in a few words. */
  readonly title: string
  /** What will be done. */
  readonly summary: string
  /** Kind of work. */
  readonly kind: 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'maintenance'
  /** Progress of the work. */
  readonly state: 'queued' | 'in_progress' | 'in_review' | 'blocked' | 'done'
  /** Priority: 1 is highest. Each item has a different one. */
  readonly priority: number
  /** First day of this state, in UTC. */
  readonly since: string
  /** Identifier of the roadmap item that this work implements. */
  readonly roadmapItem?: string
  /** Identifiers of the queue items that must be done first. */
  readonly blockedBy?: readonly string[]
}

/** Data of `GET /api/v1/roadmap`. Plans for now, next and later. Intentions, not commitments. */
export interface Roadmap {
  /** What the roadmap covers and how binding it is. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** The items, nearest horizon first, in the intended order. */
  readonly items: readonly RoadmapItem[]
}

/** One planned outcome. */
export interface RoadmapItem {
  /** Stable identifier of the item. It does not change when the item moves. */
  readonly id: string
  /** The item in a few words. */
  readonly title: string
  /** What will change for users when it is done. */
  readonly summary: string
  /** `now`: in progress. `next`: follows. `later`: intended, not started. */
  readonly horizon: 'now' | 'next' | 'later'
  /** Identifiers of the roadmap items that must be done first. */
  readonly dependsOn?: readonly string[]
}

/** Data of `GET /api/v1/early-access`. Whether the waitlist is open and how to join it. */
export interface EarlyAccess {
  /** Whether the waitlist accepts registrations now. */
  readonly state: 'open' | 'unavailable'
  /** Explanation of the state, in English. */
  readonly note: string
  /** Where to register. */
  readonly registration: RegistrationTarget
  /** Fields of a registration and their limits. */
  readonly form: RegistrationForm
  /** The human-verification challenge. */
  readonly challenge: Challenge
  /** What is stored about a registration. */
  readonly privacy: readonly string[]
}

/** Where to register. */
export interface RegistrationTarget {
  /** HTTP method. */
  readonly method: string
  /** Path. */
  readonly path: string
  /** Media type of the body. */
  readonly contentType: string
  /** Largest body, in bytes. */
  readonly maxBodyBytes: number
}

/** Fields of a registration and their limits. */
export interface RegistrationForm {
  /** Required fields. */
  readonly required: readonly string[]
  /** Optional fields. */
  readonly optional: readonly string[]
  /** Accepted values of `locale`. */
  readonly locales: readonly string[]
  /** Accepted values of `interests`. */
  readonly interests: readonly string[]
  /** Maximum number of values in `interests`. */
  readonly maxInterests: number
  /** Longest `useCase`, in Unicode code points. */
  readonly maxUseCaseLength: number
}

/** The human-verification challenge. */
export interface Challenge {
  /** Provider of the challenge. */
  readonly provider: 'altcha' | 'turnstile' | 'hcaptcha' | 'test'
  /** Path of the challenge on this service; `null` for a hosted challenge, and while registration is unavailable. */
  readonly path: string | null
  /** Public site key of a hosted challenge; `null` otherwise. */
  readonly siteKey: string | null
}

/** Data of `POST /api/v1/early-access/register`. An accepted registration. */
export interface RegistrationResult {
  /** A random receipt. It does not reveal the address. */
  readonly ticket: string
  /** State of the registration. */
  readonly status: 'WAITING'
  /** Confirmation, in English. */
  readonly message: string
}

/**
 * Data of `GET /api/v1/wallet`. Whether a wallet is attached, which networks it would cover and what these views
 * never do.
 */
export interface Wallet {
  /** Whether a wallet is attached to this service. The same in every wallet view. */
  readonly attached: boolean
  /** The view in a sentence or two. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** Networks that the attached wallet uses. Empty while no wallet is attached. */
  readonly networks: readonly WalletNetwork[]
  /** The other wallet views. */
  readonly views: readonly WalletView[]
  /** What these views never do, with or without a wallet. */
  readonly boundaries: readonly Boundary[]
}

/** One network. */
export interface WalletNetwork {
  /** Stable identifier of the network. */
  readonly id: string
  /** Name of the network. */
  readonly name: string
  /** Whether its assets have value (`main`) or not (`test`). */
  readonly environment: 'main' | 'test'
}

/** One view and its endpoint. */
export interface WalletView {
  /** Stable identifier of the view. */
  readonly id: string
  /** Path of the endpoint. */
  readonly path: string
  /** What the view is about. */
  readonly summary: string
}

/**
 * Data of `GET /api/v1/wallet/architecture`. The components of the wallet and how they are isolated from this
 * service.
 */
export interface WalletArchitecture {
  /** Whether a wallet is attached to this service. The same in every wallet view. */
  readonly attached: boolean
  /** The view in a sentence or two. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** The components that publish wallet views, and those of the wallet if one is attached. */
  readonly components: readonly ArchitectureComponent[]
  /** Data flows between the components. */
  readonly flows: readonly ArchitectureFlow[]
  /** What no component does. */
  readonly boundaries: readonly Boundary[]
}

/** Data of `GET /api/v1/wallet/security`. Who holds the keys, which controls are in place, and who reviewed what. */
export interface WalletSecurity {
  /** Whether a wallet is attached to this service. The same in every wallet view. */
  readonly attached: boolean
  /** The view in a sentence or two. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /**
   * Who holds the signing keys: `none` (no wallet), the organization, several parties together, or a third
   * party.
   */
  readonly custody: 'none' | 'own' | 'shared' | 'third_party'
  /** Controls that protect the wallet or, without one, these views. */
  readonly controls: readonly WalletControl[]
  /** Independent reviews, newest first. Empty if there were none. */
  readonly reviews: readonly WalletReview[]
  /** What these views never contain. */
  readonly neverPublished: readonly WithheldData[]
}

/** One control. */
export interface WalletControl {
  /** Stable identifier of the control. */
  readonly id: string
  /** The control in a few words. */
  readonly title: string
  /** What it does. */
  readonly statement: string
  /** Whether the control is in place, planned or retired. */
  readonly state: 'in_place' | 'planned' | 'retired'
}

/** One review. */
export interface WalletReview {
  /** Stable identifier of the review. */
  readonly id: string
  /** The review in a few words. */
  readonly title: string
  /** The reviewer. */
  readonly reviewer: string
  /** When it was completed (UTC date). */
  readonly completedOn: string
  /** Scope of the review. */
  readonly scope: string
  /** URL of the report. */
  readonly reportUrl?: string
}

/** One kind of data that is never published. */
export interface WithheldData {
  /** Stable identifier of the entry. */
  readonly id: string
  /** What is never published. */
  readonly title: string
  /** The reason, or what prevents it. */
  readonly reason: string
}

/** Data of `GET /api/v1/wallet/evidence`. Published evidence about the wallet that anyone can verify. */
export interface WalletEvidence {
  /** Whether a wallet is attached to this service. The same in every wallet view. */
  readonly attached: boolean
  /** The view in a sentence or two. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** Pieces of evidence, newest first. Empty while no wallet is attached. */
  readonly evidence: readonly WalletEvidenceItem[]
}

/** One piece of evidence. */
export interface WalletEvidenceItem {
  /** Stable identifier of the evidence. */
  readonly id: string
  /** The evidence in a few words. */
  readonly title: string
  /** Kind of evidence. */
  readonly kind: 'signed_statement' | 'audit_report' | 'proof_of_reserves' | 'test_report'
  /** What it shows. */
  readonly statement: string
  /** When it was produced (UTC date). */
  readonly producedOn: string
  /** How anyone can verify it. */
  readonly verification: string
  /** URL of the document. */
  readonly documentUrl?: string
  /** SHA-256 of the document, in lower-case hexadecimal. */
  readonly documentSha256?: string
}

/**
 * Data of `GET /api/v1/wallet/capabilities`. What the wallet views can do, what is planned, and what they will
 * never do.
 */
export interface WalletCapabilities {
  /** Whether a wallet is attached to this service. The same in every wallet view. */
  readonly attached: boolean
  /** The view in a sentence or two. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** The capabilities. */
  readonly capabilities: readonly WalletCapability[]
}

/** One capability. */
export interface WalletCapability {
  /** Stable identifier of the capability. */
  readonly id: string
  /** The capability in a few words. */
  readonly title: string
  /** What it means. */
  readonly summary: string
  /** Whether it is available, planned, unavailable, or excluded by design. */
  readonly state: 'available' | 'planned' | 'unavailable' | 'never'
  /** Whether it requires an attached wallet. */
  readonly needsWallet: boolean
}

/**
 * Data of `GET /api/v1/wallet/integration`. The interfaces between the wallet views and other systems, and the
 * data they carry.
 */
export interface WalletIntegration {
  /** Whether a wallet is attached to this service. The same in every wallet view. */
  readonly attached: boolean
  /** The view in a sentence or two. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** The interfaces. */
  readonly interfaces: readonly WalletInterface[]
}

/** One interface. */
export interface WalletInterface {
  /** Stable identifier of the interface. */
  readonly id: string
  /** The interface in a few words. */
  readonly title: string
  /** `outbound`: this service sends data. `inbound`: it receives data. */
  readonly direction: 'outbound' | 'inbound'
  /** Whether the interface is live, planned or retired. */
  readonly state: 'live' | 'planned' | 'retired'
  /** The data it carries. */
  readonly summary: string
}

/** Data of `GET /api/v1/wallet/development`. Work on the wallet views and on attaching a wallet. */
export interface WalletDevelopment {
  /** Whether a wallet is attached to this service. The same in every wallet view. */
  readonly attached: boolean
  /** The view in a sentence or two. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** The work, nearest horizon first. */
  readonly items: readonly WalletWorkItem[]
}

/** One piece of work. */
export interface WalletWorkItem {
  /** Stable identifier of the item. */
  readonly id: string
  /** The work in a few words. */
  readonly title: string
  /** What will be done. */
  readonly summary: string
  /** Planned horizon. */
  readonly horizon: 'now' | 'next' | 'later'
  /** Progress of the work. */
  readonly state: 'queued' | 'in_progress' | 'in_review' | 'blocked' | 'done'
  /** First day of this state, in UTC. */
  readonly since: string
}

/** Data of `GET /api/v1/policy`. What this API promises, for programs and auditors. */
export interface Policy {
  /** Name of the schema of this document. */
  readonly schema: 'svc.public.api.policy.v1'
  /** What this document is. */
  readonly note: string
  /** Who the API is for. */
  readonly audience: string
  /** What the `runtime` values of an endpoint mean. */
  readonly runtime: {
    /** Meaning of each `runtime` value. */
    readonly values: { readonly [name: string]: string }
    /** `runtime` value of an endpoint that does not state it. */
    readonly default: string
  }
  /** How keys are sent and what they allow. */
  readonly authentication: {
    /** Whether public reads need authentication. */
    readonly required: boolean
    /** Whether accounts exist. */
    readonly accounts: boolean
    /** Headers in which a key is accepted. */
    readonly schemes: readonly string[]
    /** Whether a key in a URL is accepted. */
    readonly keyInUrl: boolean
    /** Properties of a key. */
    readonly key: {
      /** Format of a key. */
      readonly format: string
      /** What the key may do. */
      readonly scope: 'read'
      /** Default time to live of a key, in days. */
      readonly defaultTtlDays: number
      /** Longest time to live, in days. */
      readonly maxTtlDays: number
      /** What is stored for a key. */
      readonly storage: string
    }
    /** Whether keys are issued. */
    readonly issuance: {
      /** Whether keys are issued. */
      readonly enabled: boolean
      /** Why issuance is paused. Only while it is paused. */
      readonly reason?: string
      /** Who approved it. Only while issuance is enabled. */
      readonly approvedBy?: string
      /** Date of the approval. Only while issuance is enabled. */
      readonly approvedAt?: string
      /** Where the approval is recorded. Only while issuance is enabled. */
      readonly reference?: string
    }
    /** Rules of the key check. */
    readonly rules: readonly string[]
  }
  /** How versions work. */
  readonly versioning: {
    /** Where the version is stated. */
    readonly scheme: string
    /** The current major version. */
    readonly current: string
    /** Semantic version of the endpoint registry. */
    readonly registryVersion: string
    /** How additive changes ship. */
    readonly additive: string
    /** How breaking changes ship. */
    readonly breaking: string
    /** Header that reports the major version. */
    readonly header: string
    /** Path of the version history. */
    readonly history: string
  }
  /** Stability levels and what each promises. */
  readonly stability: { readonly [name: string]: string }
  /** How endpoints are deprecated. */
  readonly deprecation: {
    /** Minimum notice, in days. */
    readonly noticeDays: number
    /** Stability level that the promise covers. */
    readonly appliesTo: string
    /** How it is announced. */
    readonly signals: readonly string[]
    /** What a deprecation requires. */
    readonly requires: readonly string[]
    /** Registry statuses and what each means. */
    readonly statuses: { readonly [name: string]: string }
    /** Endpoints that are currently deprecated. */
    readonly endpoints: readonly DeprecatedEndpoint[]
  }
  /** Cache classes and validators. */
  readonly caching: {
    /** Cache classes, by name. */
    readonly classes: { readonly [name: string]: CacheClass }
    /** `Cache-Control` of every error. */
    readonly errors: string
    /** How the entity tag is computed. */
    readonly etag: string
    /** Response to a matching `If-None-Match`. */
    readonly conditional: string
    /** Value of `Vary` on cacheable reads. */
    readonly vary: string
  }
  /** Cross-origin rules of the read endpoints. */
  readonly cors: {
    /** Allowed origins. */
    readonly allowOrigin: string
    /** Allowed methods. */
    readonly allowMethods: readonly string[]
    /** Allowed request headers. */
    readonly allowHeaders: readonly string[]
    /** Response headers a page may read. */
    readonly exposeHeaders: readonly string[]
    /** Whether credentials are allowed. */
    readonly allowCredentials: boolean
    /** How long a preflight may be cached, in seconds. */
    readonly maxAgeSeconds: number
    /** The rule for write endpoints. */
    readonly writes: string
  }
  /** Header fields this API reads and sends. */
  readonly headers: {
    /** Request headers it reads. */
    readonly request: { readonly [name: string]: string }
    /** Response headers it may send. */
    readonly response: { readonly [name: string]: string }
  }
  /** Limits of requests. */
  readonly limits: {
    /** Largest request body, in bytes. */
    readonly maxBodyBytes: number
    /** Media type of a request body. */
    readonly requestContentType: string
    /** Media type of a response. */
    readonly responseContentType: string
    /** Longest `useCase`, in Unicode code points. */
    readonly maxUseCaseLength: number
    /** Longest email address, in characters. */
    readonly maxEmailLength: number
    /** Maximum number of values in `interests`. */
    readonly maxInterests: number
    /** Pattern of the `label` of an API key. */
    readonly labelPattern: string
    /** Shortest time to live of a key, in days. */
    readonly minTtlDays: number
    /** Default time to live of a key, in days. */
    readonly defaultTtlDays: number
    /** Longest time to live of a key, in days. */
    readonly maxTtlDays: number
    /** Maximum number of active keys. */
    readonly maxActiveKeys: number
  }
  /** Rate limits. */
  readonly rateLimiting: {
    /** The rule for reads without a key. */
    readonly anonymousReads: string
    /** Requests per fixed window. */
    readonly registrationGlobal: RateLimitRule
    /** Requests per fixed window. */
    readonly registrationPerActor: RateLimitRule
    /** Requests per fixed window. */
    readonly keyedRequests: RateLimitRule
    /** Requests per fixed window. */
    readonly keyIssuance: RateLimitRule
    /** What an actor is. */
    readonly actor: string
    /** Headers that report the quota of a key. */
    readonly headers: readonly string[]
  }
  /** How responses are signed and what is never stored. */
  readonly security: {
    /** The response signature. */
    readonly signing: {
      /** Signature algorithm. */
      readonly algorithm: string
      /** Lines of the text that is signed for a response. */
      readonly signedText: readonly string[]
      /** Lines of the text that is signed for a `304`. */
      readonly revalidationText: readonly string[]
      /** Format of `Content-Digest`. */
      readonly contentDigest: string
      /** Age at which a verifier refuses a signature, in seconds. */
      readonly maxAgeSeconds: number
      /** Path of the signing-key document. */
      readonly keyDocument: string
      /** How a client detects a clone of this origin. */
      readonly pinning: string
    }
    /** What is never stored. */
    readonly privacy: readonly string[]
    /** What this service cannot reach. */
    readonly isolation: readonly string[]
  }
  /** The error catalog. */
  readonly errors: {
    /** Name of the schema of the error envelope. */
    readonly schema: string
    /** `Cache-Control` of every error. */
    readonly cacheControl: string
    /** Every code. */
    readonly catalog: readonly ErrorCatalogEntry[]
  }
  /** The major version. */
  readonly apiVersion: string
  /** Base path of every endpoint. */
  readonly basePath: string
  /** Semantic version of the endpoint registry. */
  readonly registryVersion: string
  /** Related documents, as paths on this origin. */
  readonly links: DocumentLinks
  /** Counts of the registry. */
  readonly summary: {
    /** Number of endpoints. */
    readonly endpoints: number
    /** Endpoints by stability level. */
    readonly byStability: { readonly [name: string]: number }
    /** Endpoints by registry status. */
    readonly byStatus: { readonly [name: string]: number }
    /** Endpoints by cache class. */
    readonly byCachePolicy: { readonly [name: string]: number }
  }
}

/** One deprecated endpoint. */
export interface DeprecatedEndpoint {
  /** HTTP method. */
  readonly method: string
  /** Path template. */
  readonly path: string
  /** When it was deprecated. ISO 8601 UTC. */
  readonly deprecatedAt: string
  /** The time until which it is available. ISO 8601 UTC. */
  readonly sunsetAt: string
  /** Path of the endpoint to use instead. */
  readonly successor: string
}

/** One cache class. */
export interface CacheClass {
  /** Value of `Cache-Control`. */
  readonly cacheControl: string
  /** What it means. */
  readonly meaning: string
}

/** Requests per fixed window. */
export interface RateLimitRule {
  /** Requests in one window. */
  readonly requests: number
  /** Length of the fixed window, in seconds. */
  readonly windowSeconds: number
}

/** One code. */
export interface ErrorCatalogEntry {
  /** The code. */
  readonly code: string
  /** HTTP status. */
  readonly status: number
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** Longest wait, in seconds. Only if it is known. */
  readonly retryAfterSeconds?: number
  /** What it means. */
  readonly meaning: string
}

/** Data of `GET /api/v1/openapi.json`. An OpenAPI 3.0.3 document. */
export interface OpenApiDocument {
  /** Version of the OpenAPI specification. */
  readonly openapi: string
  /** Title, version and description. */
  readonly info: { readonly [name: string]: unknown }
  /** Operations by path and method. */
  readonly paths: { readonly [name: string]: unknown }
}

/** Data of `GET /api/v1/changelog`. What changed for callers of the API, by released version. */
export interface Changelog {
  /** What the changelog covers. */
  readonly summary: string
  /** When the operator last reviewed this snapshot, in UTC. */
  readonly updatedAt: string
  /** Changes that are decided but not released yet. */
  readonly unreleased: readonly ChangelogChange[]
  /** Released versions, newest first. */
  readonly releases: readonly ChangelogRelease[]
}

/** One change, as seen by callers of the API. */
export interface ChangelogChange {
  /** Kind of change. */
  readonly kind: 'added' | 'changed' | 'deprecated' | 'removed' | 'fixed' | 'security'
  /** What changed and what it means for a caller. */
  readonly text: string
  /** The affected endpoints, each as method and path. */
  readonly endpoints?: readonly string[]
  /** For a deprecation: the last UTC date on which the endpoints work. */
  readonly sunsetOn?: string
  /** For a deprecation: the endpoint to use instead. */
  readonly replacement?: string
}

/** One released version. */
export interface ChangelogRelease {
  /** Version of the service software (Semantic Versioning). */
  readonly version: string
  /** UTC date of the release. */
  readonly date: string
  /** The release in a sentence. */
  readonly summary?: string
  /** The changes, grouped by kind in the order `added` to `security`. */
  readonly changes: readonly ChangelogChange[]
}

/** Data of `GET /api/v1/version` and `GET /api/v1/versions/{snapshotId}`. One entry of the version history. */
export interface VersionEntry {
  /** ID of the version. */
  readonly snapshotId: string
  /** Position in the history, starting with 1. */
  readonly sequence: number
  /** When it was published. ISO 8601 UTC. */
  readonly createdAt: string
  /** Hash of the previous version; 64 zeros for the first. */
  readonly previousHash: string
  /** SHA-256 over a label line and the canonical JSON of this entry without its `hash`. */
  readonly hash: string
  /** Major version of the API at the time. */
  readonly apiVersion: string
  /** Registry version at the time. */
  readonly registryVersion: string
  /** Digest of each published resource, by path below the base path. */
  readonly resources: { readonly [name: string]: string }
  /** Changes from the previous version. */
  readonly changes: readonly ResourceChange[]
  /** Release note of the operator. */
  readonly note: string
}

/** One change. */
export interface ResourceChange {
  /** The resource, by its path below the base path. */
  readonly resource: string
  /** Kind of the change. */
  readonly kind: 'added' | 'changed' | 'removed'
}

/** Data of `GET /api/v1/versions`. The hash-chained index of all versions. */
export interface VersionIndex {
  /** How the hashes are computed. */
  readonly algorithm: string
  /** Number of versions in the whole history. */
  readonly count: number
  /** The newest version. */
  readonly head: VersionHead
  /** Every version, or those of the requested page, newest first. */
  readonly entries: readonly VersionSummary[]
}

/** The newest version. */
export interface VersionHead {
  /** ID of the newest version. */
  readonly snapshotId: string
  /** Hash of the newest version. */
  readonly hash: string
}

/** One version. */
export interface VersionSummary {
  /** ID of the version. */
  readonly snapshotId: string
  /** Position in the history, starting with 1. */
  readonly sequence: number
  /** When it was published. ISO 8601 UTC. */
  readonly createdAt: string
  /** Hash of the previous version; 64 zeros for the first. */
  readonly previousHash: string
  /** SHA-256 over a label line and the canonical JSON of this entry without its `hash`. */
  readonly hash: string
}

/** Data of `POST /api/v1/keys`. A new API key. The key is shown only in this response. */
export interface IssuedKey {
  /** The whole key. It is never shown again. */
  readonly key: string
  /** The public part of the key. */
  readonly keyId: string
  /** What the key may do. */
  readonly scope: 'read'
  /** A name that its holder gives the key. */
  readonly label: string | null
  /** State of the key. */
  readonly status: 'active'
  /** When it was issued. ISO 8601 UTC. */
  readonly createdAt: string
  /** When it expires. ISO 8601 UTC. */
  readonly expiresAt: string
}

/** Data of `GET /api/v1/keys/self`. Metadata of an API key. Never includes the secret. */
export interface KeyMetadata {
  /** The public part of the key. */
  readonly keyId: string
  /** What the key may do. */
  readonly scope: 'read'
  /** A name that its holder gives the key. */
  readonly label: string | null
  /** State of the key. */
  readonly status: 'active'
  /** When it was issued. ISO 8601 UTC. */
  readonly createdAt: string
  /** When it expires. ISO 8601 UTC. */
  readonly expiresAt: string
  /** Quota of the key in the current window. */
  readonly quota: KeyQuota
}

/** Quota of the key in the current window. */
export interface KeyQuota {
  /** Requests in one window. */
  readonly limit: number
  /** Requests that remain in this window. */
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
  /** Length of the window, in seconds. */
  readonly windowSeconds: number
}

/** Data of `DELETE /api/v1/keys/self`. A revocation. */
export interface RevokedKey {
  /** The public part of the key. */
  readonly keyId: string
  /** State of the key. */
  readonly status: 'revoked'
  /** When it was revoked. ISO 8601 UTC. */
  readonly revokedAt: string
}

/**
 * Data of `GET /api/v1/keys/signing-key`. The public keys that verify response signatures, and the format of the
 * signed texts.
 */
export interface SigningKeyDocument {
  /** ID of the current signing key. */
  readonly keyId: string
  /** Signature algorithm. */
  readonly algorithm: 'Ed25519'
  /** Every published key, the current one first. */
  readonly keys: readonly SigningKey[]
  /** Lines of the text that is signed for a response, joined by newlines. Parts in braces are placeholders. */
  readonly signedText: readonly string[]
  /** Lines of the text that is signed for a `304`, joined by newlines. Parts in braces are placeholders. */
  readonly revalidationText: readonly string[]
  /** Names of the response headers that carry the proof. */
  readonly headers: {
    /** Digest of the body (RFC 9530). */
    readonly contentDigest: string
    /** Time of the signature. */
    readonly signedAt: string
    /** The signature, base64. */
    readonly signature: string
    /** Time and signature of a `304`. */
    readonly revalidated: string
  }
  /** The transparency log of the versions. Missing if the service has none. */
  readonly log?: {
    /** Identity of the log. */
    readonly origin: string
    /** Address of the log. */
    readonly url: string
    /** The keys that sign the log, the current one first. */
    readonly keys: readonly LogKey[]
  }
  /** Age at which a verifier refuses a signature, in seconds. */
  readonly maxAgeSeconds: number
}

/** One public key. */
export interface SigningKey {
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string
  /** `current`: signs now. `next`: will sign later. `retired`: no longer signs. */
  readonly status: 'current' | 'next' | 'retired'
  /** The key as a JSON Web Key (RFC 8037; `alg` as in RFC 9864). */
  readonly jwk: JsonWebKey
  /** The key as PEM (SubjectPublicKeyInfo), for openssl. */
  readonly publicKeyPem: string
  /** Start of its signing period; `null` if not stated. ISO 8601 UTC. */
  readonly notBefore: string | null
  /** End of its signing period; `null` if not stated. ISO 8601 UTC. */
  readonly notAfter: string | null
}

/** The key as a JSON Web Key (RFC 8037; `alg` as in RFC 9864). */
export interface JsonWebKey {
  /** Key type. */
  readonly kty: string
  /** Curve. */
  readonly crv: string
  /** The public key, base64url. */
  readonly x: string
  /** Algorithm. */
  readonly alg: string
  /** Purpose of the key: `sig`, for signatures. */
  readonly use: string
  /** The key ID. */
  readonly kid: string
}

/** A key of the log. */
export interface LogKey {
  /** Verifier key (c2sp.org/signed-note). */
  readonly vkey: string
  /** Status in the rotation: `retiring` keys sign until they are removed. */
  readonly status: 'current' | 'retiring'
}

/** Body of `POST /api/v1/early-access/register`. A registration for the early-access waitlist. */
export interface Registration {
  /** The email address to register. */
  readonly email: string
  /**
   * Language of future email. If omitted, it is taken from the page of the form, otherwise from
   * `Accept-Language`.
   */
  readonly locale?: 'en' | 'th' | 'zh-CN'
  /** Areas of interest, each at most once. */
  readonly interests?: readonly ('architecture' | 'agents' | 'api' | 'kap-language' | 'k-language' | 'research' | 'developer-tools' | 'early-preview' | 'business' | 'education')[]
  /** What you want to use the API for, in your own words. */
  readonly useCase?: string
  /** Consent to be added to the list. Only `true` is accepted. */
  readonly consent: true
  /** Token of the solved human-verification challenge that `/api/v1/early-access` names. It can be used once. */
  readonly challengeToken: string
}

/** Body of `POST /api/v1/keys`. A request for an API key. */
export interface KeyRequest {
  /** Token of the solved human-verification challenge that `/api/v1/early-access` names. It can be used once. */
  readonly challengeToken: string
  /** A name that its holder gives the key. */
  readonly label?: string
  /** Days until the key expires. */
  readonly ttlDays?: number
}

/** One method for each read endpoint, by its name in the registry. */
export interface Reads {
  /**
   * List the endpoints: `GET /api/v1`.
   *
   * Every endpoint with its method, path, stability, status, cache class and authentication.
   */
  readonly index: (options?: ReadOptions) => Promise<Verified<EndpointIndex>>
  /**
   * Get the status: `GET /api/v1/status`.
   *
   * The state of each component, as the operator last published it, and recent incidents.
   */
  readonly status: (options?: ReadOptions) => Promise<Verified<Status>>
  /**
   * Get the server time: `GET /api/v1/time`.
   *
   * The UTC time of the server (label `SERVER_UTC`) and its quality, measured against a time source. Without a
   * measurement, the quality is `UNVERIFIED`.
   */
  readonly time: (options?: ReadOptions) => Promise<Verified<Time>>
  /**
   * Get the architecture: `GET /api/v1/architecture`.
   *
   * The components of the service, the data flows between them and the guarantees it gives.
   */
  readonly architecture: (options?: ReadOptions) => Promise<Verified<Architecture>>
  /**
   * Get the development queue: `GET /api/v1/development-queue`.
   *
   * Work in progress and planned work, in order of priority.
   */
  readonly developmentQueue: (options?: ReadOptions) => Promise<Verified<DevelopmentQueue>>
  /**
   * Get the roadmap: `GET /api/v1/roadmap`.
   *
   * Plans for now, next and later. They state intent, not dates.
   */
  readonly roadmap: (options?: ReadOptions) => Promise<Verified<Roadmap>>
  /**
   * Get the waitlist status: `GET /api/v1/early-access`.
   *
   * Whether registration is open, which challenge it requires, the fields and limits of the form, and what is
   * stored of a registration.
   */
  readonly earlyAccess: (options?: ReadOptions) => Promise<Verified<EarlyAccess>>
  /**
   * Get the wallet overview: `GET /api/v1/wallet`. Stability: beta.
   *
   * What the wallet views contain and whether a wallet is attached.
   */
  readonly wallet: (options?: ReadOptions) => Promise<Verified<Wallet>>
  /**
   * Get the wallet architecture: `GET /api/v1/wallet/architecture`. Stability: beta.
   *
   * How a wallet would be isolated from this service.
   */
  readonly walletArchitecture: (options?: ReadOptions) => Promise<Verified<WalletArchitecture>>
  /**
   * Get the wallet security: `GET /api/v1/wallet/security`. Stability: beta.
   *
   * The rules that keep wallet secrets out of this service.
   */
  readonly walletSecurity: (options?: ReadOptions) => Promise<Verified<WalletSecurity>>
  /**
   * Get the wallet evidence: `GET /api/v1/wallet/evidence`. Stability: beta.
   *
   * Evidence for the statements in the other wallet views.
   */
  readonly walletEvidence: (options?: ReadOptions) => Promise<Verified<WalletEvidence>>
  /**
   * Get the wallet capabilities: `GET /api/v1/wallet/capabilities`. Stability: beta.
   *
   * What the wallet views can do, and what they never will.
   */
  readonly walletCapabilities: (options?: ReadOptions) => Promise<Verified<WalletCapabilities>>
  /**
   * Get the wallet integrations: `GET /api/v1/wallet/integration`. Stability: beta.
   *
   * Which systems a wallet integrates with, and the state of each integration.
   */
  readonly walletIntegration: (options?: ReadOptions) => Promise<Verified<WalletIntegration>>
  /**
   * Get the wallet development: `GET /api/v1/wallet/development`. Stability: beta.
   *
   * The state of the work on the wallet.
   */
  readonly walletDevelopment: (options?: ReadOptions) => Promise<Verified<WalletDevelopment>>
  /**
   * Get the policy: `GET /api/v1/policy`.
   *
   * The promises of this API in machine-readable form: versioning, stability, deprecation, caching, CORS,
   * limits, authentication, security and the error catalog.
   */
  readonly policy: (options?: ReadOptions) => Promise<Verified<Policy>>
  /**
   * Get the OpenAPI document: `GET /api/v1/openapi.json`.
   *
   * This API as an OpenAPI 3.0.3 document. The only success response without an envelope.
   */
  readonly openapi: (options?: ReadOptions) => Promise<Verified<OpenApiDocument>>
  /**
   * Get the changelog: `GET /api/v1/changelog`.
   *
   * Notable changes, newest first, grouped as in Keep a Changelog.
   */
  readonly changelog: (options?: ReadOptions) => Promise<Verified<Changelog>>
  /**
   * Get the latest version: `GET /api/v1/version`.
   *
   * The latest entry of the version history: the digest of every published resource, and the hash of the
   * previous entry.
   */
  readonly version: (options?: ReadOptions) => Promise<Verified<VersionEntry>>
  /**
   * Get the version history: `GET /api/v1/versions`.
   *
   * All versions as a hash-chained index, newest first. With `limit` or `before`, the response is one page of
   * it, and the `Link` header with `rel="next"` leads to the next page.
   */
  readonly versions: (options?: ReadOptions) => Promise<Verified<VersionIndex>>
  /**
   * Get a version: `GET /api/v1/versions/{snapshotId}`.
   *
   * One entry of the version history by its ID.
   *
   * @param value ID of the version. Example: `VS-0001`.
   */
  readonly versionById: (value: string, options?: ReadOptions) => Promise<Verified<VersionEntry>>
  /**
   * Get the current API key: `GET /api/v1/keys/self`. Stability: beta.
   *
   * The metadata of the key in the request and its remaining quota. Never includes the secret.
   */
  readonly keySelf: (options?: ReadOptions) => Promise<Verified<KeyMetadata>>
  /**
   * Get the signing key: `GET /api/v1/keys/signing-key`. Stability: beta.
   *
   * The public key that verifies response signatures, and the format of the signed texts. A clone of this origin
   * would show its own key: get the key ID from another source and accept no other.
   */
  readonly signingKey: (options?: ReadOptions) => Promise<Verified<SigningKeyDocument>>
  /**
   * Reserved for previews: `GET /api/v1/preview/{path}`. Stability: beta.
   *
   * A namespace for future endpoints. It is disabled: every read fails with 403 `PREVIEW_NOT_ENABLED`.
   *
   * @param value Any path below the namespace. Example: `next`.
   */
  readonly preview: (value?: string, options?: ReadOptions) => Promise<Verified<never>>
}
