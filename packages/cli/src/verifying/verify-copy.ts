import {
  CommandFailure,
  type CommandResult,
  EXIT_CODES,
  type ExitCode,
} from '@public-api/cli-kit/command'
import { openCopies } from '@public-api/client-internal/copies/copies'
import { CopyError } from '@public-api/client-internal/copies/copy-error'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { formatInstant } from '@public-api/contract/text/instant'
import type { Address } from './address.ts'
import { type Ask, createFetch } from './requests.ts'
import { ageOf, sanitizeForTerminal } from './sanitize-for-terminal.ts'

/** The copies of a service, and what to trust about them. */
export interface CopySources {
  readonly mirrors: readonly string[]
  readonly maxAgeSeconds: number
  readonly pinnedKeyIds: readonly string[]
}

/** A service that did not respond, and how copies are read instead. */
interface UnreachableService {
  readonly address: Address
  /** Why the service did not respond. */
  readonly outage: Error
  readonly nowMs: number
  readonly timeoutMs: number
  readonly ask: Ask
}

function failureOf(error: unknown, outage: Error, mirrors: readonly string[]): CommandFailure {
  const why = sanitizeForTerminal(outage.message, 400)
  if (error === outage) {
    const details = [`No copy responded: ${mirrors.join(', ')}`]
    return new CommandFailure('UNREACHABLE', why, { exitCode: EXIT_CODES.unreachable, details })
  }
  if (!(error instanceof CopyError || error instanceof VerificationError)) throw error
  const isRefused = error instanceof CopyError && error.code !== 'OTHER_HISTORY'
  const exitCode: ExitCode = isRefused ? EXIT_CODES.unreachable : EXIT_CODES.failure
  const message = sanitizeForTerminal(error.message, 400)
  return new CommandFailure(error.code, message, { exitCode, details: [why] })
}

/** Verifies what the copies of a service have instead of a response. Rejects with a CommandFailure. */
export async function verifyCopy(
  { address, outage, nowMs, timeoutMs, ask }: UnreachableService,
  { mirrors, maxAgeSeconds, pinnedKeyIds }: CopySources,
): Promise<CommandResult> {
  const { origin, target } = address
  const copies = openCopies({
    origin,
    mirrors,
    maxAgeSeconds,
    store: undefined,
    fetch: createFetch(ask),
    limits: { timeoutMs },
    now: () => nowMs,
    trusted: () => pinnedKeyIds,
  })
  const result = await copies.read(target, outage, undefined).catch((error: unknown) => {
    throw failureOf(error, outage, mirrors)
  })
  const { keyId, etag, ageSeconds, warnings, mirror } = result
  const provedAt = formatInstant(result.provedAtMs)
  const url = `${origin}${target}`
  return {
    json: {
      method: 'GET',
      url,
      isPinned: true,
      source: result.source,
      mirror,
      outage: outage.message,
      keyId,
      provedAt,
      ageSeconds,
      etag,
      warnings,
      error: null,
    },
    lines: [
      `GET ${url}`,
      `from the copy ${mirror}`,
      '',
      `Verified: this was current at ${provedAt}, ${ageOf(ageSeconds)} ago, signed by ${keyId}.`,
      `ETag of the data: ${etag}`,
    ],
    errors: [outage.message, ...warnings].map(
      (each) => `warning: ${sanitizeForTerminal(each, 400)}`,
    ),
  }
}
