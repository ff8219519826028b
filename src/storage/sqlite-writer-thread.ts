import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'

import { messageOf } from '../contract/error-message.ts'
import type { SqliteOptions } from './sqlite-connection.ts'
import { createSqliteSession, type CallOutcome } from './sqlite-session.ts'
import type { ThreadAnswer, ThreadRequest } from './sqlite-thread.ts'

/** How many calls share a transaction at most: others of this machine want to write too. */
const MAX_BATCH = 256

function answerOf(id: number, outcome: CallOutcome | undefined): ThreadAnswer {
  if (outcome === undefined) return { id, outcome: { problem: 'IO', detail: 'No outcome' } }
  if ('value' in outcome) return { id, outcome }
  const { code, cause, message } = outcome.error
  return { id, outcome: { problem: code, detail: messageOf(cause ?? message) } }
}

const port = parentPort
if (port === null) throw new Error('This file runs as a thread of sqlite-thread.ts')

const session = createSqliteSession('create', workerData as SqliteOptions)

/** Takes everything that came in while the disk was busy, so that one sync serves it all. */
port.on('message', (first: ThreadRequest) => {
  const calls: Exclude<ThreadRequest, { isLast: true }>[] = []
  let isLast = false
  for (let request: ThreadRequest | undefined = first; request !== undefined;) {
    if ('isLast' in request) {
      isLast = true
      break
    }
    calls.push(request)
    if (calls.length === MAX_BATCH) break
    request = receiveMessageOnPort(port)?.message
  }
  const outcomes = session.run(calls.map(({ call }) => call))
  port.postMessage(calls.map(({ id }, index) => answerOf(id, outcomes[index])))
  if (!isLast) return
  session.close()
  port.close()
})
