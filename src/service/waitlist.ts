import { ApiError } from '../contract/api-error.ts'
import { formatInstant } from '../contract/instant.ts'
import type { Locale } from '../contract/locales.ts'
import type { RegistrationInput } from '../contract/registration.ts'
import type { DataOf } from '../contract/schemas.ts'
import { formatTicket, TICKET_BYTES } from '../contract/ticket.ts'
import type { Encryptor } from '../crypto/age-file.ts'
import type { WaitlistStore } from '../storage/waitlist-store.ts'
import type { AcceptedChallenge, Challenge } from './challenge.ts'
import type { Clock } from './clock.ts'
import type { RegistrationLimits } from './registration-limits.ts'
import { formatWaitlistEntry } from './waitlist-entry.ts'

/** A registration whose fields were checked, with the locale that was sent or found. */
export interface Registration extends Omit<RegistrationInput, 'locale'> {
  readonly locale: Locale
}

/** The waitlist, as its endpoints ask it. */
export interface Waitlist {
  /** Whether a registration can succeed now, as far as the last ones of this process tell. */
  isOpen(): boolean
  /** Counts a request from a client's address. Throws ApiError RATE_LIMITED or REGISTRATION_UNAVAILABLE. */
  admit(address: string): Promise<void>
  /**
   * Puts an address on the list; resolves once it would outlive a power cut. Throws ApiError CHALLENGE_FAILED, DUPLICATE,
   * or REGISTRATION_UNAVAILABLE, and after that one nothing was stored.
   */
  register(registration: Registration): Promise<DataOf<'RegistrationResult'>>
}

/** What the waitlist works with. */
export interface WaitlistParts {
  readonly store: WaitlistStore
  readonly limits: RegistrationLimits
  readonly challenge: Challenge
  readonly encryptor: Encryptor
  /** Keyed hash of a normalized address. */
  readonly hashAddress: (normalized: string) => Uint8Array
  readonly clock: Clock
  /** So many random bytes. */
  readonly randomBytes: (count: number) => Uint8Array
}

/** After a failure the list is said to be unavailable for so long, unless a registration succeeds meanwhile. */
const DOUBT_MS = 15_000

/** The waitlist over its store. */
export function createWaitlist(parts: WaitlistParts): Waitlist {
  const { store, limits, challenge, encryptor, hashAddress, clock, randomBytes } = parts
  let failedAtMs = Number.NEGATIVE_INFINITY

  /** A refusal of the contract stays what it is; anything else is an outage. */
  function outage(cause: unknown): ApiError {
    if (cause instanceof ApiError) return cause
    failedAtMs = clock.nowMs()
    return new ApiError('REGISTRATION_UNAVAILABLE', { cause })
  }

  async function keep(registration: Registration): Promise<DataOf<'RegistrationResult'>> {
    const { email, locale, interests, useCase } = registration
    const registeredAtMs = clock.nowMs()
    const ticket = formatTicket(randomBytes(TICKET_BYTES))
    const entry = formatWaitlistEntry({
      ticket,
      email: email.address,
      locale,
      interests,
      useCase: useCase ?? null,
      registeredAt: formatInstant(registeredAtMs),
    })
    // Sealed before anybody knows whether the address is new: both cost the same (spec section 3).
    const sealed = await encryptor.encrypt(entry).finally(() => entry.fill(0))
    const outcome = await store.add({
      ticket,
      addressHash: hashAddress(email.normalized),
      recipient: encryptor.recipient,
      sealed,
      registeredAtMs,
    })
    failedAtMs = Number.NEGATIVE_INFINITY
    if (outcome === 'duplicate') throw new ApiError('DUPLICATE')
    return {
      ticket,
      status: 'WAITING',
      message: 'You are on the waitlist. Keep the ticket for questions about your registration.',
    }
  }

  return {
    isOpen() {
      const sinceMs = clock.nowMs() - failedAtMs
      // A failure that is yet to come was met before the clock was set back.
      return sinceMs >= DOUBT_MS || sinceMs < 0
    },

    async admit(address) {
      try {
        await limits.admit(address)
      } catch (error) {
        throw outage(error)
      }
    },

    async register(registration) {
      let accepted: AcceptedChallenge
      try {
        accepted = await challenge.verify(registration.challengeToken, 'register')
      } catch (error) {
        throw outage(error)
      }
      try {
        return await keep(registration)
      } catch (error) {
        const refusal = outage(error)
        // Nothing was stored, so the person may send the same again.
        if (refusal.code === 'REGISTRATION_UNAVAILABLE') await accepted.release()
        throw refusal
      }
    },
  }
}
