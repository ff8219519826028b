import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { createChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { ApiError } from '../contract/api-error.ts'
import { parseJson } from '../contract/parse-json.ts'
import type { Counters, NamedSecret } from '../storage/counters.ts'
import {
  type AcceptedChallenge,
  type Challenge,
  type ChallengePurpose,
  ChallengeUnavailableError,
} from './challenge.ts'
import type { Clock } from './clock.ts'
import { propertyOf } from '../contract/property-of.ts'

/** How hard a challenge is to solve. */
export interface AltchaWork {
  /** Rounds of PBKDF2 for one try. */
  readonly cost: number
  /** The solution is a random number from 1 to this one, and a solver tries them in turn. */
  readonly maxCounter: number
}

/**
 * About a second on a phone of the middle class, and two at worst. Measured on one core of a server, a try takes 0.21 ms
 * in the widget's worker; a phone's core is reckoned to take three times that, and the widget uses several. Setting a
 * challenge costs the server one try, without the browser's share of it (0.14 ms); checking a solution costs none.
 */
export const ALTCHA_WORK: AltchaWork = { cost: 1000, maxCounter: 10_000 }

/** What an ALTCHA challenge is made from. */
export interface AltchaOptions {
  readonly counters: Counters
  readonly clock: Clock
  /** ALTCHA_WORK unless a test wants to wait for less. */
  readonly work?: AltchaWork
}

/** The widget brings it along, and a browser does its rounds in one call, so native code gains little over a page. */
const ALGORITHM = 'PBKDF2/SHA-256'
const KEY_BYTES = 32
const LIFE_MS = 10 * 60_000

/**
 * A solution is remembered for so long beyond its expiry, since the processes that share counters may differ in time, and
 * a clock that was set forward by mistake is set back.
 */
const CLOCK_MARGIN_MS = 60 * 60_000

const SECRET_NAME = 'challenge-key'
/** The key has no end of its own. The date is one that every store can represent. */
const KEY_UNTIL_MS = Date.UTC(9999, 0, 1)

/** The widget makes about 750 characters of it. */
const MAX_TOKEN_LENGTH = 2048
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const MAX_COUNTER = 2 ** 32 - 1

/** The parts of a token that say something; all else in it follows from them. */
interface Submission {
  readonly parameters: object
  readonly signature: string
  readonly nonce: string
  readonly salt: string
  readonly keyPrefix: string
  readonly keySignature: string
  readonly expiresAt: number
  readonly derivedKey: string
}

interface Keys {
  readonly secret: NamedSecret
  readonly signature: string
  readonly keySignature: string
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-f]+$/.test(value)
}

/** What the token says, or undefined where it is none that the widget makes. */
function readToken(token: string): Submission | undefined {
  if (token.length > MAX_TOKEN_LENGTH || !BASE64.test(token)) return undefined
  const payload = parseJson(Buffer.from(token, 'base64').toString('utf8'))
  const challenge = propertyOf(payload, 'challenge')
  const solution = propertyOf(payload, 'solution')
  const parameters = propertyOf(challenge, 'parameters')
  if (typeof parameters !== 'object' || parameters === null) return undefined
  const signature = propertyOf(challenge, 'signature')
  const nonce = propertyOf(parameters, 'nonce')
  const salt = propertyOf(parameters, 'salt')
  const keyPrefix = propertyOf(parameters, 'keyPrefix')
  const keySignature = propertyOf(parameters, 'keySignature')
  const expiresAt = propertyOf(parameters, 'expiresAt')
  const counter = propertyOf(solution, 'counter')
  const derivedKey = propertyOf(solution, 'derivedKey')
  if (!isHex(signature, 32) || !isHex(nonce, 16) || !isHex(salt, 16)) return undefined
  if (!isHex(keyPrefix, KEY_BYTES / 2) || !isHex(keySignature, 32)) return undefined
  if (typeof expiresAt !== 'number' || !Number.isSafeInteger(expiresAt)) return undefined
  if (typeof counter !== 'number' || !Number.isInteger(counter)) return undefined
  if (counter < 0 || counter > MAX_COUNTER || !isHex(derivedKey, KEY_BYTES)) return undefined
  return { parameters, signature, nonce, salt, keyPrefix, keySignature, expiresAt, derivedKey }
}

