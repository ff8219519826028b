import { generateKeyPairSync } from 'node:crypto'
import { formatInstant } from '@public-api/contract/text/instant'
import { createAppComposer } from '../app.ts'
import { openResponseSigner } from '../crypto/response-signer.ts'
import { derivePublicSigningKey } from '../crypto/signing-keys.ts'
import { createListener, listen, stopListening } from '../http/connection/listener.ts'
import type { ReleaseStore } from '../releases/release-store.ts'
import { ABSENT_SERVICES } from '../service/absent/absent-services.ts'
import { SYSTEM_CLOCK } from '../service/clock.ts'
import type { Log } from '../service/logger.ts'
import { compileDraft } from './compile-draft.ts'
import { createDraftApp, type PreviewState } from './draft-pages.ts'
import { watchFolder } from './watch-folder.ts'

const STOP_GRACE_MS = 500
const HOST = '127.0.0.1'

/** What happened after a change of the folder, for the terminal. */
export type PreviewChange = Pick<PreviewState, 'title' | 'mistakes'>

/** A key for this run, which no client trusts. */
async function createThrowAwaySigning() {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = derivePublicSigningKey(privateKey)
  return {
    signer: await openResponseSigner(privateKey),
    keys: [{ ...key, status: 'current', notBefore: null, notAfter: null }],
  } as const
}

/**
 * Serves a content folder on loopback as it would look when published after the releases of `published`, and again after
 * each change of a file. Writes no file. Port 0 is any free one. Rejects with a readable reason if the port is taken.
 */
export async function openPreview({
  contentDir,
  published,
  port,
  log,
  onChange,
}: {
  readonly contentDir: string
  readonly published: ReleaseStore
  readonly port: number
  readonly log: Log
  readonly onChange: (change: PreviewChange) => void
}) {
  const signing = await createThrowAwaySigning()
  let state: PreviewState = {
    revision: 0,
    app: undefined,
    title: 'Checking the content…',
    mistakes: [],
  }

  function show(next: Omit<PreviewState, 'revision'>): void {
    state = { ...next, revision: state.revision + 1 }
    onChange(state)
  }

  const server = createListener(
    createDraftApp(() => state),
    { noIndex: true, log },
  )
  const boundPort = await listen(server, port, HOST)
  const origin = `http://${HOST}:${boundPort}`
  const compose = createAppComposer({
    ...ABSENT_SERVICES,
    runtime: 'local',
    deployment: 'preview',
    baseUrl: origin,
    clock: SYSTEM_CLOCK,
    log,
  })

  async function refresh(): Promise<void> {
    const at = formatInstant(SYSTEM_CLOCK.nowMs())
    try {
      const draft = await compileDraft(contentDir, published, SYSTEM_CLOCK.nowMs())
      if ('mistakes' in draft) {
        const { mistakes } = draft
        const shown = state.app === undefined ? '' : ' Below is the last content without mistakes.'
        const count = mistakes.length === 1 ? 'A mistake' : `${mistakes.length} mistakes`
        show({ app: state.app, title: `${count}, found at ${at}.${shown}`, mistakes })
        return
      }
      const { releases, snapshotId, isChanged } = draft
      const title = isChanged
        ? `of ${snapshotId}, read at ${at}. Nothing is published.`
        : `without changes: it equals ${snapshotId}. Read at ${at}.`
      show({ app: compose({ releases, signing }), title, mistakes: [] })
    } catch (error) {
      // The published history is damaged, or a folder cannot be read.
      show({ app: state.app, title: `${(error as Error).message} (${at})`, mistakes: [] })
    }
  }

  const stopWatching = watchFolder(contentDir, refresh)
  return {
    origin,
    async close(): Promise<void> {
      stopWatching()
      await stopListening(server, STOP_GRACE_MS)
    },
  }
}
