import type { HeadStore, SavedHead } from '../../client/head-store.ts'
import { entriesOf } from '../../client/history-evidence.ts'
import { verifyPortable } from '../../client/portable-answer.ts'
import { createFileHeadStore } from '../../client-node/file-head-store.ts'
import { messageOf } from '../../contract/error-message.ts'
import { CommandFailure } from '../command-failure.ts'

/** Refuses a head that was changed since it was kept: what it says would be held against the service. */
async function requireSigned(file: string, { answer, keys }: SavedHead): Promise<void> {
  let data: unknown
  try {
    data = (await verifyPortable(answer, keys)).data
  } catch (error) {
    throw new CommandFailure(
      'STATE',
      `${file}: the head in it is not what was signed; ${messageOf(error)}`,
    )
  }
  if (entriesOf(data).length > 0) return
  throw new CommandFailure('STATE', `${file}: expected the newest version of a history in it`)
}

/** The head of the last audit in a file. What is wrong with the file is a CommandFailure and no fault of the service. */
export function createStateStore(file: string): HeadStore {
  const store = createFileHeadStore(file)
  const failure = (error: unknown): CommandFailure => {
    const message = messageOf(error)
    return new CommandFailure('STATE', message.startsWith(file) ? message : `${file}: ${message}`)
  }
  return {
    async load() {
      const saved = await store.load().catch((error: unknown) => {
        throw failure(error)
      })
      if (saved !== undefined) await requireSigned(file, saved)
      return saved
    },
    save: (head) =>
      store.save(head).catch((error: unknown) => {
        throw failure(error)
      }),
  }
}
