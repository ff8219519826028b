import { CommandFailure, EXIT_CODES } from '@public-api/cli-kit/command'
import type { HeadStore, SavedHead } from '@public-api/client-internal/history/head-store'
import {
  versionsIn,
  verifyStatements,
  type Statement,
} from '@public-api/client-internal/history/history-statement'
import { createFileHeadStore } from '@public-api/client-internal/node/file-head-store'
import { messageOf } from '@public-api/contract/errors/error-message'

/** A failure with the state file, not with the service. */
class StateFailure extends CommandFailure {
  constructor(file: string, failure: string, unsaved?: SavedHead) {
    super('STATE', failure.startsWith(file) ? failure : `${file}: ${failure}`, {
      exitCode: EXIT_CODES.usage,
      // It may contain responses that a later audit needs to prove a contradiction.
      ...(unsaved === undefined
        ? {}
        : {
            details: [`What could not be saved, save it as ${file}:`, JSON.stringify(unsaved)],
            members: { unsaved },
          }),
    })
    this.name = 'StateFailure'
  }
}

/** Throws unless the signature of the saved head is valid, because an edited head would accuse the service. */
async function requireSigned(
  file: string,
  { response, keys, unsettled = [] }: SavedHead,
): Promise<void> {
  let statements: readonly Statement[]
  try {
    statements = await verifyStatements([response, ...unsettled], keys)
  } catch (error) {
    throw new StateFailure(file, `the signature of the saved head is invalid; ${messageOf(error)}`)
  }
  const [head] = statements
  if (head?.claim?.kind === 'newest' && versionsIn(head).length > 0) return
  throw new StateFailure(file, 'expected the newest version of a history in it')
}

async function loadState(file: string): Promise<SavedHead | undefined> {
  return createFileHeadStore(file)
    .load()
    .catch((error: unknown) => {
      throw new StateFailure(file, messageOf(error))
    })
}

/** Stores the head of the last audit in a file. Every failure with the file is a CommandFailure. */
export function createStateStore(
  file: string,
  {
    requireState,
    pinFrom,
  }: { readonly requireState: boolean; readonly pinFrom: string | undefined },
): HeadStore {
  const store = createFileHeadStore(file)
  return {
    async load() {
      const saved = await loadState(file)
      if (saved !== undefined) await requireSigned(file, saved)
      else if (requireState) {
        throw new StateFailure(
          file,
          'there is no state of an earlier audit, and --require-state was given. Run once without it to create the file',
        )
      }
      return saved
    },
    save: (head) =>
      store.save(pinFrom === undefined ? head : { ...head, pinFrom }).catch((error: unknown) => {
        throw new StateFailure(file, messageOf(error), head)
      }),
  }
}

/** The source that the last audit took its pins from; undefined without one. Rejects with a CommandFailure. */
export async function readSavedPinSource(file: string): Promise<string | undefined> {
  return (await loadState(file))?.pinFrom
}
