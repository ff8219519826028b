import { availableParallelism } from 'node:os'
import { parseJson } from '@public-api/contract/json/parse-json'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import type { SchemaType } from '@public-api/contract/terms/schema-type'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'

/** The challenge is invalid or was not solved in time. The message is one line and does not quote the challenge. */
export class AltchaSolverError extends Error {
  override readonly name = 'AltchaSolverError'
}

/** Keys are derived in Node's thread pool, which has four threads. */
const MAX_AT_ONCE = 4

const HEX = { type: 'string', pattern: '^(?:[0-9a-f]{2}){1,64}$' } as const

const CHALLENGE_SCHEMA = {
  type: 'object',
  required: ['parameters', 'signature'],
  properties: {
    signature: { type: 'string' },
    parameters: {
      type: 'object',
      required: ['algorithm', 'cost', 'nonce', 'salt', 'keyLength', 'keyPrefix'],
      properties: {
        algorithm: { enum: ['PBKDF2/SHA-256', 'PBKDF2/SHA-384', 'PBKDF2/SHA-512'] },
        // A try with a million rounds takes about a tenth of a second; higher costs are not solved.
        cost: { type: 'integer', minimum: 1, maximum: 1_000_000 },
        nonce: HEX,
        salt: HEX,
        keyLength: { type: 'integer', minimum: 1, maximum: 64 },
        keyPrefix: HEX,
        expiresAt: { type: 'integer', minimum: 1 },
      },
    },
  },
} as const

/**
 * Solves a challenge in its JSON text on up to four cores. The token is in the widget's format, for `challengeToken`;
 * `expiresAtMs` is null for a challenge without an end. Rejects with AltchaSolverError, also after `timeoutMs`.
 */
export async function solveAltcha(text: string, timeoutMs: number) {
  const challenge = parseJson(text)
  const mistake = schemaMistake(CHALLENGE_SCHEMA, challenge)
  if (mistake !== undefined) {
    throw new AltchaSolverError(`expected an ALTCHA challenge as JSON; challenge${mistake}`)
  }
  const { parameters, signature } = challenge as SchemaType<typeof CHALLENGE_SCHEMA>
  if (parameters.keyPrefix.length > parameters.keyLength * 2) {
    throw new AltchaSolverError('expected an ALTCHA challenge whose keyPrefix fits its keyLength')
  }
  const atOnce = Math.min(availableParallelism(), MAX_AT_ONCE)
  const controller = new AbortController()
  const solvers = Array.from({ length: atOnce }, (_each, counterStart) =>
    solveChallenge({
      challenge: { parameters, signature },
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
  const { expiresAt } = parameters
  return {
    token: btoa(JSON.stringify({ challenge: { parameters, signature }, solution })),
    expiresAtMs: expiresAt === undefined ? null : expiresAt * 1000,
  }
}
