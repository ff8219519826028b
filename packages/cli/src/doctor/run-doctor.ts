import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { UnreachableError, type Ask } from '../verifying/requests.ts'
import { checkCaching } from './check-caching.ts'
import { checkClock } from './check-clock.ts'
import { checkCodings } from './check-codings.ts'
import { checkCors } from './check-cors.ts'
import { checkDeprecations } from './check-deprecations.ts'
import { checkDerived } from './check-derived.ts'
import { checkDocuments } from './check-documents.ts'
import { checkHead } from './check-head.ts'
import { checkIndexing } from './check-indexing.ts'
import { checkKeys } from './check-keys.ts'
import { checkLinks } from './check-links.ts'
import { checkMessageSignatures } from './check-message-signatures.ts'
import { checkMirror } from './check-mirror.ts'
import { checkRevalidation } from './check-revalidation.ts'
import { checkRows } from './check-rows.ts'
import { checkSignatures } from './check-signatures.ts'
import { checkTransport } from './check-transport.ts'
import type { Check, DoctorSettings } from './check.ts'
import { createFindings, type Report } from './findings.ts'
import { probeDeployment } from './probe-deployment.ts'
import { createProbe } from './probe.ts'

/** The result of the doctor. */
export type Diagnosis = Awaited<ReturnType<typeof runDoctor>>

/** The groups, in the order in which they are printed. */
const CHECKS: { readonly [name: string]: Check } = {
  endpoints: checkRows,
  signatures: checkSignatures,
  keys: checkKeys,
  clock: checkClock,
  head: checkHead,
  compression: checkCodings,
  revalidation: checkRevalidation,
  caching: checkCaching,
  derived: checkDerived,
  'message signatures': checkMessageSignatures,
  cors: checkCors,
  indexing: checkIndexing,
  documents: checkDocuments,
  deprecations: checkDeprecations,
  links: checkLinks,
  transport: checkTransport,
}

/** Runs one group of checks. */
async function runCheck(check: string, run: (report: Report) => Promise<string | undefined>) {
  const findings = createFindings()
  /** Why it could not run; undefined if it ran. */
  let notRun: string | undefined
  try {
    notRun = await run(findings.report)
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    findings.report('no-response', check, error.message)
    notRun = 'interrupted: no response'
  }
  return { check, findings: findings.list(), notRun }
}

/**
 * Inspects a deployment, and its copies. Rejects with an UnreachableError if its index does not respond, unless there are
 * copies to inspect.
 */
export async function runDoctor(settings: DoctorSettings) {
  const { origin, ask, mirrors = [], nowMs, checkMachine, onResponse } = settings
  const probe = createProbe(origin, ask, onResponse)
  const reached = createFindings()
  const survey = await probeDeployment(probe, reached.report).catch((error: unknown) => {
    if (mirrors.length === 0 || !(error instanceof UnreachableError)) throw error
    reached.report('no-response', `GET ${BASE_PATH}`, error.message)
    return undefined
  })
  const surveyed = survey === undefined || 'reason' in survey ? undefined : survey
  if (survey !== undefined && 'reason' in survey) {
    reached.report('not-this-service', `GET ${BASE_PATH}`, survey.reason)
  }
  const checks: Awaited<ReturnType<typeof runCheck>>[] = [
    { check: 'reach', findings: reached.list(), notRun: undefined },
  ]
  if (surveyed !== undefined) {
    for (const [check, run] of Object.entries(CHECKS)) {
      checks.push(await runCheck(check, (report) => run(surveyed, report, settings)))
    }
  }
  if (checkMachine !== undefined) checks.push(await runCheck('this machine', checkMachine))
  let mirrored = 0
  const askMirror: Ask = async (spec) => {
    mirrored += 1
    return ask(spec).finally(onResponse)
  }
  const index = surveyed?.of(ENDPOINTS.version.path)?.content
  const newest = propertyOf(propertyOf(index, 'data'), 'snapshotId')
  for (const mirror of mirrors) {
    const inspected = {
      ...settings,
      mirror,
      ask: askMirror,
      nowMs: nowMs(),
      newest: typeof newest === 'string' ? newest : undefined,
    }
    checks.push(await runCheck(`copy ${mirror}`, (report) => checkMirror(inspected, report)))
  }
  return {
    checks,
    requests: probe.count() + mirrored,
    registryVersion: surveyed?.registryVersion,
  }
}
