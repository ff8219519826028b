import { ApiError } from '@public-api/contract/errors/api-error'
import type { DataOf } from '@public-api/contract/registry/schemas'
import type { Locale } from '@public-api/contract/terms/locales'
import { formatInstant } from '@public-api/contract/text/instant'
import type { RegistrationInput } from '@public-api/contract/waitlist/registration'
import { formatTicket, TICKET_BYTES } from '@public-api/contract/waitlist/ticket'
import type { Encryptor } from '../../crypto/age-file.ts'
import { sha256Hex } from '../../crypto/sha256.ts'
import type { WaitlistStore } from '../../storage/stores/waitlist-store.ts'
import type { AcceptedChallenge, Challenge } from '../challenge/challenge.ts'
import type { Clock } from '../clock.ts'
import { formatWaitlistEntry } from './waitlist-entry.ts'

/** A registration whose fields were checked, with the locale that was sent or found. */
export interface Registration extends Omit<RegistrationInput, 'locale'> {
  readonly locale: Locale
  /** The statement that the person agreed to. */
  readonly consentText: string
}

interface WaitlistDependencies {
  readonly store: WaitlistStore
  /** Counts a registration from an address. Rejects beyond its limits, or when counting fails. */
  readonly admitRegistration: (address: string) => Promise<void>
  readonly challenge: Challenge
  readonly encryptor: Encryptor
  readonly hashAddress: (normalized: string) => Uint8Array
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
}

/** Enough digits to distinguish the versions of one text. */
const CONSENT_VERSION_DIGITS = 16

/** How long the list is reported as closed after a failure, unless a registration succeeds earlier. */
const UNAVAILABLE_FOR_MS = 15_000

export function createWaitlist({
  store,
  admitRegistration,
  challenge,
  encryptor,
  hashAddress,
  clock,
  randomBytes,
}: WaitlistDependencies) {
  let failedAtMs = Number.NEGATIVE_INFINITY

  /** Keeps an ApiError; turns any other failure into REGISTRATION_UNAVAILABLE. */
  function toApiError(cause: unknown): ApiError {
    if (cause instanceof ApiError) return cause
    failedAtMs = clock.nowMs()
    return new ApiError('REGISTRATION_UNAVAILABLE', { cause })
  }

  async function storeRegistration(
    registration: Registration,
  ): Promise<DataOf<'RegistrationResult'>> {
    const { email, locale, interests, useCase, consentText } = registration
    const registeredAtMs = clock.nowMs()
    const ticket = formatTicket(randomBytes(TICKET_BYTES))
    const entry = formatWaitlistEntry({
      ticket,
      email: email.address,
      locale,
      interests,
      useCase: useCase ?? null,
      registeredAt: formatInstant(registeredAtMs),
      consent: {
        version: sha256Hex(consentText).slice(0, CONSENT_VERSION_DIGITS),
        text: consentText,
      },
    })
    // Encrypted before it is known whether the address is new, so that both cases cost the same (spec section 3).
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
    /** Whether a registration is likely to succeed, judging from the latest ones in this process. */
    isOpen(): boolean {
      const sinceMs = clock.nowMs() - failedAtMs
      // Negative after the clock was set back.
      return sinceMs >= UNAVAILABLE_FOR_MS || sinceMs < 0
    },

    /** Counts a request from a client's address. Rejects with ApiError RATE_LIMITED or REGISTRATION_UNAVAILABLE. */
    async admit(address: string): Promise<void> {
      try {
        await admitRegistration(address)
      } catch (error) {
        throw toApiError(error)
      }
    },

    /**
     * Adds an address to the list; resolves once the row would survive a power failure. Rejects with ApiError
     * CHALLENGE_FAILED, DUPLICATE, or REGISTRATION_UNAVAILABLE. After REGISTRATION_UNAVAILABLE nothing was stored.
     */
    async register(registration: Registration): Promise<DataOf<'RegistrationResult'>> {
      let accepted: AcceptedChallenge | undefined
      try {
        accepted = await challenge.verify(registration.challengeToken, 'register')
        return await storeRegistration(registration)
      } catch (error) {
        const refusal = toApiError(error)
        // Nothing was stored, so the person may send the same again.
        if (refusal.code === 'REGISTRATION_UNAVAILABLE') await accepted?.release()
        throw refusal
      }
    },
  }
}

export type Waitlist = ReturnType<typeof createWaitlist>
