import { READ_STATUS } from './cost.ts'
import { startThroughNpm } from './processes.ts'
import { judge, medianOf, milliseconds, showProgress, spreadCells, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

const STARTS = 5
const TARGET_MS = 1000

/** The report from the duration of each start. */
export function startTables(durationsMs: readonly number[]): readonly Table[] {
  const median = medianOf(durationsMs)
  const target = judge('time to the first response', median, { atMost: TARGET_MS }, milliseconds)
  return [
    {
      title: 'From npm start to the first response, with secrets in place',
      heading: 'starts|median|spread|target|',
      rows: [[String(durationsMs.length), ...spreadCells(durationsMs, milliseconds), target]],
    },
  ]
}

/** Starts the service through npm several times. The first start creates secrets and does not count. */
export async function measureStart(workspace: Workspace): Promise<readonly Table[]> {
  const durationsMs: number[] = []
  for (let start = 0; start <= STARTS; start += 1) {
    showProgress(`start: ${start} of ${STARTS}`)
    const beganMs = performance.now()
    const server = await startThroughNpm(workspace)
    const { status } = await fetch(`http://127.0.0.1:${server.port}${READ_STATUS.target}`)
    if (status !== 200) throw new Error(`expected status 200 after the start, found ${status}`)
    durationsMs.push(performance.now() - beganMs)
    await server.end()
  }
  return startTables(durationsMs.slice(1))
}
