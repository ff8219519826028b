import { auditHistory, type AuditReport } from '../../packages/client/src/audit-history.ts'
import type { AuditProgress } from '../../packages/client/src/audit-options.ts'
import { HistoryError } from '../../packages/client/src/history-error.ts'
import { createClient } from '../../packages/client/src/client.ts'
import type { HeadStore } from '../../packages/client/src/head-store.ts'
import { orAborted } from '../../packages/client/src/retries.ts'
import type { VersionSummary } from '../contract/version-chain.ts'
import type { SavedHeadStorage, SavedHead } from './saved-head.ts'
import type { ChainDiagram } from './chain-diagram.ts'
import { formatNumber, pageElement } from './page-element.ts'
import type { PageTexts, RichText } from './page-texts.ts'
import { createStepList, type StepList, type StepReport } from './step-list.ts'

/** The steps of an audit, in their order. */
const STEPS = ['keys', 'head', 'index', 'previous', 'versions', 'resources', 'keep'] as const

export type AuditStep = (typeof STEPS)[number]

/** Maximum number of progress reports of a step, because screen readers read each of them aloud. */
const TOLD_TIMES = 10

/** Options of one audit. */
export interface AuditRun {
  readonly texts: PageTexts
  readonly steps: StepList<AuditStep>
  readonly marks: ChainDiagram
  /** Undefined if the browser provides no storage. */
  readonly savedHead: SavedHeadStorage | undefined
  readonly kept: SavedHead | undefined
  readonly pinnedKeyId: string | undefined
  readonly everyVersion: boolean
  readonly signal: AbortSignal
}

/** The list of steps, all pending. `proof` are the texts of that name. */
export function createAuditSteps(texts: PageTexts, proof: PageTexts): StepList<AuditStep> {
  return createStepList(proof, STEPS, (name) => texts.text(`steps.${name}`))
}

/** The result for the keys, as text. */
function keysDetail({ texts, kept, pinnedKeyId }: AuditRun, keyId: string): RichText {
  if (pinnedKeyId !== undefined) return texts.richText('details.keysPinned', { key: keyId })
  if (kept === undefined) return texts.richText('details.keysOwnWord', { key: keyId })
  const isSame = kept.keyIds.includes(keyId)
  return texts.richText(isSame ? 'details.keysSame' : 'details.keysOther', { key: keyId })
}

function previousDetail(
  { texts }: AuditRun,
  now: VersionSummary,
  before?: VersionSummary,
): RichText {
  if (before === undefined) return [texts.text('details.previousNone')]
  const isSame = before.hash === now.hash
  return texts.richText(isSame ? 'details.previousSame' : 'details.previousGrown', {
    version: before.snapshotId,
  })
}

