import { createClient } from '@public-api/client-internal/client'
import { auditHistory, type AuditReport } from '@public-api/client-internal/history/audit-history'
import type { AuditProgress } from '@public-api/client-internal/history/audit-options'
import type { HeadStore } from '@public-api/client-internal/history/head-store'
import { HistoryError } from '@public-api/client-internal/history/history-error'
import { orAborted } from '@public-api/client-internal/retries'
import type { VersionSummary } from '@public-api/contract/history/version-chain'
import type { ChainDiagram } from './chain-diagram.ts'
import type { auditPageLog, PageLogAudit, PageLogFault } from './log-audit.ts'
import { formatNumber, pageElement } from './page-element.ts'
import type { PageTexts, RichText } from './page-texts.ts'
import type { SavedHeadStorage, PageHead } from './saved-head.ts'
import { createStepList, type StepList } from './step-list.ts'

/** The steps of an audit, in their order. */
const STEPS = ['keys', 'head', 'index', 'previous', 'versions', 'resources', 'keep'] as const

type AuditStep = (typeof STEPS)[number] | 'log'

/** The log did not pass; the history did. */
export class PageLogError extends Error {
  readonly fault: PageLogFault

  constructor(fault: PageLogFault) {
    super(fault.detail)
    this.fault = fault
  }
}

/** Maximum number of progress reports of a step, because screen readers read each of them aloud. */
const MAX_REPORTS = 10

/** Options of one audit. */
export interface AuditRun {
  readonly texts: PageTexts
  readonly proofTexts: PageTexts
  readonly stepsPlace: HTMLElement
  readonly marks: ChainDiagram
  /** Undefined if the browser provides no storage. */
  readonly savedHead: SavedHeadStorage | undefined
  readonly kept: PageHead | undefined
  readonly pinnedKeyId: string | undefined
  readonly everyVersion: boolean
  /** The transparency log; undefined without one. */
  readonly log: PageLog | undefined
  readonly signal: AbortSignal
}

/** The log as the page describes it. */
export interface PageLog {
  readonly texts: PageTexts
  /** Address of the script that checks it. */
  readonly script: string
  /** The policy of the visitor; empty for the one that the service suggests. */
  readonly policy: string
}

/** Loads the script that checks the log. Throws a PageLogError if it cannot be loaded. */
async function loadLogAudit(address: string): Promise<typeof auditPageLog> {
  try {
    const script = (await import(address)) as { readonly auditPageLog: typeof auditPageLog }
    return script.auditPageLog
  } catch {
    throw new PageLogError({ code: 'CONNECTION', detail: address })
  }
}

/** Checks the log, with the script that only this step needs. Throws a PageLogError. */
async function auditLogStep(
  { texts, script, policy }: PageLog,
  steps: StepList<AuditStep>,
  audit: Omit<PageLogAudit, 'policy'>,
): Promise<void> {
  steps.set('log', { state: 'running' })
  const auditLog = await orAborted(loadLogAudit(script), audit.signal)
  const result = await orAborted(auditLog({ ...audit, policy }), audit.signal)
  if ('fault' in result) throw new PageLogError(result.fault)
  const { checkpoint, previousSize, pending } = result.report
  const names = checkpoint.cosignatures.map(({ witness }) => witness).join(', ')
  const sentences = [
    texts.count('same', checkpoint.size),
    names === '' ? texts.text('noWitness') : texts.text('cosigned', { names }),
    ...(previousSize === undefined ? [] : [texts.text('grown')]),
    ...(pending === 0 ? [] : [texts.count('pending', pending)]),
    texts.text(policy === '' ? 'suggestedPolicy' : 'ownPolicy'),
  ]
  steps.set('log', { state: 'passed', detail: sentences.join(' ') })
}

/** The result for the keys, as text. */
function keysDetail({ texts, kept, pinnedKeyId }: AuditRun, keyId: string): RichText {
  const known = kept?.keyIds.includes(keyId) === true ? 'keysSame' : 'keysOther'
  const unpinned = kept === undefined ? 'keysOwnWord' : known
  return texts.richText(`details.${pinnedKeyId === undefined ? unpinned : 'keysPinned'}`, {
    key: keyId,
  })
}

