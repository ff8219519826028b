import { globSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A clock that other programs read too. It runs like the machine's, and can be put forward. */
export interface SimulatedClock {
  /** Milliseconds since 1970. */
  nowMs(): number
  advance(seconds: number): void
  /** Environment of a program whose clock it shall be. */
  readonly env: { readonly [name: string]: string }
}

/** The machine's own, for caches that run in real time. */
export const REAL_CLOCK: SimulatedClock = { nowMs: Date.now, advance() {}, env: {} }

/**
 * The library that the faketime program has programs load; undefined if it is not installed. The program itself fails where
 * one that was killed had its process ID.
 */
const [LIBRARY] = globSync('/usr/lib*/{,*/}faketime/libfaketimeMT.so.1')

/** Why no clock can be simulated; undefined where one can. */
export const simulatedClockMissing =
  LIBRARY === undefined ? 'the faketime program is not installed' : undefined

/** Makes a clock that stands at `startMs` now. */
export function createSimulatedClock(t: TestContext, startMs: number): SimulatedClock {
  const file = path.join(temporaryFolder(t), 'offset')
  // libfaketime reads whole seconds safely, so the start is as near to `startMs` as that.
  let offsetSeconds = Math.round((startMs - Date.now()) / 1000)
  const write = (): void => {
    writeFileSync(`${file}.new`, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`)
    // Never half a file: it is read at any time.
    renameSync(`${file}.new`, file)
  }
  write()
  return {
    nowMs: () => Date.now() + offsetSeconds * 1000,
    advance(seconds) {
      offsetSeconds += seconds
      write()
    },
    env: {
      // Varnish comes with jemalloc, which asks for the time before libfaketime is ready; an allocator that precedes
      // it lets libfaketime get ready first. It is a part of glibc.
      LD_PRELOAD: `libc_malloc_debug.so.0:${LIBRARY}`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timeouts go by the monotonic clock and are real.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  }
}