/** Shows the progress of an audit in its steps and in the chain. */
function createProgress(run: AuditRun) {
  const { texts, steps, marks } = run
  let current: AuditStep = 'keys'
  /** Steps with a result. */
  const ended = new Set<AuditStep>()
  /** Done and total of the current step. */
  let done = 0
  let total = 0
  let resources = 0
  let unavailable: readonly string[] = []

  function begin(step: AuditStep): void {
    current = step
    steps.set(step, { state: 'running' })
  }

  function end(step: AuditStep, report: StepReport): void {
    ended.add(step)
    steps.set(step, report)
  }

  function pass(detail: string | RichText): void {
    end(current, { state: 'passed', detail })
  }

  /** Marks the remaining steps as skipped. */
  function skipRest(): void {
    for (const step of STEPS) if (!ended.has(step)) end(step, { state: 'skipped' })
  }

  function count(key: string): void {
    done += 1
    const interval = Math.ceil(total / TOLD_TIMES)
    if (done % interval !== 0) return
    const detail = texts.text(`details.${key}Progress`, {
      done: formatNumber(done),
      total: formatNumber(total),
    })
    steps.set(current, { state: 'running', detail })
  }

  function beginResources(): void {
    pass(total === 0 ? texts.text('details.versionsNone') : texts.count('details.versions', total))
    begin('resources')
    done = 0
    total = resources
    unavailable = []
  }

  function hear(progress: AuditProgress): void {
    if (progress.step === 'head') {
      // The step repeats if a version was published in the meantime.
      begin('head')
      pass(texts.richText('details.head', { version: progress.head.snapshotId }))
      begin('index')
    } else if (progress.step === 'index') {
      const { versions, previousHead, toRead } = progress
      const [head] = versions
      pass(texts.count('details.index', versions.length))
      current = 'previous'
      if (head !== undefined) pass(previousDetail(run, head, previousHead))
      const known = run.everyVersion ? 0 : (previousHead?.sequence ?? 0)
      for (const version of versions) if (version.sequence <= known) marks.mark(version, 'held')
      begin('versions')
      done = 0
      total = toRead
      resources = progress.resources
      if (total === 0) beginResources()
    } else if (progress.step === 'version') {
      marks.mark(progress.version, 'recomputed')
      count('versions')
      if (done === total) beginResources()
    } else {
      if (!progress.isAvailable) unavailable = [...unavailable, progress.name]
      count('resources')
      if (done < total) return
      const found = texts.count('details.resources', total - unavailable.length)
      const names = unavailable.join(', ')
      pass(names === '' ? found : `${found} ${texts.text('details.unavailable', { names })}`)
    }
  }

  return { begin, end, pass, skipRest, hear, current: () => current }
}

/** Storage may be full, which does not affect the result of the audit. */
function saving(
  { texts }: AuditRun,
  { store }: SavedHeadStorage,
  { begin, end, pass }: ReturnType<typeof createProgress>,
): HeadStore {
  return {
    load: () => store.load(),
    async save(head) {
      begin('keep')
      try {
        await store.save(head)
      } catch {
        end('keep', { state: 'failed', detail: texts.text('details.keepFailed') })
        return
      }
      pass(texts.text('details.keep'))
    },
  }
}

/** The step that a contradiction belongs to. */
function stepOf({ code }: HistoryError, current: AuditStep): AuditStep {
  const isOfBefore = code === 'SHORTENED' || (code === 'REWRITTEN' && current !== 'versions')
  return isOfBefore ? 'previous' : current
}

/** The subject of a contradiction, as code. */
function faultReport({ finding }: HistoryError): StepReport {
  const asCode = (value: string): RichText => [pageElement('code', value)]
  return {
    state: 'failed',
    detail: { expected: asCode(finding.expected), found: asCode(finding.found) },
  }
}

/**
 * Runs one audit and shows its steps. Rejects as `auditHistory` does, or with the signal's reason, after marking the
 * failed step.
 */
export async function runAudit(run: AuditRun): Promise<AuditReport> {
  const { texts, savedHead, pinnedKeyId, everyVersion, signal } = run
  const progress = createProgress(run)
  const client = createClient({
    baseUrl: location.origin,
    ...(pinnedKeyId === undefined ? {} : { pinnedKeyIds: [pinnedKeyId] }),
  })
  try {
    progress.begin('keys')
    const keys = await orAborted(client.keys(), signal)
    progress.pass(keysDetail(run, pinnedKeyId ?? keys[0]?.keyId ?? ''))
    progress.begin('head')
    const report = await auditHistory({
      client,
      ...(savedHead === undefined ? {} : { store: saving(run, savedHead, progress) }),
      everyVersion,
      signal,
      onProgress: progress.hear,
    })
    if (savedHead === undefined) {
      progress.end('keep', { state: 'skipped', detail: texts.text('noStorage') })
    }
    return report
  } catch (error) {
    if (!signal.aborted) {
      const isFault = error instanceof HistoryError
      const step = isFault ? stepOf(error, progress.current()) : progress.current()
      progress.end(step, isFault ? faultReport(error) : { state: 'failed' })
    }
    progress.skipRest()
    throw error
  }
}
