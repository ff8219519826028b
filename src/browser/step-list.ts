import { pageElement } from './page-element.ts'
import type { PageTexts, RichText } from './page-texts.ts'

/** The state of a step. */
export type StepState = 'pending' | 'running' | 'passed' | 'failed' | 'skipped'

/** What a step expected and what it found. */
export interface StepMismatch {
  readonly expected: string | RichText
  readonly found: string | RichText
}

/** A step with its current state. */
export interface StepReport {
  readonly state: StepState
  /** What was found, as a sentence; for a failed step, what was expected and what was found. */
  readonly detail?: string | RichText | StepMismatch
}

/** A list of steps that fills in while something is checked. */
export interface StepList<Name extends string> {
  /** An `ol`; its changes are read aloud. */
  readonly element: HTMLOListElement
  /** Shows the state of one step. */
  set(name: Name, report: StepReport): void
  /** Makes every step pending again. */
  reset(): void
  /**
   * Fills in the list from the first step to the last. Each step is shown as running before its result. With reduced
   * motion, all results appear immediately. Another `play`, `set` or `reset` cancels it.
   */
  play(reports: readonly (StepReport & { readonly name: Name })[]): Promise<void>
}

/** Minimum time for which a finished step is shown as running. */
const PACE_MS = 120

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const SHAPES = {
  pending: 'idle',
  running: 'idle',
  passed: 'good',
  failed: 'bad',
  skipped: 'idle',
} as const satisfies { readonly [State in StepState]: string }

/** The classes that give a state its shape and color. */
export function stateClass(state: StepState): string {
  return `state state-${SHAPES[state]}`
}

/**
 * Creates a list of steps, all pending. `texts` are those of the page called `proof`: `states.<state>` names a state,
 * `expected` and `found` label the values of a failed step.
 */
export function createStepList<Name extends string>(
  texts: PageTexts,
  names: readonly Name[],
  labelOf: (name: Name) => string,
): StepList<Name> {
  const element = pageElement('ol', [], 'steps')
  element.setAttribute('aria-live', 'polite')
  element.setAttribute('aria-relevant', 'additions text')
  let turn = 0

  const items = new Map(
    names.map((name) => {
      const state = pageElement('span')
      const detail = pageElement('div', [], 'step-detail')
      const item = pageElement(
        'li',
        [pageElement('span', labelOf(name), 'step-label'), state, detail],
        'step',
      )
      item.dataset['step'] = name
      element.append(item)
      return [name, { item, state, detail }]
    }),
  )

  function detailNodes(detail: StepReport['detail']): RichText {
    if (detail === undefined) return []
    if (typeof detail === 'string') return [detail]
    if (!('found' in detail)) return detail
    const parts = (['expected', 'found'] as const).flatMap((part) => [
      pageElement('dt', texts.text(part)),
      pageElement('dd', detail[part], `step-${part}`),
    ])
    return [pageElement('dl', parts)]
  }

  function show(name: Name, { state, detail }: StepReport): void {
    const parts = items.get(name)
    if (parts === undefined) return
    parts.item.dataset['state'] = state
    parts.state.className = `step-state ${stateClass(state)}`
    parts.state.textContent = texts.text(`states.${state}`)
    parts.detail.replaceChildren(...detailNodes(detail))
  }

  function reset(): void {
    turn += 1
    for (const name of items.keys()) show(name, { state: 'pending' })
  }

  reset()
  return {
    element,
    reset,
    set(name, report) {
      turn += 1
      show(name, report)
    },
    async play(reports) {
      reset()
      const own = turn
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
      for (const { name, ...report } of reports) {
        if (!isStill && report.state !== 'skipped') {
          show(name, { state: 'running' })
          await pause(PACE_MS)
          if (turn !== own) return
        }
        show(name, report)
      }
    },
  }
}
