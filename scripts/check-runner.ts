import { styleText } from 'node:util'

/** How a step ended. */
export interface StepResult {
  readonly passed: boolean
  /** Output of the step, shown if it failed. */
  readonly output: string
}

/** One requirement on the repository. */
export interface CheckStep {
  readonly name: string
  /** The requirement in a few words. */
  readonly purpose: string
  run(): Promise<StepResult>
}

/** How the steps run, and where their output goes. */
export interface CheckRun {
  /** Maximum number of concurrent steps. */
  readonly concurrency: number
  readonly write: (text: string) => void
  readonly nowMs: () => number
}

/**
 * Runs every step, several at a time. Writes a line for each as it ends, with the output of failed ones, and a
 * summary. Returns the names of the failed steps. A step that throws has failed; the others still run.
 */
export async function runSteps(
  steps: readonly CheckStep[],
  { concurrency, write, nowMs }: CheckRun,
): Promise<readonly string[]> {
  const failed = new Set<string>()
  const width = Math.max(...steps.map(({ name }) => name.length))
  const waiting = steps.values()

  const work = async (): Promise<void> => {
    for (const step of waiting) {
      const startedMs = nowMs()
      const { passed, output } = await resultOf(step)
      const seconds = ((nowMs() - startedMs) / 1000).toFixed(1)
      const word = passed ? styleText('green', 'ok  ') : styleText('red', 'FAIL')
      write(`${word}  ${step.name.padEnd(width)}  ${step.purpose} (${seconds} s)\n`)
      if (passed) continue
      failed.add(step.name)
      write(output.trim() === '' ? '' : `${output.trim().replaceAll(/^(?=.)/gm, '      ')}\n`)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work))

  const names = steps.map(({ name }) => name).filter((name) => failed.has(name))
  const all = steps.length === 1 ? '1 step' : `${steps.length} steps`
  write(
    names.length === 0
      ? `\nAll passed: ${all}.\n`
      : `\n${names.length} of ${all} failed: ${names.join(', ')}. Run one again with npm run check -- ${names[0]}\n`,
  )
  return names
}

async function resultOf(step: CheckStep): Promise<StepResult> {
  try {
    return await step.run()
  } catch (error) {
    const output = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { passed: false, output }
  }
}
