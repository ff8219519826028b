import { startChild } from './children.ts'
import { askOnce } from './same-answer.ts'
import { portIn } from './server.ts'
import { spreadOf, type Spread } from './statistics.ts'
import { SUBJECTS } from './subjects.ts'
import type { Workspace } from './workspace.ts'

/** Result of the start part, in milliseconds. */
export interface StartResult {
  /** From `npm start` to its first answer, every start after the first. */
  readonly firstAnswerMs: Spread
  readonly starts: number
  readonly targetMs: number
  readonly isMet: boolean
}

const STARTS = 5
const TARGET_MS = 1000

async function startOnce({ root, env }: Workspace): Promise<number> {
  const beganMs = performance.now()
  const child = startChild(['npm', '--prefix', root, 'start'], { env, ipc: false })
  try {
    const { status } = await askOnce(await child.firstLine(portIn), SUBJECTS[0].target)
    if (status !== 200) throw new Error(`expected the first answer to be a 200, found ${status}`)
    return performance.now() - beganMs
  } finally {
    await child.end()
  }
}

/** Starts the service through npm again and again. The first start makes secrets and is not counted. */
export async function measureStart(
  workspace: Workspace,
  progress: (text: string) => void,
): Promise<StartResult> {
  await startOnce(workspace)
  const times: number[] = []
  while (times.length < STARTS) {
    progress(`start: ${times.length + 1} of ${STARTS}`)
    times.push(await startOnce(workspace))
  }
  const firstAnswerMs = spreadOf(times)
  const isMet = firstAnswerMs.median < TARGET_MS
  return { firstAnswerMs, starts: STARTS, targetMs: TARGET_MS, isMet }
}
