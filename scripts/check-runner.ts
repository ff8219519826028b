/** How a step ended. */
export interface StepResult {
  readonly isSound: boolean
  /** What the step had to say; shown when it is not sound. */
  readonly output: string
}

/** One thing that must hold of the repository. */
export interface CheckStep {
  readonly name: string
  /** What holds when it is sound, in a few words. */
  readonly purpose: string
  run(): Promise<StepResult>
}

/** How the steps are run, and where their lines go. */
export interface CheckRun {
  /** Most steps at one time. */
  readonly concurrency: number
  readonly write: (text: string) => void
  readonly nowMs: () => number
  /** Whether lines are colored. */
  readonly hasColour: boolean
}

const RED = '31'
const GREEN = '32'

function paint(text: string, code: string, hasColour: boolean): string {
  return hasColour ? `\u{1b}[${code}m${text}\u{1b}[0m` : text
}

/**
 * Runs every step, several at a time, and writes a line for each as it ends, under a failing one what it had to say,
 * and a summary. Gives the names of the steps that failed. A step that throws has failed; the others still run.
 */
export async function runSteps(
  steps: readonly CheckStep[],
  { concurrency, write, nowMs, hasColour }: CheckRun,
): Promise<readonly string[]> {
  const failed = new Set<string>()
  const width = Math.max(...steps.map(({ name }) => name.length))
  const waiting = steps.values()

  const work = async (): Promise<void> => {
    for (const step of waiting) {
      const startedMs = nowMs()
      const { isSound, output } = await resultOf(step)
      const seconds = ((nowMs() - startedMs) / 1000).toFixed(1)
      const word = isSound ? paint('ok  ', GREEN, hasColour) : paint('FAIL', RED, hasColour)
      write(`${word}  ${step.name.padEnd(width)}  ${step.purpose} (${seconds} s)\n`)
      if (isSound) continue
      failed.add(step.name)
      write(output.trim() === '' ? '' : `${output.trim().replaceAll(/^(?=.)/gm, '      ')}\n`)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work))

  const names = steps.map(({ name }) => name).filter((name) => failed.has(name))
  const all = steps.length === 1 ? '1 step' : `${steps.length} steps`
  write(
    names.length === 0
      ? `\nAll is well: ${all}.\n`
      : `\n${names.length} of ${all} failed: ${names.join(', ')}. Run one again with npm run check -- ${names[0]}\n`,
  )
  return names
}

async function resultOf(step: CheckStep): Promise<StepResult> {
  try {
    return await step.run()
  } catch (error) {
    const output = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { isSound: false, output }
  }
}
