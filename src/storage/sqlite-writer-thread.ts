import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'

import { messageOf } from '../contract/error-message.ts'
import type { SqliteOptions } from './sqlite-connection.ts'
import { createSqliteSession, type CallOutcome } from './sqlite-session.ts'
import type { ThreadResponse, ThreadRequest } from './sqlite-thread.ts'

/** The maximum number of calls in a transaction, so that other processes can write in between. */
const MAX_BATCH = 256

function responseTo(id: number, outcome: CallOutcome | undefined): ThreadResponse {
  if (outcome === undefined)
    return { id, outcome: { problem: 'IO', detail: 'The call has no outcome' } }
  if ('value' in outcome) return { id, outcome }
  const { code, cause, message } = outcome.error
  return { id, outcome: { problem: code, detail: messageOf(cause ?? message) } }
}

const port = parentPort
if (port === null) throw new Error('This file runs as a thread of sqlite-thread.ts')

const session = createSqliteSession('create', workerData as SqliteOptions)

/** Takes all calls that arrived while the disk was busy, so that they share one sync. */
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
  port.postMessage(calls.map(({ id }, index) => responseTo(id, outcomes[index])))
  if (!isLast) return
  session.close()
  port.close()
})
