import { startChild } from './children.ts'
import type { BenchContext } from './cost.ts'
import { judge, targetCells, type PartReport } from './report.ts'
import { fetchOnce } from './response-equality.ts'
import { portIn } from './server.ts'
import { spreadOf } from './statistics.ts'
import { SUBJECTS } from './subjects.ts'
import { spreadCells, whole } from './table.ts'
import type { Workspace } from './workspace.ts'

const STARTS = 5
const TARGET_MS = 1000

const milliseconds = (value: number) => `${whole(value)} ms`

async function startOnce({ root, env }: Workspace): Promise<number> {
  const beganMs = performance.now()
  const child = startChild(['npm', '--prefix', root, 'start'], { env, ipc: false })
  try {
    const { status } = await fetchOnce(await child.firstLine(portIn), SUBJECTS[0].target)
    if (status !== 200) throw new Error(`expected status 200 after the start, found ${status}`)
    return performance.now() - beganMs
  } finally {
    await child.end()
  }
}

/** The report from the duration of each start. */
export function startReport(durationsMs: readonly number[]): PartReport {
  const duration = spreadOf(durationsMs)
  const target = judge(
    'time to the first response',
    duration.median,
    { atMost: TARGET_MS },
    milliseconds,
  )
  const cells = [...spreadCells(duration, milliseconds), ...targetCells(target)]
  return {
    tables: [
      {
        title: 'From npm start to the first response, with secrets in place',
        heading: 'starts|median|spread|target|',
        rows: [[String(durationsMs.length), ...cells]],
      },
    ],
    targets: [target],
  }
}

/** Starts the service through npm several times. The first start creates secrets and does not count. */
export async function measureStart({ workspace, progress }: BenchContext): Promise<PartReport> {
  await startOnce(workspace)
  const durationsMs: number[] = []
  while (durationsMs.length < STARTS) {
    progress(`start: ${durationsMs.length + 1} of ${STARTS}`)
    durationsMs.push(await startOnce(workspace))
  }
  return startReport(durationsMs)
}
