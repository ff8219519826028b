import { VerificationError, type VerificationFault } from './verification-error.ts'
import {
  stepsOfStatus,
  type StepReport,
  type StepValues,
  type VerificationStep,
} from './verification-step.ts'

/**
 * Throws a VerificationError that ends the run in this step unless the condition holds. The default message compares the
 * values.
 */
type Check = (
  step: VerificationStep,
  condition: boolean,
  code: VerificationFault,
  expected: StepValues,
  found: StepValues,
  detail?: string,
) => asserts condition

/** The steps of one verification, while it runs. */
export interface StepRun {
  /** One of several checks of a step, which passes only with `pass`. */
  readonly require: Check
  /** Records that a step passed. */
  pass(step: VerificationStep, expected: StepValues, found: StepValues): void
  /** The only check of a step: `require`, then `pass`. */
  readonly check: Check
  /** The report of a run that ends in this step. Steps that have not passed are unchecked. */
  reportOf(failed: VerificationStep, expected: StepValues, found: StepValues): readonly StepReport[]
  /** The report of a complete run. Throws an Error unless each step passed once, in order. */
  end(): readonly StepReport[]
}

/** Starts the verification of a response with this status. */
export function startSteps(status: number): StepRun {
  const names = stepsOfStatus(status)
  const passed: StepReport[] = []

  const run: StepRun = {
    require(step, condition, code, expected, found, detail) {
      if (condition) return
      const [accepted, received] = [expected, found].map((values) => values.join(', ') || 'none')
      const error = new VerificationError(code, detail ?? `expected ${accepted}, found ${received}`)
      error.steps = run.reportOf(step, expected, found)
      throw error
    },
    pass(step, expected, found) {
      passed.push({ step, outcome: 'ok', expected, found })
    },
    check(step, condition, code, expected, found, detail) {
      run.require(step, condition, code, expected, found, detail)
      run.pass(step, expected, found)
    },
    reportOf: (failed, expected, found) =>
      names.map(
        (step, index) =>
          passed[index] ??
          (step === failed
            ? { step, outcome: 'failed', expected, found }
            : { step, outcome: 'unchecked', expected: [], found: [] }),
      ),
    end() {
      if (passed.map(({ step }) => step).join() === names.join()) return passed
      throw new Error('a step of the verification was left out')
    },
  }
  return run
}
