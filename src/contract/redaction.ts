/** What replaces the bytes of a resource that was erased. The chain keeps its digest (contract decisions section 6). */
export interface Redaction {
  readonly reason: string
  /** ISO 8601 UTC. */
  readonly redactedAt: string
}

/** A redaction and what it replaces. */
export interface RedactedResource extends Redaction {
  readonly resource: string
  readonly digest: string
}
