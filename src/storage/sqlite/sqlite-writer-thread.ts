import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { StoreCall } from '../stores/store-calls.ts'
import { createSqliteSession } from './sqlite-session.ts'
import type { ThreadData, ThreadRequest } from './sqlite-storage.ts'

/** The maximum number of calls in a transaction, so that other processes can write in between. */
const MAX_BATCH = 256

const port = parentPort
if (port === null) throw new Error('This file runs as a thread of sqlite-storage.ts')

const { mode, options } = workerData as ThreadData
const session = createSqliteSession(mode, options)

/** Takes all calls that arrived while the disk was busy, so that they share one sync. */
port.on('message', (first: ThreadRequest) => {
  const calls: StoreCall[] = []
  let request: ThreadRequest | undefined = first
  while (request !== undefined && request !== 'close') {
    calls.push(request)
    request = calls.length < MAX_BATCH ? receiveMessageOnPort(port)?.message : undefined
  }
  port.postMessage(session.run(calls))
  if (request !== 'close') return
  session.close()
  port.close()
})
