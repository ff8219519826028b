import { spawnSync, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { collectText } from './collect-text.ts'
import { cleanEnvironment, type Outcome, type RunOptions } from './run-svc.ts'

/** The file of the program. */
export const SVC: string = fileURLToPath(new URL('../../src/cli/svc.ts', import.meta.url))

/** Runs a Node program in a folder: its file, then its arguments. */
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
    timeout: 600_000,
  })
  return { status, out: stdout, error: stderr }
}

/** Output of a child without input. */
export async function outcomeOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
): Promise<Outcome> {
  const [out, error] = [collectText(child.stdout), collectText(child.stderr)]
  const status = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  return { status, out: out.text, error: error.text }
}
