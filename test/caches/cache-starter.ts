import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  configuredFrom,
  freePort,
  hasProgram,
  startCacheProcess,
  type ConfigurationEdits,
} from './cache-process.ts'
import { simulatedClockMissing, type SimulatedClock } from './simulated-clock.ts'

/** A cache that was started before a service. */
export interface StartedCache {
  readonly port: number
  /** Of several in a row, all their ports, the reader's first. */
  readonly ports?: readonly number[]
}

/** Starts a cache or proxy with its documented configuration, whose clock is the simulated one. */
export type StartCache = (
  t: TestContext,
  servicePort: number,
  clock: SimulatedClock,
  edits?: ConfigurationEdits,
  port?: number,
) => Promise<StartedCache>

/** Where a cache of one test runs. */
interface CachePlace {
  readonly folder: string
  readonly port: number
  readonly servicePort: number
  readonly clock: SimulatedClock
  /** The file of the configuration that the cache shall read. */
  readonly file: string
}

/** A cache program and its documented configuration. */
interface CacheProgram {
  readonly program: string
  /** The documented file, from the project's root. */
  readonly documented: string
  edits(place: CachePlace): ConfigurationEdits
  /** The configuration around the documented one. */
  configure?(documented: string, place: CachePlace): string
  args(place: CachePlace): readonly string[]
}

/** Returns what starts a cache program for a test, in a folder and on a port of that test. */
export function createCacheStarter({
  program,
  documented,
  edits,
  configure = (text) => text,
  args,
}: CacheProgram): StartCache {
  const source = new URL(`../../${documented}`, import.meta.url)
  return async (t, servicePort, clock, ownEdits = {}, port) => {
    const folder = temporaryFolder(t)
    const file = path.join(folder, path.basename(documented))
    const place = { folder, port: port ?? (await freePort()), servicePort, clock, file }
    const text = configuredFrom(readFileSync(source, 'utf8'), { ...edits(place), ...ownEdits })
    writeFileSync(file, configure(text, place))
    await startCacheProcess(t, place.port, program, args(place), { ...clock.env, HOME: folder })
    return { port: place.port }
  }
}

/** Why a cache program cannot run with a simulated clock; undefined where it can. */
export function cacheMissing(program: string): string | undefined {
  return hasProgram(program) ? simulatedClockMissing : `${program} is not installed`
}
