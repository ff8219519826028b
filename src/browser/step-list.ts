import { pageElement } from './page-element.ts'
import type { PageTexts, RichText } from './page-texts.ts'

const STEP_STATES = ['pending', 'running', 'passed', 'failed', 'away', 'skipped'] as const

export type StepState = (typeof STEP_STATES)[number]

/** A step with its current state. */
export interface ShownStep {
  readonly state: StepState
  /** What was found, as a sentence; for a failed step, what was expected and what was found. */
  readonly detail?: string | RichText | { readonly expected: RichText; readonly found: RichText }
}

/** Minimum time for which a finished step is shown as running. */
const PACE_MS = 120

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const STEP_TONES: { readonly [state in StepState]?: string } = {
  passed: 'good',
  failed: 'bad',
  away: 'warn',
}

/** The classes that give a state its shape and color. */
export function stateClass(state: StepState): string {
  return `state state-${STEP_TONES[state] ?? 'idle'}`
}

/**
 * A list of steps that fills in while something is checked. At first all are pending. `texts` are those of the page
 * called `proof`: `states.<state>` names a state, `expected` and `found` label the values of a failed step.
 */
export function createStepList<Name extends string>(
  texts: PageTexts,
  names: readonly Name[],
  labelOf: (name: Name) => string,
) {
  const element = pageElement('ol', [], 'steps plain-list')
  element.setAttribute('aria-live', 'polite')
  element.setAttribute('aria-relevant', 'additions text')
  let turn = 0

  const widths = STEP_STATES.map((state) => texts.text(`states.${state}`)).join('\n')

  const items = new Map(
    names.map((name) => {
      const state = pageElement('span')
      state.dataset['widths'] = widths
      const detail = pageElement('div', [], 'step-detail')
      const label = pageElement('span', labelOf(name), 'step-label')
      const item = pageElement('li', [label, state, detail], 'step')
      item.dataset['step'] = name
      element.append(item)
      return [name, { item, state, detail }]
    }),
  )

  function detailNodes(detail: ShownStep['detail'] = []): RichText {
    if (typeof detail === 'string') return [detail]
    if (!('found' in detail)) return detail
    const parts = (['expected', 'found'] as const).flatMap((part) => [
      pageElement('dt', texts.text(part)),
      pageElement('dd', detail[part], `step-${part}`),
    ])
    return [pageElement('dl', parts)]
  }

  function show(name: Name, { state, detail }: ShownStep): void {
    const parts = items.get(name)
    if (parts === undefined) return
    parts.item.dataset['state'] = state
    parts.state.className = `step-state ${stateClass(state)}`
    parts.state.textContent = texts.text(`states.${state}`)
    parts.detail.replaceChildren(...detailNodes(detail))
  }

  /** Makes every step pending again. */
  function reset(): void {
    turn += 1
    for (const name of names) show(name, { state: 'pending' })
  }

  function set(name: Name, report: ShownStep): void {
    turn += 1
    show(name, report)
  }

  reset()
  return {
    /** Its changes are read aloud. */
    element,
    set,
    /** Shows a state for every step that has no result yet. */
    setRest(report: ShownStep): void {
      for (const [name, { item }] of items) {
        if (['pending', 'running'].includes(item.dataset['state'] ?? '')) set(name, report)
      }
    },
    /**
     * Fills in the list from the first step to the last. Each step is shown as running before its result. With reduced
     * motion, all results appear immediately. Another `play` or `set` cancels it.
     */
    async play(reports: readonly (ShownStep & { readonly name: Name })[]): Promise<void> {
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

export type StepList<Name extends string> = ReturnType<typeof createStepList<Name>>
