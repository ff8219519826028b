import { existsSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { CommandFailure } from '@public-api/cli-kit/command'
import { claimName, partialNameOf } from '@public-api/client-internal/node/durable-file'
import { messageOf } from '@public-api/contract/errors/error-message'

function failure(file: string, error: unknown): CommandFailure {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EEXIST'
    ? new CommandFailure('EXISTS', `${file}: the file exists and was left unchanged`)
    : new CommandFailure('UNWRITABLE', `${file}: could not be written (${messageOf(error)})`)
}

/** Runs a change of a file. An error becomes a CommandFailure UNWRITABLE that ends with the advice. */
export function changeFile(file: string, change: () => void, advice = ''): void {
  try {
    change()
  } catch (error) {
    const reason = `${file}: could not be written (${messageOf(error)})`
    throw new CommandFailure('UNWRITABLE', `${reason}${advice}`)
  }
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Cleans up before a signal ends the program, also one of a lost connection. Returns a function that cancels this. */
export function whenStopped(cleanUp: (signal: NodeJS.Signals) => void): () => void {
  const stop = (signal: NodeJS.Signals): void => {
    forget()
    cleanUp(signal)
    // Without a listener the signal ends the program, and the parent process sees the signal.
    process.kill(process.pid, signal)
  }
  const forget = (): void => {
    for (const signal of STOP_SIGNALS) process.off(signal, stop)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, stop)
  return forget
}

/**
 * Creates a file with mode 0600 that is written completely or not at all: `finish` gives it its name, and `abandon` removes
 * it. Rejects with a CommandFailure (EXISTS, UNWRITABLE). Never changes an existing file.
 */
export async function createNewFile(name: string) {
  const file = path.resolve(name)
  const beside = partialNameOf(file)
  let handle: FileHandle
  try {
    // An early check; the claim at the end decides.
    if (existsSync(file)) throw Object.assign(new Error('exists'), { code: 'EEXIST' })
    handle = await open(beside, 'wx', 0o600)
  } catch (error) {
    throw failure(name, error)
  }
  const forget = whenStopped(() => rmSync(beside, { force: true }))
  const abandon = async (): Promise<void> => {
    await handle.close().catch(() => undefined)
    await rm(beside, { force: true })
    forget()
  }
  return {
    /** Resolves with `true`, as a standard output with a reader does. */
    async write(part: Uint8Array | string): Promise<true> {
      try {
        await handle.appendFile(part)
        return true
      } catch (error) {
        throw failure(name, error)
      }
    },
    async finish(): Promise<void> {
      try {
        // The umask may have removed permissions at creation.
        await handle.chmod(0o600)
        await handle.sync()
        claimName(beside, file)
      } catch (error) {
        throw failure(name, error)
      } finally {
        await abandon()
      }
    },
    abandon,
  }
}
