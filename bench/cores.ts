import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'

/** Which processor runs what. Both are undefined where processes cannot be bound to processors. */
export interface Cores {
  readonly server: number | undefined
  readonly generator: number | undefined
  /** How it was done, or why not, for the report. */
  readonly note: string
}

/** Processor numbers of a list such as `0,2-4`. */
function processorsOf(list: string): readonly number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

/** Picks two of the processors that this process may use. */
export function findCores(): Cores {
  const unbound = (note: string): Cores => ({ server: undefined, generator: undefined, note })
  const asked = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' })
  if (asked.error !== undefined || asked.status !== 0) {
    return unbound(
      'taskset (util-linux) is not here, so nothing is bound to a processor; take the figures as rough',
    )
  }
  const allowed = processorsOf(asked.stdout.slice(asked.stdout.lastIndexOf(':') + 1).trim())
  const [generator, server] = [allowed.at(0), allowed.at(-1)]
  if (generator === undefined || server === undefined || generator === server) {
    return unbound(
      'there is one processor only, which server and load share; take the figures as rough',
    )
  }
  return {
    server,
    generator,
    note: `the server alone on processor ${server}, the load on processor ${generator} (taskset)`,
  }
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
