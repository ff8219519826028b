import type { WaitlistEntry } from '../../service/waitlist/waitlist-entry.ts'
import type { StoredRegistration } from '../../storage/stores/waitlist-store.ts'

/** Which registrations to export. A missing member accepts all. */
export interface Batch {
  /** Registered at this time or later. */
  readonly sinceMs?: number
  /** Registered before this time, so that consecutive periods share no registration. */
  readonly untilMs?: number
  /** With any of these interests. */
  readonly interests?: readonly string[]
  readonly locales?: readonly string[]
  /** Tickets of earlier batches. */
  readonly excluded?: ReadonlySet<string>
  readonly limit?: number
}

/** Whether a row can be in the batch, by what it shows without decryption. */
export function mayBeInBatch(
  { ticket, registeredAtMs }: Pick<StoredRegistration, 'ticket' | 'registeredAtMs'>,
  { sinceMs = -Infinity, untilMs = Infinity, excluded }: Batch,
): boolean {
  return registeredAtMs >= sinceMs && registeredAtMs < untilMs && excluded?.has(ticket) !== true
}

/** Whether a registration has an interest and a locale of the batch. */
export function isInBatch(
  { interests, locale }: Pick<WaitlistEntry, 'interests' | 'locale'>,
  batch: Batch,
): boolean {
  return (
    (batch.interests?.some((each) => interests.includes(each)) ?? true) &&
    (batch.locales?.includes(locale) ?? true)
  )
}