function hmac(key: string, data: string | Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(data).digest()
}

function isHmac(hex: string, key: string, data: string | Uint8Array): boolean {
  return timingSafeEqual(Buffer.from(hex, 'hex'), hmac(key, data))
}

async function orUnavailable<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call
  } catch (error) {
    throw new ChallengeUnavailableError('The counters are unavailable', { cause: error })
  }
}

/**
 * Proof of work (ALTCHA, version 2 of its challenges), which the service sets and checks by itself.
 *
 * The library makes the challenge and signs it; checking is done here, since the library's check looks at the machine's
 * clock, and leaves it to the caller what parameters to accept. Nothing in a token decides how much work it makes: the
 * parameters must be the ones that this service would set, for this purpose and at this cost, and then two HMACs tell
 * whether it did set them and whether the key was found. The key that was to be found was signed when the challenge was
 * set, so no key is derived.
 */
export function createAltchaChallenge({
  counters,
  clock,
  work = ALTCHA_WORK,
}: AltchaOptions): Challenge {
  // Asked for each time and not kept: should the counters be lost, what was spent is forgotten, and the key with it.
  async function openKeys(): Promise<Keys> {
    const bytes = await counters.secret(SECRET_NAME, KEY_UNTIL_MS)
    const keyFor = (use: string) => createHmac('sha256', bytes).update(use).digest('hex')
    return {
      secret: { name: SECRET_NAME, bytes },
      signature: keyFor('altcha signature'),
      keySignature: keyFor('altcha key signature'),
    }
  }

  async function issue(purpose: ChallengePurpose): Promise<string> {
    const keys = await openKeys()
    const challenge = await createChallenge({
      algorithm: ALGORITHM,
      cost: work.cost,
      keyLength: KEY_BYTES,
      counter: randomInt(1, work.maxCounter + 1),
      data: { purpose },
      expiresAt: Math.floor((clock.nowMs() + LIFE_MS) / 1000),
      deriveKey,
      hmacSignatureSecret: keys.signature,
      hmacKeySignatureSecret: keys.keySignature,
    })
    return JSON.stringify(challenge)
  }

  async function verify(token: string, purpose: ChallengePurpose): Promise<AcceptedChallenge> {
    const submission = readToken(token)
    if (submission === undefined) throw new ApiError('CHALLENGE_FAILED')
    const { parameters, signature, keySignature, expiresAt, derivedKey } = submission
    const { nonce, salt, keyPrefix } = submission
    // Names in the order in which they are signed: the alphabet's.
    const expected = {
      algorithm: ALGORITHM,
      cost: work.cost,
      data: { purpose },
      expiresAt,
      keyLength: KEY_BYTES,
      keyPrefix,
      keySignature,
      nonce,
      salt,
    }
    const expiresAtMs = expiresAt * 1000
    if (!isDeepStrictEqual(parameters, expected) || clock.nowMs() >= expiresAtMs) {
      throw new ApiError('CHALLENGE_FAILED')
    }
    const keys = await orUnavailable(openKeys())
    const isSolved =
      isHmac(signature, keys.signature, JSON.stringify(expected)) &&
      isHmac(keySignature, keys.keySignature, Buffer.from(derivedKey, 'hex'))
    if (!isSolved) throw new ApiError('CHALLENGE_FAILED')
    // One for each challenge, in whatever way its solution is written down.
    const id = `challenge:${signature}`
    // With the secret, so that an id is never spent in a place that did not issue the challenge.
    const isFirst = await orUnavailable(
      counters.spend(id, expiresAtMs + CLOCK_MARGIN_MS, keys.secret),
    )
    if (!isFirst) throw new ApiError('CHALLENGE_FAILED')
    return {
      async release() {
        try {
          await counters.release(id)
        } catch {
          // The caller then has to solve another one; that is all that follows.
        }
      },
    }
  }

  return { description: { provider: 'altcha', path: '/challenge', siteKey: null }, issue, verify }
}
