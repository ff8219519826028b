import { availableParallelism } from 'node:os'
import { type Challenge, type ChallengeParameters, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'

/** A solved ALTCHA challenge. */
export interface SolvedAltcha {
  /** In the widget's format, for `challengeToken`. */
  readonly token: string
  /** Milliseconds since the epoch; null for a challenge without an end. */
  readonly expiresAtMs: number | null
}

/** The challenge is invalid or was not solved in time. The message is one line and does not quote the challenge. */
export class AltchaSolverError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'AltchaSolverError'
  }
}

const ALGORITHMS: readonly unknown[] = ['PBKDF2/SHA-256', 'PBKDF2/SHA-384', 'PBKDF2/SHA-512']
/** A try with this cost takes about a tenth of a second. Challenges with a higher cost are not solved. */
const MAX_COST = 1_000_000
const MAX_KEY_BYTES = 64
/** Keys are derived in Node's thread pool, which has four threads. */
const MAX_AT_ONCE = 4

function isHex(value: unknown, maxBytes: number): boolean {
  return (
    typeof value === 'string' && /^(?:[0-9a-f]{2})+$/.test(value) && value.length <= maxBytes * 2
  )
}

function isWhole(value: unknown, maximum: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maximum
}

function parseChallenge(text: string): Challenge {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AltchaSolverError('expected a challenge as JSON, found something else')
  }
  const { parameters, signature } = (value ?? {}) as {
    readonly parameters?: { readonly [Name in keyof ChallengeParameters]?: unknown } | null
    readonly signature?: unknown
  }
  if (typeof parameters !== 'object' || parameters === null || typeof signature !== 'string') {
    throw new AltchaSolverError('expected an ALTCHA challenge with parameters and a signature')
  }
  const { algorithm, cost, nonce, salt, keyLength, keyPrefix, expiresAt } = parameters
  if (!ALGORITHMS.includes(algorithm)) {
    throw new AltchaSolverError(`expected an algorithm out of ${ALGORITHMS.join(', ')}`)
  }
  if (!isWhole(cost, MAX_COST)) {
    throw new AltchaSolverError(`expected a cost from 1 to ${MAX_COST} rounds`)
  }
  const areSound =
    isWhole(keyLength, MAX_KEY_BYTES) &&
    isHex(nonce, MAX_KEY_BYTES) &&
    isHex(salt, MAX_KEY_BYTES) &&
    isHex(keyPrefix, Number(keyLength)) &&
    (expiresAt === undefined || isWhole(expiresAt, Number.MAX_SAFE_INTEGER))
  if (!areSound) throw new AltchaSolverError('the challenge has invalid parameters')
  return value as Challenge
}

/**
 * Solves a challenge in its JSON text on up to four cores. Rejects with AltchaSolverError for an invalid challenge, and without
 * a solution within `timeoutMs`.
 */
export async function solveAltcha(text: string, timeoutMs: number): Promise<SolvedAltcha> {
  const challenge = parseChallenge(text)
  const atOnce = Math.min(availableParallelism(), MAX_AT_ONCE)
  const controller = new AbortController()
  const solvers = Array.from({ length: atOnce }, (_each, counterStart) =>
    solveChallenge({
      challenge,
      controller,
      counterStart,
      counterStep: atOnce,
      deriveKey,
      timeout: timeoutMs,
    }),
  )
  const solution = await Promise.race(solvers)
  controller.abort()
  await Promise.allSettled(solvers)
  if (solution === null) {
    throw new AltchaSolverError(`no solution was found within ${timeoutMs / 1000} s`)
  }
  const { parameters, signature } = challenge
  const { expiresAt } = parameters
  return {
    token: btoa(JSON.stringify({ challenge: { parameters, signature }, solution })),
    expiresAtMs: expiresAt === undefined ? null : expiresAt * 1000,
  }
}
