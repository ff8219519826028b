import { runProgram } from '../../src/cli/program.ts'

/** Result of a command. */
export interface Outcome {
  readonly status: number | null
  readonly out: string
  readonly error: string
}

/** Runs `svc` in this process. Tests of its standard streams and of signals start the program itself. */
export async function svc(...args: readonly string[]): Promise<Outcome> {
  let out = ''
  let error = ''
  const status = await runProgram(args, {
    out: (line) => {
      out += `${line}\n`
    },
    error: (line) => {
      error += `${line}\n`
    },
  })
  return { status, out, error }
}
