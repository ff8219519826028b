import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import type { CommandOutput } from '@public-api/cli-kit/command'
import { runCommandLine } from '../../src/cli/program.ts'

/** Result of a command. */
export interface Outcome {
  readonly status: number | null
  readonly out: string
  readonly error: string
}

/** What a command that succeeded printed. Fails for another one, with its message. */
export function succeeded({ status, out, error }: Outcome): string {
  assert.equal(status, 0, error || out)
  return out
}

/** The message of a command that ended with this exit code. Fails for another one. */
export function failedWith(expected: number, { status, out, error }: Outcome): string {
  assert.equal(status, expected, error + out)
  return error
}

/** Options besides the arguments. */
export interface RunOptions {
  readonly input?: string
  readonly env?: { readonly [name: string]: string }
}

/** The environment without any variable of the service's own. */
export function cleanEnvironment(
  changes: { readonly [name: string]: string } = {},
): NodeJS.Dict<string> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  // No settings of a service on this machine.
  return { ...Object.fromEntries(kept), SVC_ENVIRONMENT_FILE: '', ...changes }
}

/** Output of a command in this process. */
function createCapture() {
  const outcome = { out: '', error: '' }
  const streamTo = (name: 'out' | 'error') =>
    new Writable({
      decodeStrings: false,
      write(chunk: string | Uint8Array, _encoding, done) {
        outcome[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
        done()
      },
    })
  return {
    outcome,
    output: {
      out: (line: string) => void (outcome.out += `${line}\n`),
      error: (line: string) => void (outcome.error += `${line}\n`),
    },
    stdout: streamTo('out'),
    stderr: streamTo('error'),
  }
}

/** Arguments without spaces, as one types them. */
export const argsOf = (line: string): readonly string[] => line.split(' ')

/** Runs `svc` in this process. Tests of its standard streams and of signals start the program itself. */
export async function svc(...args: readonly string[]): Promise<Outcome> {
  const { outcome, output } = createCapture()
  const status = await runCommandLine(args, output)
  return { status, ...outcome }
}

/**
 * Runs a program in this process with its own folder, environment and standard streams. The test runner holds the
 * streams of the process, so it still writes to them.
 */
async function runInProcess(
  folder: string,
  { input = '', env = {} }: RunOptions,
  run: (output: CommandOutput) => Promise<number>,
): Promise<Outcome> {
  const { outcome, output, stdout, stderr } = createCapture()
  const replaced = {
    env: cleanEnvironment(env),
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout,
    stderr,
  }
  const originals = Object.keys(replaced).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name) ?? {}] as const,
  )
  const workingDir = process.cwd()
  for (const [name, value] of Object.entries(replaced)) {
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true })
  }
  process.chdir(folder)
  try {
    const status = await run(output)
    return { status, ...outcome }
  } finally {
    process.chdir(workingDir)
    Object.defineProperties(process, Object.fromEntries(originals))
  }
}

/** Runs `svc` in this process as if it was started in a folder. */
export function svcIn(
  folder: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  return runInProcess(folder, options, (output) => runCommandLine(args, output))
}

/** Opens an incident. The components that it affects follow. */
export const OPEN_INCIDENT = 'incident open --title A --impact minor --text B. --summary C.'.split(
  ' ',
)
