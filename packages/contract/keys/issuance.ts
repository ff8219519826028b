/** Whether API keys are issued, and who approved it. A literal in the registry; no configuration reaches it (spec 5.5). */
export type Issuance =
  | { readonly enabled: false; readonly reason: string }
  | {
      readonly enabled: true
      /** Who approved it. */
      readonly approvedBy: string
      /** When, as an ISO 8601 date. */
      readonly approvedAt: string
      /** URL or path of the approval. */
      readonly reference: string
    }

/** Issuance is paused. Lifting the pause is an edit of this literal, reviewed like any change of the contract. */
export const ISSUANCE: Issuance = { enabled: false, reason: 'PRODUCT_NOT_READY' }