/** Shows the progress of an audit in its steps and in the chain. */
function createProgress({ texts, marks, everyVersion }: AuditRun, steps: StepList<AuditStep>) {
  let current: AuditStep = 'keys'
  /** Done and total of the current step. */
  let done = 0
  let total = 0
  let resources = 0
  let unavailable: string[] = []

  function begin(step: AuditStep, expected = 0): void {
    current = step
    done = 0
    total = expected
    steps.set(step, { state: 'running' })
  }

  function pass(detail: string | RichText): void {
    steps.set(current, { state: 'passed', detail })
  }

  function count(): void {
    done += 1
    if (done % Math.ceil(total / MAX_REPORTS) !== 0) return
    const values = { done: formatNumber(done), total: formatNumber(total) }
    const detail = texts.text(`details.${current}Progress`, values)
    steps.set(current, { state: 'running', detail })
  }

  function beginResources(): void {
    pass(total === 0 ? texts.text('details.versionsNone') : texts.count('details.versions', total))
    begin('resources', resources)
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
      pass(texts.count('details.index', versions.length))
      begin('previous')
      if (previousHead === undefined) {
        const detail = texts.text('details.previousNone')
        steps.set('previous', { state: 'skipped', detail })
      } else {
        const { hash, snapshotId: version } = previousHead
        const key = hash === versions[0]?.hash ? 'previousSame' : 'previousGrown'
        pass(texts.richText(`details.${key}`, { version }))
      }
      const known = everyVersion ? 0 : (previousHead?.sequence ?? 0)
      for (const version of versions) if (version.sequence <= known) marks.mark(version, 'held')
      begin('versions', toRead)
      resources = progress.resources
      if (toRead === 0) beginResources()
    } else if (progress.step === 'version') {
      marks.mark(progress.version, 'recomputed')
      count()
      if (done === total) beginResources()
    } else {
      if (!progress.isAvailable) unavailable.push(progress.name)
      count()
      if (done < total) return
      const found = texts.count('details.resources', total - unavailable.length)
      const names = unavailable.join(', ')
      pass(names === '' ? found : `${found} ${texts.text('details.unavailable', { names })}`)
    }
  }

  return { begin, pass, hear, current: () => current }
}

/** Storage may be full, which does not affect the result of the audit. */
function saving(texts: PageTexts, steps: StepList<AuditStep>, store: HeadStore): HeadStore {
  return {
    load: () => store.load(),
    async save(head) {
      try {
        await store.save(head)
        steps.set('keep', { state: 'passed', detail: texts.text('details.keep') })
      } catch {
        steps.set('keep', { state: 'failed', detail: texts.text('details.keepFailed') })
      }
    },
  }
}

/**
 * Runs one audit and shows its steps. Rejects as `auditHistory` does, or with the signal's reason, after marking the
 * failed step.
 */
export async function auditInPage(run: AuditRun): Promise<AuditReport> {
  const { texts, proofTexts, stepsPlace, savedHead, pinnedKeyId, everyVersion, log, signal } = run
  const names: readonly AuditStep[] = log === undefined ? STEPS : [...STEPS, 'log']
  const steps = createStepList(proofTexts, names, (name) =>
    name === 'log' && log !== undefined ? log.texts.text('step') : texts.text(`steps.${name}`),
  )
  let signed: readonly VersionSummary[] = []
  stepsPlace.replaceChildren(steps.element)
  const progress = createProgress(run, steps)
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
      ...(savedHead === undefined ? {} : { store: saving(texts, steps, savedHead.store) }),
      everyVersion,
      signal,
      onProgress(event) {
        if (event.step === 'index') signed = event.versions
        progress.hear(event)
      },
    })
    if (savedHead === undefined) {
      steps.set('keep', { state: 'skipped', detail: texts.text('noStorage') })
    }
    if (log !== undefined) {
      await auditLogStep(log, steps, { client, signed, store: savedHead?.store, signal })
    }
    return report
  } catch (error) {
    const current = progress.current()
    if (error instanceof PageLogError) {
      steps.set('log', {
        state: 'failed',
        detail: log?.texts.text(`faults.${error.fault.code}`) ?? '',
      })
    } else if (error instanceof HistoryError) {
      const { code, finding } = error
      const isOfBefore = code === 'SHORTENED' || (code === 'REWRITTEN' && current !== 'versions')
      const expected = [pageElement('code', finding.expected)]
      const found = [pageElement('code', finding.found)]
      steps.set(isOfBefore ? 'previous' : current, { state: 'failed', detail: { expected, found } })
    } else if (!signal.aborted) {
      steps.set(current, { state: 'failed' })
    }
    steps.setRest({ state: 'skipped' })
    throw error
  }
}
