import { ApiResponseError } from '../client/api-response-error.ts'
import { auditHistory, HistoryError, type AuditReport } from '../client/audit-history.ts'
import { createClient } from '../client/client.ts'
import { ConnectionError } from '../client/connection.ts'
import { EvidenceError, verifyEvidence, type HistoryEvidence } from '../client/history-evidence.ts'
import { UnsettledError } from '../client/unsettled-error.ts'
import { VerificationError } from '../client/verification-error.ts'
import { BASE_PATH } from '../contract/api-version.ts'
import { messageOf } from '../contract/error-message.ts'
import { ChainError } from '../contract/version-chain.ts'
import { createAuditBar } from './auditing/audit-progress.ts'
import { keepEvidence } from './auditing/evidence-file.ts'
import { createStateStore } from './auditing/state-store.ts'
import {
  type Command,
  createCommand,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from './command.ts'
import { CommandFailure } from './command-failure.ts'
import { parseWholeNumber } from './option-values.ts'
import { parseBase, parsePins } from './verifying/address.ts'
import { OWN_WORD } from './verifying/own-word.ts'
import { createAsker, createFetch, UnreachableError } from './verifying/requests.ts'
import { readJsonFile } from './verifying/saved-answer.ts'
import { shown } from './verifying/shown-text.ts'
import { pluralOf } from './wording.ts'

const HELP = `Usage: svc audit BASE [options]
       svc audit --check-evidence FILE --pin KEYID [--json]

Audits the history of a deployment: every version against its hash, each hash
against the version before, all of it against the head of the audit before,
and what is served now against the newest version. BASE is the deployment's
origin, such as https://example.org, with or without ${BASE_PATH}.

Where the service signed things that cannot all be true, the signed answers
are written to a file. Whoever gets it can check it with --check-evidence,
without the service and without trusting you.

Options:
  --pin KEYID            id of a key to trust; may be given several times.
                         Without it the keys are the server's own word
  --state FILE           keep the head here from one audit to the next; without
                         it a history that was rewritten as a whole looks sound
  --evidence FILE        where evidence is written, if there is any; a file that
                         exists is left alone, and the next free name taken
                         (default: svc-evidence-FAULT-TIME.json)
  --every-version        read all versions again, also those of audits before
  --check-evidence FILE  check evidence instead; nothing is fetched
  --timeout SECONDS      how long each answer may take (default: 30)
  --max-time SECONDS     how long the whole audit may take (default: 900)
  --json                 print the outcome as one JSON object
  -h, --help             print this text

Exit code: 0 sound (or the evidence proves what it says), 1 not sound, or not
verified, 2 wrong usage, 3 not reached.`

const OPTIONS = {
  pin: { type: 'string', multiple: true },
  state: { type: 'string' },
  evidence: { type: 'string' },
  'every-version': { type: 'boolean', default: false },
  'check-evidence': { type: 'string' },
  timeout: { type: 'string', default: '30' },
  'max-time': { type: 'string', default: '900' },
  json: { type: 'boolean', default: false },
} as const

const TIMEOUT_SECONDS = { unit: 'seconds', least: 1, most: 600 }
const MAX_TIME_SECONDS = { unit: 'seconds', least: 1, most: 86_400 }

interface Settings {
  readonly origin: string
  readonly pinnedKeyIds: readonly string[] | undefined
  readonly stateFile: string | undefined
  readonly evidenceFile: string | undefined
  readonly everyVersion: boolean
  readonly timeoutMs: number
  readonly maxTimeMs: number
  readonly json: boolean
}

/** What the audit throws where it could not be carried through, in the words of a command. */
function failureOf(error: unknown): unknown {
  if (error instanceof ConnectionError) {
    return error.cause instanceof UnreachableError
      ? error.cause
      : new UnreachableError(messageOf(error))
  }
  if (error instanceof VerificationError) {
    return new CommandFailure(
      error.code,
      `an answer is not verified, so nothing is known of the history; ${shown(error.message, 400)}`,
    )
  }
  if (error instanceof ChainError) {
    return new CommandFailure(
      'CHAIN',
      `an entry breaks a rule of the chain; ${shown(error.message)}`,
    )
  }
  if (error instanceof ApiResponseError) {
    return new CommandFailure(error.code, `the service refused; ${shown(error.message)}`)
  }
  if (error instanceof UnsettledError) {
    return new CommandFailure('UNSETTLED', `${error.message}; try again`)
  }
  return error
}

async function runAudit(settings: Settings): Promise<AuditReport> {
  const { origin, pinnedKeyIds, stateFile, everyVersion, timeoutMs, maxTimeMs } = settings
  const asker = createAsker({ origin, timeoutMs, nowMs: Date.now })
  const bar = createAuditBar({
    stream: process.stderr,
    env: process.env,
    nowMs: () => performance.now(),
  })
  const client = createClient({
    baseUrl: origin,
    ...(pinnedKeyIds === undefined ? {} : { pinnedKeyIds }),
    fetch: createFetch(asker.ask),
    // The asker has bounds, and says in words what was out of them.
    timeoutMs: Infinity,
    maxBodyBytes: Infinity,
  })
  const deadline = AbortSignal.timeout(maxTimeMs)
  try {
    return await auditHistory({
      client,
      ...(stateFile === undefined ? {} : { store: createStateStore(stateFile) }),
      everyVersion,
      signal: deadline,
      onProgress: bar.hear,
    })
  } catch (error) {
    if (error === deadline.reason) {
      throw new UnreachableError(
        `the audit of ${origin} took longer than ${maxTimeMs / 1000} s; --max-time allows more`,
      )
    }
    throw failureOf(error)
  } finally {
    bar.end()
    asker.close()
  }
}

function tellReport(report: AuditReport, settings: Settings, output: CommandOutput): ExitCode {
  const { head, previousHead, versionsRead, resources, unavailable } = report
  const { pinnedKeyIds, stateFile, json } = settings
  if (json) {
    const isPinned = pinnedKeyIds !== undefined
    output.out(
      JSON.stringify({ ok: true, isPinned, ...report, previousHead: previousHead ?? null }),
    )
    return EXIT_CODES.done
  }
  output.out(`Sound: ${shown(head.snapshotId)} is the newest version (${shown(head.hash)}).`)
  output.out(`${pluralOf(versionsRead, 'version')} recomputed.`)
  if (previousHead !== undefined) {
    output.out(
      previousHead.hash === head.hash
        ? 'It is also the head of the audit before.'
        : `It goes on from ${shown(previousHead.snapshotId)}, the head of the audit before.`,
    )
  } else {
    output.out(
      stateFile === undefined
        ? 'There is no head of an audit before to compare with; --state FILE keeps one.'
        : `The first audit: its head is kept in ${stateFile}.`,
    )
  }
  output.out(`${pluralOf(resources.length, 'resource')} served as it says.`)
  if (unavailable.length > 0) {
    output.out(`Not to be had at the moment: ${shown(unavailable.join(', '), 2000)}.`)
  }
  if (pinnedKeyIds === undefined) output.out(OWN_WORD)
  return EXIT_CODES.done
}

async function tellFault(
  { code, message, evidence }: HistoryError,
  settings: Settings,
  output: CommandOutput,
): Promise<ExitCode> {
  const file = await keepEvidence(settings.evidenceFile, evidence, Date.now())
  output.error(`svc audit: ${shown(message, 400)}`)
  if (settings.json) {
    output.out(
      JSON.stringify({
        ok: false,
        code,
        message,
        evidenceFile: file ?? null,
        // What could not be written must not be lost.
        ...(file === undefined ? { evidence } : {}),
      }),
    )
  } else if (file === undefined) {
    output.error('The evidence could not be written to a file; it is on standard output. Keep it.')
    output.out(JSON.stringify(evidence))
  } else {
    output.out(`The signed answers that prove it are in ${file}. Keep that file.`)
    output.out(
      'A service that is being rolled out on several machines may look like this for a moment; audit again before you publish it.',
    )
  }
  return EXIT_CODES.failure
}

async function audit(settings: Settings, output: CommandOutput): Promise<ExitCode> {
  try {
    return tellReport(await runAudit(settings), settings, output)
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    return tellFault(error, settings, output)
  }
}

async function checkEvidence(
  file: string,
  pinnedKeyIds: readonly string[],
  json: boolean,
  output: CommandOutput,
): Promise<ExitCode> {
  const evidence = (await readJsonFile(file)) as HistoryEvidence
  try {
    const { fault, meaning } = await verifyEvidence(evidence, { pinnedKeyIds })
    if (json) output.out(JSON.stringify({ ok: true, fault, meaning }))
    else {
      output.out(`Proved: ${fault}, ${meaning}.`)
      output.out(
        `The holder of a key that you pinned signed all ${evidence.answers.length} answers in it.`,
      )
    }
    return EXIT_CODES.done
  } catch (error) {
    if (error instanceof EvidenceError) {
      throw new CommandFailure('NO_EVIDENCE', `${file}: ${shown(error.message)}`)
    }
    if (error instanceof VerificationError) {
      throw new CommandFailure(error.code, `${file}: proves nothing; ${shown(error.message, 400)}`)
    }
    // A member of a wrong type somewhere within: the file is from anyone.
    if (!(error instanceof TypeError)) throw error
    throw new CommandFailure('NO_EVIDENCE', `${file}: expected evidence that svc audit wrote`)
  }
}

/** `svc audit`: whether a deployment's history is one, and still the one of the audit before. */
export const auditCommand: Command = createCommand({
  help: HELP,
  options: OPTIONS,
  takesArguments: true,
  async run({ values, positionals }, output) {
    const pinnedKeyIds = parsePins(values.pin)
    const { json, 'check-evidence': evidenceToCheck } = values
    const [base, ...rest] = positionals
    if (evidenceToCheck !== undefined) {
      if (base !== undefined || values.state !== undefined || values.evidence !== undefined) {
        throw new UsageError('--check-evidence fetches nothing; give only --pin with it')
      }
      if (pinnedKeyIds === undefined) {
        throw new UsageError(
          '--check-evidence needs --pin: anyone can sign with a key of their own',
        )
      }
      return checkEvidence(evidenceToCheck, pinnedKeyIds, json, output)
    }
    if (base === undefined) throw new UsageError('expected the address of a deployment')
    if (rest.length > 0) throw new UsageError('expected one address, found more')
    const settings: Settings = {
      origin: parseBase(base),
      pinnedKeyIds,
      stateFile: values.state,
      evidenceFile: values.evidence,
      everyVersion: values['every-version'],
      timeoutMs: parseWholeNumber('--timeout', values.timeout, TIMEOUT_SECONDS) * 1000,
      maxTimeMs: parseWholeNumber('--max-time', values['max-time'], MAX_TIME_SECONDS) * 1000,
      json,
    }
    return audit(settings, output)
  },
})
