import { randomBytes } from 'node:crypto'
import { createEncryptor } from '../crypto/age-file.ts'
import { createKeyedHash } from '../crypto/keyed-hash.ts'
import type { Secrets } from '../secrets.ts'
import { createApiKeys } from '../service/api-keys/api-keys.ts'
import type { Challenge } from '../service/challenge/challenge.ts'
import type { Clock } from '../service/clock.ts'
import type { Log } from '../service/logger.ts'
import { admitRegistration } from '../service/waitlist/rate-limits.ts'
import { ADDRESS_HASH_LABEL } from '../service/waitlist/waitlist-entry.ts'
import { createWaitlist } from '../service/waitlist/waitlist.ts'
import type { Counters } from '../storage/counters/counters.ts'
import type { Stores } from '../storage/stores/storage.ts'

interface StoredServicesOptions {
  readonly storage: Stores
  readonly counters: Counters
  readonly clock: Clock
  readonly challenge: Challenge
  readonly secrets: Omit<Secrets, 'signingKey' | 'publishedKeys'>
  readonly log: Log
}

/** The waitlist and the API keys over one database. Throws if the waitlist recipient is invalid. */
export function createStoredServices(options: StoredServicesOptions) {
  const { storage, counters, clock, challenge, secrets, log } = options
  return {
    waitlist: createWaitlist({
      store: storage.waitlist,
      admitRegistration: (address) => admitRegistration(address, counters, clock),
      challenge,
      encryptor: createEncryptor(secrets.waitlistRecipient),
      hashAddress: createKeyedHash(secrets.addressHashSecret, ADDRESS_HASH_LABEL),
      clock,
      randomBytes,
    }),
    apiKeys: createApiKeys({
      store: storage.apiKeys,
      counters,
      clock,
      hashSecret: secrets.keyHashSecret,
      previousHashSecrets: secrets.previousKeyHashSecrets,
      randomBytes,
      onRehashFailure: (error) =>
        log.warn(
          { err: error },
          'Replacing the hash of an API key failed; it is retried with the next use of the key',
        ),
    }),
  }
}
