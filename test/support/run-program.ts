import { spawnSync, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The file of the program. */
export const SVC: string = fileURLToPath(new URL('../../src/cli/svc.ts', import.meta.url))

/** What a run of a program came to. */
export interface Outcome {
  readonly status: number | null
  readonly out: string
  readonly error: string
}

/** What a program is started with besides its arguments. */
export interface RunOptions {
  readonly input?: string
  readonly env?: { readonly [name: string]: string }
}

/** The environment without any variable of the service's own. */
export function cleanEnvironment(changes: { readonly [name: string]: string } = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  return { ...Object.fromEntries(kept), ...changes }
}

/** Runs a program of Node as a person would, in a folder: its file, and its arguments behind it. */
export function runIn(
  folder: string,
  args: readonly string[],
  { input = '', env = {} }: RunOptions = {},
): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: cleanEnvironment(env),
    encoding: 'utf8',
    input,
    timeout: 60_000,
  })
  return { status, out: stdout, error: stderr }
}

/** What a child that nothing is written to says until it ends. */
export async function outcomeOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
): Promise<Outcome> {
  let out = ''
  let error = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text
  })
  const status = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  return { status, out, error }
}
