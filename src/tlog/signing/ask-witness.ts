import { encodeBase64 } from '@public-api/client-internal/base64'
import {
  cosignatureTime,
  isLineOf,
  parseSize,
  type SignedCheckpoint,
} from '@public-api/client-internal/log/checkpoint'
import type { HashTree } from '@public-api/client-internal/log/hash-tree'
import { LogError } from '@public-api/client-internal/log/log-error'
import type { PolicyWitness } from '@public-api/client-internal/log/log-policy'
import { consistencyProof } from '@public-api/client-internal/log/merkle-tree'
import { parseSignatureLine } from '@public-api/client-internal/log/signed-note'
import { messageOf } from '@public-api/contract/errors/error-message'
import { readBoundedBody } from '@public-api/contract/http/read-bounded-body'

/** A note of cosignatures: far above 64 lines of the longest known type would be a mistake. */
const MAX_ANSWER_BYTES = 131_072
const MAX_LINES = 64
const SIZE_TYPE = 'text/x.tlog.size'

/** Result of asking a witness (c2sp.org/tlog-witness). */
export type WitnessOutcome =
  | { readonly kind: 'cosigned'; readonly line: string; readonly atSeconds: number }
  /** It has seen a larger tree, another tree of this size, or refuses the proof: two histories may exist. */
  | { readonly kind: 'alarm'; readonly detail: string }
  /** Its operator has not configured the log or the key. */
  | { readonly kind: 'not-configured'; readonly detail: string }
  | { readonly kind: 'failed'; readonly detail: string }
  /** Not asked: the policy states no URL, or an earlier failure is recent. */
  | { readonly kind: 'skipped'; readonly detail: string }

/** The part of fetch that asking needs. */
export type WitnessFetch = (
  url: string,
  init: {
    readonly method: 'POST'
    readonly body: string
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<Response>

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** A checkpoint to be cosigned. */
export interface Submission {
  /** The signed checkpoint with every signature it has. */
  readonly note: string
  readonly checkpoint: SignedCheckpoint
  readonly tree: HashTree
}

async function readUpTo(response: Response, maxBytes: number): Promise<string> {
  const body = await readBoundedBody(response, maxBytes)
  if (body === undefined) throw new Error(`the response has more than ${maxBytes} bytes`)
  return new TextDecoder('utf-8', { fatal: true }).decode(body)
}

/** The request body: the old size, the consistency proof, an empty line and the checkpoint. */
async function requestBody(
  { note, checkpoint, tree }: Submission,
  oldSize: number,
): Promise<string> {
  const proof = await consistencyProof(tree, oldSize, checkpoint.size)
  return [`old ${oldSize}`, ...proof.map(encodeBase64), '', note].join('\n')
}

/** The newest valid line of the witness in a response. Lines of other keys are ignored. */
async function cosignedOutcome(
  { key, name }: PolicyWitness,
  text: string,
  checkpoint: SignedCheckpoint,
): Promise<WitnessOutcome> {
  const lines = text.split('\n').filter((line) => line !== '')
  if (lines.length > MAX_LINES) {
    return { kind: 'failed', detail: `its response has more than ${MAX_LINES} lines` }
  }
  for (const [index, line] of lines.entries()) {
    try {
      const signature = parseSignatureLine(line, index + 1, `the response of ${name}`)
      if (!isLineOf(key, signature)) continue
      const atSeconds = await cosignatureTime(key, signature, checkpoint)
      if (atSeconds !== undefined) return { kind: 'cosigned', line: `${line}\n`, atSeconds }
      return {
        kind: 'failed',
        detail: `its response, line ${index + 1}: the cosignature is not valid`,
      }
    } catch (error) {
      if (!(error instanceof LogError)) throw error
      return { kind: 'failed', detail: error.message }
    }
  }
  return {
    kind: 'failed',
    detail: `its response has no cosignature of ${key.name}+${key.keyId}, its key in the policy`,
  }
}

/**
 * Asks a witness to cosign. `oldSize` is the size that it last cosigned, as far as known. A witness that knows another
 * size is asked once more with the proof from there. Never rejects.
 */
export async function askWitness(
  witness: PolicyWitness,
  submission: Submission,
  oldSize: number,
  fetchOne: WitnessFetch,
  signal: AbortSignal,
): Promise<WitnessOutcome> {
  const { checkpoint } = submission
  const { url = '', key } = witness
  const address = `${url.replace(/\/+$/, '')}/add-checkpoint`

  async function post(size: number): Promise<Answer> {
    const body = await requestBody(submission, size)
    const response = await fetchOne(address, { method: 'POST', body, redirect: 'manual', signal })
    const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim() ?? ''
    return { status: response.status, type, text: await readUpTo(response, MAX_ANSWER_BYTES) }
  }

  async function outcomeOf(
    { status, type, text }: Answer,
    isRetry: boolean,
  ): Promise<WitnessOutcome> {
    if (status === 200) return cosignedOutcome(witness, text, checkpoint)
    if (status === 409 && type === SIZE_TYPE) {
      const known = parseSize(text.replace(/\n$/, ''))
      if (known === undefined) return { kind: 'failed', detail: 'its 409 states no size' }
      if (known > checkpoint.size) {
        const detail = `it has seen ${known} entries, and this folder has ${checkpoint.size}: the folder is behind`
        return { kind: 'alarm', detail }
      }
      if (isRetry) return { kind: 'failed', detail: `it states size ${known} again` }
      return outcomeOf(await post(known), true)
    }
    if (status === 409) {
      return { kind: 'alarm', detail: `it has seen another tree of ${checkpoint.size} entries` }
    }
    if (status === 422) {
      return { kind: 'alarm', detail: 'it refuses the proof: it has seen another history' }
    }
    if (status === 404 || status === 403) {
      const keys = checkpoint.signatures
        .filter(({ name }) => name === checkpoint.origin)
        .map(({ name, keyId }) => `${name}+${keyId}`)
      const what =
        status === 404 ? `the log ${checkpoint.origin}` : `the log key ${keys.join(' or ')}`
      const detail = `it does not know ${what}; send its operator the log line of log/policy`
      return { kind: 'not-configured', detail }
    }
    return { kind: 'failed', detail: `it responded with status ${status}` }
  }

  try {
    const size = Math.min(oldSize, checkpoint.size)
    return await outcomeOf(await post(size), false)
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    const detail = isLate ? 'it did not respond in time' : `${key.name} ${messageOf(cause)}`
    return { kind: 'failed', detail }
  }
}
