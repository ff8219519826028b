import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'

/** Which processor runs what; undefined where processes cannot be bound. */
export interface Cores {
  readonly server: number | undefined
  readonly generator: number | undefined
  /** The placement, for the report. */
  readonly note: string
}

/** Places the load on the first processor and the server on the last. */
export function findCores(): Cores {
  const server = availableParallelism() - 1
  if (server === 0 || spawnSync('taskset', ['--version']).status !== 0) {
    const note = 'nothing bound to a processor (taskset and two processors needed); rough figures'
    return { server: undefined, generator: undefined, note }
  }
  const note = `the server alone on processor ${server}, the load on processor 0 (taskset)`
  return { server, generator: 0, note }
}

/** A command line that runs on one processor. */
export function boundTo(core: number | undefined, command: readonly string[]): readonly string[] {
  return core === undefined ? command : ['taskset', '-c', String(core), ...command]
}

/** Model and number of the processors. */
export function describeProcessors(): string {
  const all = cpus()
  return `${all[0]?.model.trim() ?? 'unknown processor'}, ${all.length} processors`
}
