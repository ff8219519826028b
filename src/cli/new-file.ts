import { rmSync } from 'node:fs'
import { access, type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'

import { messageOf } from '../contract/error-message.ts'
import { claimName, partialNameOf } from '../storage/whole-file.ts'
import { CommandFailure } from '../../packages/cli/src/command/command-failure.ts'

/** A file that only its owner may read, and that is there whole or not at all. */
export interface NewFile {
  write(part: Uint8Array | string): Promise<void>
  /** Gives the file its name. Rejects with a CommandFailure where another took the name meanwhile. */
  finish(): Promise<void>
  /** Leaves nothing behind. */
  abandon(): Promise<void>
}

function failure(file: string, error: unknown): CommandFailure {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EEXIST'
    ? new CommandFailure('EXISTS', `${file}: there is such a file already; it is left as it is`)
    : new CommandFailure('UNWRITABLE', `${file}: could not be written (${messageOf(error)})`)
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Takes a file away when the program is stopped: half an export is nothing to leave lying about. Returns how to forget it. */
function removeWhenStopped(file: string): () => void {
  const stop = (signal: NodeJS.Signals): void => {
    forget()
    rmSync(file, { force: true })
    // Without a listener it does what the signal does, and whoever started the program sees that.
    process.kill(process.pid, signal)
  }
  const forget = (): void => {
    for (const signal of STOP_SIGNALS) process.off(signal, stop)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, stop)
  return forget
}

/** Begins a new file, mode 0600. Rejects with a CommandFailure (EXISTS, UNWRITABLE); an existing file is never touched. */
export async function createNewFile(name: string): Promise<NewFile> {
  const file = path.resolve(name)
  const beside = partialNameOf(file)
  let handle: FileHandle
  try {
    // Found here rather than after an hour's work; what counts is the claim at the end.
    const isTaken = await access(file).then(
      () => true,
      () => false,
    )
    if (isTaken) throw Object.assign(new Error('exists'), { code: 'EEXIST' })
    handle = await open(beside, 'wx', 0o600)
  } catch (error) {
    throw failure(name, error)
  }
  const forget = removeWhenStopped(beside)
  const abandon = async (): Promise<void> => {
    await handle.close().catch(() => undefined)
    await rm(beside, { force: true })
    forget()
  }
  return {
    async write(part) {
      try {
        await handle.appendFile(part)
      } catch (error) {
        throw failure(name, error)
      }
    },
    async finish() {
      try {
        // The mode at creation passes through the umask, which may only take rights away; this states it.
        await handle.chmod(0o600)
        await handle.sync()
        claimName(beside, file, 'claim')
      } catch (error) {
        throw failure(name, error)
      } finally {
        await abandon()
      }
    },
    abandon,
  }
}
