import {
  type Command,
  type CommandResult,
  createCommand,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { formatJson } from '@public-api/cli-kit/format-json'
import { choiceOption, numberOption } from '@public-api/cli-kit/option-values'
import { flag, textOptions } from '@public-api/cli-kit/options'
import { withProgress } from '@public-api/cli-kit/progress'
import { pluralOf } from '@public-api/cli-kit/wording'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import type { DoctorSettings } from './doctor/check.ts'
import { DOCTOR_BOUNDS } from './doctor/doctor-bounds.ts'
import { FINDING_CATALOG } from './doctor/finding-catalog.ts'
import type { DoctorFinding, Report } from './doctor/findings.ts'
import { MAX_REQUESTS } from './doctor/probe.ts'
import { type Diagnosis, runDoctor } from './doctor/run-doctor.ts'
import { parseOrigin } from './log/parse-origin.ts'
import { choosePins, PIN_FROM_OPTION } from './pinning/choose-pins.ts'
import { findKeyRecord } from './pinning/pin-source.ts'
import { parseBase } from './verifying/address.ts'
import { createHttpClient } from './verifying/requests.ts'

const EXPECTED_REQUESTS = 55
const DEPLOYMENTS = ['primary', 'preview'] as const
const MARKS = { error: 'ERROR', warning: 'warning', info: 'info' }
/** Number of places of a finding that are listed; the others are counted. */
const SHOWN_PLACES = 4

interface Settings extends Pick<
  DoctorSettings,
  'origin' | 'pinnedKeyIds' | 'hasKeyRecord' | 'deployment' | 'mirrors' | 'readsAllFiles'
> {
  readonly timeoutMs: number
  readonly machine: ServiceMachine | undefined
}

/** A machine that runs a deployment. */
export interface ServiceMachine {
  readonly origin: string
  /** Reports what is wrong with the machine itself. Resolves with the reason if that cannot be found out. */
  check(report: Report): Promise<string | undefined>
}

function formatFinding({ id, severity, found, expected, advice, where }: DoctorFinding): string[] {
  const rest = where.length - SHOWN_PLACES
  const places = where.slice(0, SHOWN_PLACES).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
  return [
    `  ${MARKS[severity].padEnd(7)} ${id}`,
    `          at        ${places}`,
    `          found     ${found}`,
    `          expected  ${expected}`,
    `          do        ${advice}`,
  ]
}

function countOf({ checks }: Diagnosis) {
  const all = checks.flatMap(({ findings }) => findings)
  const count = (wanted: DoctorFinding['severity']): number =>
    all.filter(({ severity }) => severity === wanted).length
  return { errors: count('error'), warnings: count('warning'), notes: count('info') }
}

function formatDiagnosis(diagnosis: Diagnosis, { origin }: Settings): readonly string[] {
  const { errors, warnings, notes } = countOf(diagnosis)
  return [
    `${origin}, ${pluralOf(diagnosis.requests, 'request')}`,
    ...diagnosis.checks.flatMap(({ check, findings, notRun }) => {
      const outcome =
        notRun !== undefined ? `: not checked: ${notRun}` : findings.length === 0 ? ': ok' : ''
      return ['', `${check}${outcome}`, ...findings.flatMap(formatFinding)]
    }),
    '',
    errors + warnings + notes === 0
      ? 'Nothing found.'
      : `${pluralOf(errors, 'error')}, ${pluralOf(warnings, 'warning')}, ${pluralOf(notes, 'note')}.`,
  ]
}

function describe(diagnosis: Diagnosis, { origin }: Settings): object {
  const { checks, requests, registryVersion } = diagnosis
  const counts = countOf(diagnosis)
  return {
    ok: counts.errors === 0,
    origin,
    registryVersion: registryVersion ?? null,
    requests,
    ...counts,
    checks: checks.map(({ check, findings, notRun }) => ({
      check,
      outcome: notRun !== undefined ? 'not-checked' : findings.length === 0 ? 'ok' : 'findings',
      reason: notRun ?? null,
      findings,
    })),
  }
}

async function examine(settings: Settings, output: CommandOutput): Promise<CommandResult> {
  const { origin, timeoutMs, machine } = settings
  const httpClient = createHttpClient(origin, timeoutMs)
  const diagnosis = await withProgress('Asking', EXPECTED_REQUESTS, (progress) =>
    runDoctor({
      ...settings,
      ask: httpClient.ask,
      nowMs: Date.now,
      checkMachine: machine?.origin === origin ? machine.check : undefined,
      onResponse: () => progress.advance(1),
    }),
  ).finally(() => httpClient.close())
  const { errors } = countOf(diagnosis)
  if (errors > 0) output.error(formatErrorLine(`${origin} has ${pluralOf(errors, 'error')}`))
  return {
    json: describe(diagnosis, settings),
    lines: formatDiagnosis(diagnosis, settings),
    exitCode: errors === 0 ? EXIT_CODES.done : EXIT_CODES.failure,
  }
}

function listFindings(json: boolean, output: CommandOutput): ExitCode {
  const rows = Object.entries(FINDING_CATALOG).map(([id, entry]) => ({ id, ...entry }))
  if (json) output.out(formatJson(rows))
  else {
    for (const { id, severity, expected, advice } of rows) {
      output.out(`${id} (${severity})`)
      output.out(`  expected  ${expected}`)
      output.out(`  do        ${advice}`)
    }
  }
  return EXIT_CODES.done
}

/**
 * `svc doctor`: checks from outside whether a deployment works as promised, and the machine that runs it, if `findMachine`
 * finds that it is this one.
 */
export const createDoctorCommand = (
  usage: string,
  note: string,
  findMachine: () => ServiceMachine | undefined,
): Command =>
  createCommand({
    usage: [usage, 'doctor --list [--json]'],
    about: `Inspects a deployment from outside, through its proxies and its CDN,
and reports what breaks the contract, what was expected and what to do. BASE is
the deployment's origin, such as https://example.org, with or without ${BASE_PATH}.${note}

It sends about 50 requests, never more than ${MAX_REQUESTS}, four at a time: GET, HEAD,
OPTIONS, and one POST without a body to ${ENDPOINTS.time.path}, which
rejects it. It sends no registration, no key and no other write. With --mirror it also
reads up to ${DOCTOR_BOUNDS.copyFiles} files of each static copy: their bytes, headers and age. It does so
even if the service does not respond. --all-files removes that limit.`,
    options: {
      pin: textOptions(`KEYID: ID of the key that is expected to sign; repeat it for an announced
      next key`),
      'pin-from': PIN_FROM_OPTION,
      deployment: choiceOption(
        `KIND: primary or preview, which is a staging deployment (default: according
      to its robots.txt)`,
        DEPLOYMENTS,
      ),
      mirror: textOptions(
        'URL: a static copy of the deployment, to inspect too; repeat it for several',
      ),
      'all-files': flag('with --mirror: read every file of the copy'),
      list: flag('print all possible findings with severity, expectation and advice'),
      timeout: { ...numberOption('SECONDS: limit for each response', [1, 600]), default: '30' },
    },
    json: 'print one JSON object',
    exit: `0 no finding of the severity error (warnings are printed), 1 errors, 2 wrong usage, 3
    unreachable`,
    takesArguments: true,
    async run({ values, positionals }, output) {
      const [base, ...rest] = positionals
      const { json } = values
      if (values.list) {
        if (base !== undefined) throw new UsageError('--list sends no request; omit the URL')
        return listFindings(json, output)
      }
      if (rest.length > 0) throw new UsageError('expected one URL, found more')
      const machine = findMachine()
      const origin = base === undefined ? machine?.origin : parseBase(base)
      if (origin === undefined) throw new UsageError('expected the URL of a deployment')
      const pinFrom = values['pin-from']
      const settings: Settings = {
        origin,
        pinnedKeyIds: await choosePins({ pin: values.pin, pinFrom }, origin, output),
        hasKeyRecord: pinFrom === undefined ? await findKeyRecord(origin) : true,
        deployment: values.deployment,
        machine,
        mirrors: (values.mirror ?? []).map(parseOrigin),
        readsAllFiles: values['all-files'],
        timeoutMs: values.timeout * 1000,
      }
      return examine(settings, output)
    },
  })

export const command = createDoctorCommand('doctor BASE [options]', '', () => undefined)
