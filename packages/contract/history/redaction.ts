/** Replaces the bytes of a removed resource. The chain keeps its digest (contract decisions section 6). */
export interface RedactionRecord {
  readonly reason: string
  /** ISO 8601 UTC. */
  readonly redactedAt: string
}

/** A redaction with the resource that it replaces. */
export interface RedactedResource extends RedactionRecord {
  readonly resource: string
  readonly digest: string
}
