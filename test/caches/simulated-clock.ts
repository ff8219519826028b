import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

/**
 * Varnish comes with jemalloc, which asks for the time before libfaketime is ready; an allocator that precedes it lets
 * libfaketime get ready first. It is a part of glibc.
 */
const LD_PRELOAD = `libc_malloc_debug.so.0:${LIBRARY}`

let sharedMemory: string | undefined

/**
 * The memory that all programs share, as libfaketime names it. Left to themselves, they share a program's,
 * which is gone with any child of it, and a next one cannot start where a killed one had its process ID.
 */
function createSharedMemory(): string {
  for (let attempt = 1; attempt <= 1000; attempt += 1) {
    // What makes it must be killed, or it removes it.
    const { stdout } = spawnSync('sh', ['-c', 'echo "$FAKETIME_SHARED"; kill -9 $$'], {
      env: { PATH: process.env['PATH'], LD_PRELOAD },
      encoding: 'utf8',
    })
    const [semaphore, memory] = stdout.trim().split(' /')
    if (semaphore === undefined || memory === undefined) continue
    for (const file of [`/dev/shm/sem.${semaphore.slice(1)}`, `/dev/shm/${memory}`]) {
      // Not with the test: a program that it stops starts others, which would make these again and leave them.
      process.once('exit', () => rmSync(file))
      // Squid's helpers run as another user.
      chmodSync(file, 0o666)
    }
    return stdout.trim()
  }
  throw new Error(
    'libfaketime shares no memory: are there many /dev/shm/*faketime* of killed programs?',
  )
}

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
      LD_PRELOAD,
      FAKETIME_SHARED: (sharedMemory ??= createSharedMemory()),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timeouts go by the monotonic clock and are real.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  }
}
