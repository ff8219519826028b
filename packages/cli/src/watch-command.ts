import {
  type CommandOutput,
  createCommand,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { numberOption } from '@public-api/cli-kit/option-values'
import { textOption, textOptions } from '@public-api/cli-kit/options'
import { HistoryError } from '@public-api/client-internal/history/history-error'
import { watch } from '@public-api/client-internal/history/watch'
import { describeRetiredPin } from '@public-api/client-internal/retired-pin'
import { messageOf } from '@public-api/contract/errors/error-message'
import { SNAPSHOT_ID_PATTERN } from '@public-api/contract/terms/identifier-patterns'
import { describeVersion, formatChanges, formatVersion } from './auditing/describe-version.ts'
import { printFinding } from './auditing/print-finding.ts'
import { createAuditClient, failureOf } from './auditing/run-audit.ts'
import { choosePins, PIN_FROM_OPTION } from './pinning/choose-pins.ts'
import { parseBase } from './verifying/address.ts'
import { createHttpClient } from './verifying/requests.ts'
import { sanitizeForTerminal } from './verifying/sanitize-for-terminal.ts'
import { UNPINNED_WARNING } from './verifying/unpinned-warning.ts'

const SNAPSHOT_ID = new RegExp(SNAPSHOT_ID_PATTERN)

interface Settings {
  readonly origin: string
  readonly pinnedKeyIds: readonly string[] | undefined
  readonly afterId: string | undefined
  readonly evidenceFile: string | undefined
  readonly timeoutMs: number
  readonly json: boolean
}

/** Prints new versions until the signal is aborted. */
async function printVersions(
  settings: Settings,
  output: CommandOutput,
  signal: AbortSignal,
): Promise<never> {
  const { origin, pinnedKeyIds, afterId, timeoutMs, json } = settings
  const httpClient = createHttpClient(origin, timeoutMs)
  const client = createAuditClient(origin, pinnedKeyIds, httpClient)
  const about = { origin, stateFile: undefined }
  try {
    const after =
      afterId === undefined ? {} : { after: await client.versionById(afterId, { signal }) }
    const versions = watch(client, {
      ...after,
      signal,
      onFailure({ error, waitSeconds }) {
        const next = new Date(Date.now() + waitSeconds * 1000).toISOString()
        const message = sanitizeForTerminal(messageOf(failureOf(error, about)), 600)
        output.error(`warning: ${message}; next try at ${next}`)
      },
    })
    for await (const { data, keyId } of versions) {
      output.out(
        json
          ? formatJson({ ok: true, ...describeVersion(data, keyId) })
          : `${formatVersion(data)}  (${formatChanges(data)})`,
      )
    }
    throw new Error('expected no end')
  } catch (error) {
    throw signal.aborted ? error : failureOf(error, about, await describeRetiredPin(error))
  } finally {
    httpClient.close()
  }
}

/** Watches until the process is asked to end, or the reader of its output is gone. */
async function watchVersions(settings: Settings, output: CommandOutput): Promise<ExitCode> {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  process.stdout.once('error', end)
  try {
    return await printVersions(settings, output, ended.signal)
  } catch (error) {
    if (ended.signal.aborted) return EXIT_CODES.done
    if (!(error instanceof HistoryError)) throw error
    return printFinding(error, settings, output)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    process.stdout.off('error', end)
  }
}

/** `svc watch`: prints each new version. */
export const command = createCommand({
  usage: 'watch BASE [options]',
  about: `Prints the newest version of a deployment, then each later one as soon as it is
published, in one line. Each is verified and continues the one before it. Asks
as often as a cache would, from 5 s to 15 min. After a failure that may pass,
standard error names it and the time of the next try. Only the service is asked,
because a copy may be old.

Ends with 0 on Ctrl+C (SIGINT) and SIGTERM, and with 1 if the history is
rewritten, if it is still shorter after 10 minutes, or if a response fails
verification. A contradiction is written to a file of evidence, as by svc audit.`,
  options: {
    pin: textOptions('KEYID: ID of a trusted key; repeat it for several keys'),
    'pin-from': PIN_FROM_OPTION,
    after: textOption('VS-NNNN: print the versions after this one first'),
    evidence: textOption('FILE: where to write evidence (default: svc-evidence-FAULT-TIME.json)'),
    timeout: { ...numberOption('SECONDS: limit for each response', [1, 600]), default: '30' },
  },
  json: 'print each version as one JSON object in a line, and a failure as the last one',
  exit: `0 ended by a signal or by the reader of its output, 1 a finding, 2 wrong usage,
    3 unreachable at the start, where --after or --pin-from is read`,
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [base, ...rest] = positionals
    if (base === undefined) throw new UsageError('expected the URL of a deployment')
    if (rest.length > 0) throw new UsageError('expected one URL, found more')
    const { after, pin } = values
    if (after !== undefined && !SNAPSHOT_ID.test(after)) {
      throw new UsageError('--after expects a version such as VS-0012')
    }
    const origin = parseBase(base)
    const pinnedKeyIds = await choosePins({ pin, pinFrom: values['pin-from'] }, origin, output)
    const settings: Settings = {
      origin,
      pinnedKeyIds,
      afterId: after,
      evidenceFile: values.evidence,
      timeoutMs: values.timeout * 1000,
      json: values.json,
    }
    if (pinnedKeyIds === undefined) output.error(`warning: ${UNPINNED_WARNING}`)
    return watchVersions(settings, output)
  },
})
