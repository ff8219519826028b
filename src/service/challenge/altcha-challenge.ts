import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@public-api/contract/errors/api-error'
import { parseJson } from '@public-api/contract/json/parse-json'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import type { SchemaType } from '@public-api/contract/terms/schema-type'
import type { Counters } from '../../storage/counters/counters.ts'
import type { Clock } from '../clock.ts'
import type { AcceptedChallenge, Challenge, ChallengePurpose } from './challenge.ts'

/**
 * `cost` is the rounds of PBKDF2 per try. The solution is a random number from 1 to `maxCounter`; a solver tries them in
 * order. About one second on a mid-range phone and two in the worst case. On one core of a server a try takes 0.21 ms in
 * the widget's worker; a phone's core is assumed to take three times that, and the widget uses several. Creating a challenge
 * costs the server one try without the browser's overhead (0.14 ms); verifying a solution costs none.
 */
export const ALTCHA_WORK = { cost: 1000, maxCounter: 10_000 }

export type AltchaWork = typeof ALTCHA_WORK

/** The widget includes it. A browser computes all rounds in one native call, so other programs gain little. */
const ALGORITHM = 'PBKDF2/SHA-256'
const KEY_BYTES = 32
const LIFE_MS = 10 * 60_000

/** How long a spent solution is stored after it expires, for clocks that differ or are set back. */
const CLOCK_MARGIN_MS = 60 * 60_000

const SECRET_NAME = 'challenge-key'
/** The key never expires. The date is one that every store can represent. */
const KEY_UNTIL_MS = Date.UTC(9999, 0, 1)

/** Tokens of the widget have about 750 characters. */
const MAX_TOKEN_LENGTH = 2048
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Bytes in hexadecimal, in one spelling. */
const hexOf = (bytes: number) => ({ type: 'string', pattern: `^[0-9a-f]{${bytes * 2}}$` }) as const

/** The parts of a token of the widget that are read. The signature covers the other parameters too. */
const TOKEN_SCHEMA = {
  type: 'object',
  required: ['challenge', 'solution'],
  properties: {
    challenge: {
      type: 'object',
      required: ['parameters', 'signature'],
      properties: {
        parameters: {
          type: 'object',
          required: ['data', 'expiresAt', 'keySignature'],
          properties: {
            data: { type: 'object', properties: { purpose: { type: 'string' } } },
            expiresAt: { type: 'integer' },
            keySignature: hexOf(32),
          },
        },
        signature: hexOf(32),
      },
    },
    solution: {
      type: 'object',
      required: ['counter', 'derivedKey'],
      properties: {
        counter: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
        derivedKey: hexOf(KEY_BYTES),
      },
    },
  },
} as const

/** Parses a token of the widget; undefined if it is malformed. */
function parseToken(token: string): SchemaType<typeof TOKEN_SCHEMA> | undefined {
  if (token.length > MAX_TOKEN_LENGTH || !BASE64.test(token)) return undefined
  const payload = parseJson(Buffer.from(token, 'base64').toString('utf8'))
  if (schemaMistake(TOKEN_SCHEMA, payload) !== undefined) return undefined
  return payload as SchemaType<typeof TOKEN_SCHEMA>
}

function isHmac(hex: string, key: string, data: string | Uint8Array): boolean {
  const expected = createHmac('sha256', key).update(data).digest()
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected)
}

/**
 * Proof of work (ALTCHA, version 2 of its challenges), created and verified by the service itself.
 *
 * The library creates and signs the challenge. Verification is done here, since the library's own uses the machine's clock and
 * leaves the accepted parameters to the caller. A token cannot choose the work it causes: two HMACs prove that this service
 * set all its parameters and that the key was found. The key was signed when the challenge was created, so none is derived here.
 */
export function createAltchaChallenge({
  counters,
  clock,
  work = ALTCHA_WORK,
}: {
  readonly counters: Counters
  readonly clock: Clock
  readonly work?: AltchaWork
}): Challenge {
  // Fetched for each call, because counters that lost the spent ids have lost the key too.
  async function openKeys() {
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
    const { createChallenge } = await import('altcha-lib')
    const { deriveKey } = await import('altcha-lib/algorithms/pbkdf2')
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
    const submission = parseToken(token)
    if (submission === undefined) throw new ApiError('CHALLENGE_FAILED')
    const { parameters, signature } = submission.challenge
    const { data, expiresAt, keySignature } = parameters
    const expiresAtMs = expiresAt * 1000
    if (data.purpose !== purpose || clock.nowMs() >= expiresAtMs) {
      throw new ApiError('CHALLENGE_FAILED')
    }
    // The members were signed in alphabetical order.
    const members = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const signed = JSON.stringify(Object.fromEntries(members))
    const keys = await openKeys()
    const isSolved =
      isHmac(signature, keys.signature, signed) &&
      isHmac(keySignature, keys.keySignature, Buffer.from(submission.solution.derivedKey, 'hex'))
    if (!isSolved) throw new ApiError('CHALLENGE_FAILED')
    // One id per challenge, independent of the encoding of its solution.
    const id = `challenge:${signature}`
    // Passes the secret, so that counters that did not issue the challenge do not spend its id.
    const isFirst = await counters.spend(id, expiresAtMs + CLOCK_MARGIN_MS, keys.secret)
    if (!isFirst) throw new ApiError('CHALLENGE_FAILED')
    // After a failure, the caller has to solve another challenge.
    return { release: () => counters.release(id).catch(() => {}) }
  }

  return { description: { provider: 'altcha', path: '/challenge', siteKey: null }, issue, verify }
}
